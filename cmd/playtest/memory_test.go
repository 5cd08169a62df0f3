package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/hostile"
)

// mostMemory is what the program may take, whatever a page does. The browser
// comes on top, and ends with the run.
const mostMemory = 150 << 20

// peak is the most memory that a process has had so far, in bytes.
func peak(pid int) (bytes uint64, ok bool) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(data), "VmHWM:")
	text, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseUint(text, 10, 64)
	return n << 10, found && err == nil
}

// A page may shout, throw, name, request and compute as much as it likes: what
// it says is bounded before it is kept, and what is too long is not even read.
func TestMemoryIsBoundedWhateverAPageDoes(t *testing.T) {
	if _, ok := peak(os.Getpid()); !ok {
		t.Skip("the system does not say how much memory a process has had")
	}
	server := httptest.NewServer(hostile.Handler())
	defer server.Close()
	cmd := exec.Command("playtest", "run", server.URL+"/"+hostile.Floods, "--out", filepath.Join(t.TempDir(), "out"), "--no-memory", "--max-duration", "25s", "--quiet")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var most uint64
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			if n, ok := peak(cmd.Process.Pid); ok {
				most = max(most, n)
			}
		case <-ended:
			running = false
		}
	}
	t.Logf("at most %d MB", most>>20)
	if most > mostMemory {
		t.Errorf("took %d MB", most>>20)
	}
	if code := cmd.ProcessState.ExitCode(); most == 0 || code < 0 || code > codeUnjudged {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
