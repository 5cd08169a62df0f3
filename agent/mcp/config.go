package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Config names the servers to connect to, in the form that most programs with
// MCP share.
type Config struct {
	Servers map[string]Server `json:"mcpServers"`
}

// Server is one server: a program to start, or an address.
type Server struct {
	// Type is "stdio" or "http"; it follows from the other fields if empty.
	Type string `json:"type,omitempty"`

	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`

	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`

	// Allow names the tools to take over, all if it is not there.
	Allow []string `json:"allow,omitempty"`
	// Timeout is how long one call may take, such as "30s".
	Timeout string `json:"timeout,omitempty"`
	// Disabled leaves the server out.
	Disabled bool `json:"disabled,omitempty"`
}

// others are fields that other programs keep in the same file and that mean
// nothing here.
var others = []string{"description", "autoApprove", "alwaysAllow", "gallery", "version"}

// Parse reads a configuration. ${NAME} in commands, arguments, addresses,
// headers and the environment is looked up; what is not found is an error. A nil
// lookup finds nothing.
func Parse(data []byte, lookup func(name string) (string, bool)) (*Config, error) {
	var file struct {
		MCPServers map[string]map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("reading MCP configuration: %w", err)
	}
	entries := file.MCPServers
	if entries == nil {
		entries = file.Servers
	}
	if entries == nil {
		return nil, errors.New(`reading MCP configuration: there is no "mcpServers" in it`)
	}
	c := &Config{Servers: make(map[string]Server)}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		s, err := parseServer(entries[name])
		if err == nil {
			err = s.expand(lookup)
		}
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return nil, fmt.Errorf("reading MCP configuration: server %s: %w", name, err)
		}
		c.Servers[name] = s
	}
	return c, nil
}

func parseServer(fields map[string]json.RawMessage) (Server, error) {
	for _, name := range others {
		delete(fields, name)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return Server{}, err
	}
	var s Server
	d := json.NewDecoder(bytes.NewReader(data))
	// A misspelled "allow" would give the agent every tool.
	d.DisallowUnknownFields()
	err = d.Decode(&s)
	return s, err
}

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

func (s *Server) expand(lookup func(string) (string, bool)) error {
	var missing []string
	fill := func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(m string) string {
			name := m[2 : len(m)-1]
			if lookup != nil {
				if v, ok := lookup(name); ok {
					return v
				}
			}
			missing = append(missing, name)
			return ""
		})
	}
	s.Command, s.URL, s.Cwd = fill(s.Command), fill(s.URL), fill(s.Cwd)
	for i, arg := range s.Args {
		s.Args[i] = fill(arg)
	}
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for k, v := range m {
			m[k] = fill(v)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s is not set", strings.Join(missing, ", "))
	}
	return nil
}

// check finds mistakes before anything is started.
func (s *Server) check() error {
	if s.Type == "" {
		s.Type = "stdio"
		if s.URL != "" {
			s.Type = "http"
		}
	}
	switch s.Type {
	case "stdio":
		if s.Command == "" {
			return errors.New("it has neither a command nor a url")
		}
		if s.URL != "" {
			return errors.New("it has both a command and a url")
		}
	case "http", "streamable-http", "streamableHttp":
		s.Type = "http"
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			// Not repeated: it may hold a token of the environment.
			return errors.New("url is not an http or https address")
		}
		if s.Command != "" {
			return errors.New("it has both a command and a url")
		}
	default:
		return fmt.Errorf("type %q is not stdio or http", s.Type)
	}
	if _, err := s.limit(); err != nil {
		return err
	}
	return nil
}

// limit is how long one call may take.
func (s *Server) limit() (time.Duration, error) {
	if s.Timeout == "" {
		return DefaultTimeout, nil
	}
	d, err := time.ParseDuration(s.Timeout)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("timeout %q is not a time such as 30s", s.Timeout)
	}
	return d, nil
}
