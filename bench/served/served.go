// Package served starts playtest serve for programs that measure it, and speaks its API.
package served

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Server is playtest serve in a process of its own.
type Server struct {
	Addr string
	PID  int
	// Done ends it and removes what it kept.
	Done func()
}

// Start runs playtest serve with a database of its own and one run at a time, and with the
// flags that are given, which win over these. Done ends it and removes what it kept.
func Start(ctx context.Context, program string, flags ...string) (addr string, done func(), err error) {
	s, err := Launch(ctx, program, flags...)
	if err != nil {
		return "", nil, err
	}
	return s.Addr, s.Done, nil
}

// Launch is Start for whoever wants to look at the process, too.
func Launch(ctx context.Context, program string, flags ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "served")
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(dir, "runs.db"), "--parallel", "1", "--grace", "5s"}
	cmd := exec.CommandContext(ctx, program, append(args, flags...)...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_ = os.RemoveAll(dir) // it is empty
		return nil, fmt.Errorf("start the server: %w", err)
	}
	s := &Server{PID: cmd.Process.Pid, Done: func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "playtest: open "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the program
			s.Addr = strings.TrimSuffix(rest, "/")
			return s, nil
		}
	}
	s.Done()
	return nil, errors.New("the server did not start")
}

// API is that of a server, by its address.
type API string

// Get asks for what is at a path.
func (a API) Get(ctx context.Context, path string, into any) error {
	return a.call(ctx, http.MethodGet, path, nil, into)
}

// Post sends a value.
func (a API) Post(ctx context.Context, path string, body, into any) error {
	return a.call(ctx, http.MethodPost, path, body, into)
}

func (a API) call(ctx context.Context, method, path string, body, into any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, string(a)+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode > 299 {
		return fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 16<<20)).Decode(into)
}

// Bundled is the address of a game that the server offers.
func (a API) Bundled(ctx context.Context, name string) (string, error) {
	var list struct {
		Games []struct{ Name, URL string }
	}
	if err := a.Get(ctx, "/api/bundled", &list); err != nil {
		return "", err
	}
	for _, g := range list.Games {
		if g.Name == name {
			return g.URL, nil
		}
	}
	return "", fmt.Errorf("the server offers no game %q", name)
}
