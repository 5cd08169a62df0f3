package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsAreNotKept writes what a page could have logged into a results
// folder.
func TestSecretsAreNotKept(t *testing.T) {
	t.Setenv("PLAYTEST_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", "the-key-to-a-model")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "the-key-to-a-bucket")
	t.Setenv("PLAYTEST_DB", "postgres://user:the-password-of-a-database@localhost/x")
	dir := t.TempDir()
	res, err := openResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := "the-key-to-a-model the-key-to-a-bucket the-password-of-a-database http://localhost/?token=abc and the rest"
	if err := res.File("console.log", []byte(log)); err != nil {
		t.Fatal(err)
	}
	if err := res.writeJSON("record.json", map[string]string{"said": log}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"console.log", "record.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"the-key-to-a-model", "the-key-to-a-bucket", "the-password-of-a-database", "abc"} {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s has %q: %s", name, secret, data)
			}
		}
		if !strings.Contains(string(data), "and the rest") {
			t.Errorf("%s is %s", name, data)
		}
	}
}
