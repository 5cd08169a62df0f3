package main

import (
	"net/url"
	"os"

	"github.com/playtest-dev/playtest/internal/config"
)

// secretVariables of the environment hold keys to storage. Those to models are
// found by package config.
var secretVariables = []string{
	"AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "MINIO_SECRET_KEY", "MINIO_ROOT_PASSWORD", "PGPASSWORD",
	"BROWSERBASE_API_KEY", "PLAYTEST_MCP_TOKEN",
}

// secrets are the values that must not be found in anything a run leaves
// behind: keys to models and storage, and the database's password.
func (s *storage) secrets() []string {
	var values []string
	// A configuration with a mistake is for the commands to report that need it.
	if c, err := config.Load(nil); err == nil {
		for _, key := range c.Secrets() {
			values = append(values, key.Reveal())
		}
	}
	for _, name := range secretVariables {
		if v := os.Getenv(name); v != "" {
			values = append(values, v)
		}
	}
	if u, err := url.Parse(s.dbAddress()); err == nil && u.User != nil {
		if password, given := u.User.Password(); given {
			values = append(values, password)
		}
	}
	return values
}
