package browser

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// ExitError says that the Chromium we launched has ended on its own.
type ExitError struct {
	Err    error  // how it ended, nil for exit code 0
	Stderr string // its last words
}

func (e *ExitError) Error() string {
	how := "exit status 0"
	if e.Err != nil {
		how = e.Err.Error()
	}
	if e.Stderr == "" {
		return "Chromium ended: " + how
	}
	return fmt.Sprintf("Chromium ended: %s: %s", how, e.Stderr)
}

func (e *ExitError) Unwrap() error { return e.Err }

// process is a running Chromium with its children, in a process group of its
// own. It ends when our side of its pipe is closed, so it cannot outlive us.
type process struct {
	cmd     *exec.Cmd
	profile *profile
	stderr  *tail
	exited  chan struct{}
	waitErr error
}

func startProcess(path string, args []string, headed bool, as *account) (*process, cdp.Transport, error) {
	prof, err := newProfile(as)
	if err != nil {
		return nil, nil, err
	}
	// Our ends are made close-on-exec, so no other child of ours keeps them
	// open when we die.
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("opening pipe: %w", err), prof.remove())
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		ourOut.Close()
		return nil, nil, errors.Join(fmt.Errorf("opening pipe: %w", err), prof.remove())
	}
	p := &process{profile: prof, stderr: &tail{max: 4096}, exited: make(chan struct{})}
	p.cmd = exec.Command(path, append(args, "--user-data-dir="+prof.dir)...)
	p.cmd.Env = scrubbed(os.Environ(), prof.dir, prof.temp(), headed)
	p.cmd.Dir = prof.dir
	p.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	p.cmd.Stderr = p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as.credential()}
	// A grandchild may hold stderr open for longer than Chromium lives.
	p.cmd.WaitDelay = 2 * time.Second
	err = p.cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		ourIn.Close()
		ourOut.Close()
		return nil, nil, errors.Join(fmt.Errorf("starting %s: %w", path, err), prof.remove())
	}
	go func() {
		p.waitErr = p.cmd.Wait()
		// The group may outlive its leader. It is ended right now, because later
		// its number may be somebody else's.
		syscall.Kill(-p.pid(), syscall.SIGKILL)
		close(p.exited)
	}()
	return p, cdp.Pipe(ourIn, ourOut), nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) exitError() error {
	select {
	case <-p.exited:
		return &ExitError{Err: p.waitErr, Stderr: p.stderr.String()}
	case <-time.After(3 * time.Second):
		return nil
	}
}

// end waits a moment for Chromium to leave by itself, then ends the whole group
// and whatever else carries our profile folder, and removes the folder.
func (p *process) end(patience time.Duration) error {
	select {
	case <-p.exited:
	case <-time.After(patience):
	}
	select {
	case <-p.exited:
	default:
		syscall.Kill(-p.pid(), syscall.SIGKILL)
		<-p.exited
	}
	deadline := time.Now().Add(5 * time.Second)
	for wait := time.Millisecond; ; wait *= 2 {
		left := carriers(p.profile.dir)
		if len(left) == 0 || time.Now().After(deadline) {
			break
		}
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(min(wait, 50*time.Millisecond))
	}
	return p.profile.remove()
}

// carriers lists the processes that name the folder in their command line: the
// children of a Chromium that did not end with their group.
func carriers(dir string) []int {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil
	}
	var pids []int
	for _, line := range lines {
		raw, err := os.ReadFile(line)
		if err != nil || !bytes.Contains(raw, []byte(dir)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kept are the variables Chromium needs to find its files, fonts, screen and
// network. All others stay with us: API keys and tokens are none of its business.
var kept = map[string]bool{
	"PATH": true, "LANG": true, "LANGUAGE": true, "TZ": true, "LD_LIBRARY_PATH": true,
	"FONTCONFIG_FILE": true, "FONTCONFIG_PATH": true, "SSL_CERT_FILE": true, "SSL_CERT_DIR": true,
	"HTTP_PROXY": true, "HTTPS_PROXY": true, "NO_PROXY": true, "ALL_PROXY": true,
	"http_proxy": true, "https_proxy": true, "no_proxy": true, "all_proxy": true,
}

var keptHeaded = map[string]bool{"DISPLAY": true, "WAYLAND_DISPLAY": true, "XAUTHORITY": true, "XDG_RUNTIME_DIR": true}

func scrubbed(environ []string, home, temp string, headed bool) []string {
	env := []string{"HOME=" + home, "TMPDIR=" + temp, "DBUS_SESSION_BUS_ADDRESS=disabled:", "DBUS_SYSTEM_BUS_ADDRESS=disabled:"}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if kept[name] || strings.HasPrefix(name, "LC_") || headed && keptHeaded[name] {
			env = append(env, kv)
		}
	}
	return env
}

// tail keeps the last bytes written to it.
type tail struct {
	max int
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.buf), "\uFFFD"))
}
