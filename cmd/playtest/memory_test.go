package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/hostile"
	"github.com/playtest-dev/playtest/internal/proc"
)

// mostMemory is what the program may take, whatever a page does. The browser
// comes on top, and ends with the run.
const mostMemory = 150 << 20

// A page may shout, throw, name, request and compute as much as it likes: what
// it says is bounded before it is kept, and what is too long is not even read.
func TestMemoryIsBoundedWhateverAPageDoes(t *testing.T) {
	if _, ok := proc.Peak(os.Getpid()); !ok {
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
			if n, ok := proc.Peak(cmd.Process.Pid); ok {
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
