package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/egress"
)

// A session is a process of ours that keeps a browser with a page between
// calls. It listens on a socket that only its owner can reach, carries out one
// command line after the other, and ends by itself when nobody comes any more.

// sessionIdle is how long a session waits for the next call.
const sessionIdle = 15 * time.Minute

// sessionStart is how long a session may take to come up.
const sessionStart = 30 * time.Second

// sessionRead is how long a caller may take to say what it wants, and maxCall how
// much that may be.
var sessionRead = 10 * time.Second

const maxCall = 16 << 20

var sessionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// keptPage is the page of a session.
type keptPage struct {
	browser *browser.Browser
	page    *browser.Page
	probe   *probe.Probe
	proxy   *egress.Proxy // what the page's requests go through, nil for a browser elsewhere
	reach   *reach
	url     string // as last asked for
}

type keptKey struct{}

// kept is the session's page, nil outside of a session.
func kept(ctx context.Context) *keptPage {
	k, _ := ctx.Value(keptKey{}).(*keptPage)
	return k
}

type sessionCall struct {
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
	End  bool     `json:"end,omitempty"`
}

type sessionReply struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"`
}

// socketFor is where a session listens, in a folder of the user's own.
func socketFor(name string) (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("session: %w", err)
		}
	}
	dir = filepath.Join(dir, "playtest")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("session: %w", withoutOp(err))
	}
	return filepath.Join(dir, name+".sock"), nil
}

// forward has the session carry out the command, and starts one when there is
// none of that name. Variables are resolved here: the session's environment is
// not the caller's.
func forward(cmd *cobra.Command, name string, args []string, vars map[string]string) error {
	line := []string{cmd.Name()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "session", "var":
		case "file", "ignore", "var-origin":
			list, err := cmd.Flags().GetStringArray(f.Name)
			if err == nil {
				for _, v := range list {
					line = append(line, "--"+f.Name+"="+v)
				}
			}
		default:
			line = append(line, "--"+f.Name+"="+f.Value.String())
		}
	})
	for k, v := range vars {
		line = append(line, "--var="+k+"="+v)
	}
	line = append(append(line, "--"), args...)
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	socket, err := socketFor(name)
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		if conn, err = startSession(cmd.Context(), name, socket); err != nil {
			return err
		}
	}
	reply, err := exchange(cmd.Context(), conn, sessionCall{Args: line, Dir: dir})
	if err != nil {
		return hint(fmt.Errorf("session %s did not answer: %w", name, err), "playtest session end %s ends it", name)
	}
	fmt.Fprint(cmd.OutOrStdout(), reply.Stdout)
	fmt.Fprint(cmd.ErrOrStderr(), reply.Stderr)
	if reply.Code != 0 {
		return &verdictError{reply.Code}
	}
	return nil
}

func exchange(ctx context.Context, conn net.Conn, call sessionCall) (*sessionReply, error) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if err := json.NewEncoder(conn).Encode(call); err != nil {
		return nil, err
	}
	var reply sessionReply
	if err := json.NewDecoder(conn).Decode(&reply); err != nil {
		return nil, err
	}
	return &reply, nil
}

// startSession starts the process and waits until it listens.
func startSession(ctx context.Context, name, socket string) (net.Conn, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting session %s: %w", name, err)
	}
	cmd := exec.Command(self, "session", "serve", name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this terminal
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting session %s: %w", name, err)
	}
	if err := cmd.Process.Release(); err != nil {
		return nil, fmt.Errorf("starting session %s: %w", name, err)
	}
	deadline := time.Now().Add(sessionStart)
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			return conn, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("session %s did not start: %w", name, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func newSession() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "End a browser that --session keeps",
		Long: `Observe, act and extract keep their browser and page between calls when they
are given --session NAME. A session ends by itself after 15 minutes without a
call, or with: playtest session end NAME`,
		Example: `  playtest act http://localhost:8080/ "open the menu" --session shop
  playtest observe http://localhost:8080/ --snapshot --session shop
  playtest session end shop`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "end NAME", Short: "End a session and its browser", Example: "  playtest session end shop",
			Args: arguments(1, 1, "the session's name"),
			RunE: func(cmd *cobra.Command, args []string) error { return endSession(cmd, args[0]) },
		},
		&cobra.Command{
			Use: "serve NAME", Hidden: true, Args: arguments(1, 1, "the session's name"),
			RunE: func(cmd *cobra.Command, args []string) error { return serveSession(cmd.Context(), args[0]) },
		})
	return cmd
}

func endSession(cmd *cobra.Command, name string) error {
	if !sessionName.MatchString(name) {
		return usage(cmd, "%q is no name of a session: letters, digits, - and _", name)
	}
	socket, err := socketFor(name)
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return fmt.Errorf("there is no session %s", name)
	}
	if _, err = exchange(cmd.Context(), conn, sessionCall{End: true}); err != nil && cmd.Context().Err() == nil {
		return fmt.Errorf("there is no session %s any more", name)
	}
	return cmd.Context().Err()
}

// serveSession carries out calls, one at a time, until it is told to end or
// nobody has come for a while.
func serveSession(ctx context.Context, name string) error {
	if !sessionName.MatchString(name) {
		return fmt.Errorf("%q is no name of a session", name)
	}
	socket, err := socketFor(name)
	if err != nil {
		return err
	}
	if conn, err := net.Dial("unix", socket); err == nil {
		return errors.Join(fmt.Errorf("session %s is there already", name), conn.Close())
	}
	_ = os.Remove(socket) // of one that was killed
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("session %s: %w", name, err)
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	page := &keptPage{}
	defer func() { _ = page.close() }()
	for {
		if err := l.SetDeadline(time.Now().Add(sessionIdle)); err != nil {
			return nil // closed by a signal
		}
		conn, err := l.Accept()
		if err != nil {
			return nil // out of time, or closed by a signal
		}
		if end := answerCall(ctx, conn, page); end {
			return nil
		}
	}
}

func answerCall(ctx context.Context, conn net.Conn, page *keptPage) (end bool) {
	defer conn.Close()
	// Calls are answered one after the other, so one that never says what it
	// wants would hold up all others.
	if err := conn.SetReadDeadline(time.Now().Add(sessionRead)); err != nil {
		return false
	}
	var call sessionCall
	if err := json.NewDecoder(io.LimitReader(conn, maxCall)).Decode(&call); err != nil {
		return false
	}
	var reply sessionReply
	if !call.End {
		var stdout, stderr bytes.Buffer
		if err := os.Chdir(call.Dir); err != nil {
			fmt.Fprintf(&stderr, "warning: %v\n", err)
		}
		root := newRoot()
		root.SetArgs(call.Args)
		root.SetOut(&stdout)
		root.SetErr(&stderr)
		err := root.ExecuteContext(context.WithValue(ctx, keptKey{}, page))
		printError(&stderr, err)
		reply = sessionReply{stdout.String(), stderr.String(), exitCode(err)}
	}
	_ = json.NewEncoder(conn).Encode(reply) // whoever asked may have left
	return call.End
}
