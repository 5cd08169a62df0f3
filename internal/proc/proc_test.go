package proc_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/proc"
)

// family is a shell below this process and another one below that, both alive until
// the test ends. Their command's name holds what would end a line of /proc early.
func family(t *testing.T) (child, grandchild int) {
	t.Helper()
	if _, ok := proc.Read(os.Getpid()); !ok {
		t.Skip("there is no /proc here")
	}
	odd := t.TempDir() + "/a) R 1 (b"
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(shell, odd); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(odd, "-c", `"$0" -c 'echo $$; read line' <&3; true`, odd)
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{theirs}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	t.Cleanup(func() {
		ours.Close() // both read its end
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err = strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, grandchild
}

func TestBelow(t *testing.T) {
	child, grandchild := family(t)
	seen := map[int]proc.Process{}
	below, ok := proc.Below(os.Getpid())
	for _, p := range below {
		seen[p.PID] = p
	}
	if !ok || seen[child].Parent != os.Getpid() || seen[grandchild].Parent != child || seen[child].Resident == 0 {
		t.Errorf("below are %+v, %v; want %d and below it %d", below, ok, child, grandchild)
	}
	if _, found := seen[os.Getpid()]; found {
		t.Error("this process is below itself")
	}
	if below, _ := proc.Below(child); len(below) != 1 || below[0].PID != grandchild {
		t.Errorf("below the child are %+v, want %d", below, grandchild)
	}
}

// What has ended still counts, once whoever started it took note.
func TestSpent(t *testing.T) {
	before, ok := proc.Spent(os.Getpid())
	if !ok {
		t.Skip("nobody says here what processor time a process took")
	}
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
	if err := cmd.Run(); err != nil {
		t.Skip(err)
	}
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	after, _ := proc.Spent(os.Getpid())
	if spent := after - before; spent < took-20*time.Millisecond { // of the kernel's rounding
		t.Errorf("%s were spent, the child alone took %s", spent, took)
	}
	if _, ok := proc.Spent(1 << 22); ok {
		t.Error("a process above the highest number has spent something")
	}
}

func TestMemory(t *testing.T) {
	child, grandchild := family(t)
	alone, both := proc.Footprint(grandchild), proc.Footprint(child)
	if alone == 0 || both <= alone {
		t.Errorf("the grandchild has %d bytes, the child with it %d", alone, both)
	}
	if n := proc.Footprint(0); n != 0 {
		t.Errorf("0 has %d bytes", n)
	}
	self, _ := proc.Read(os.Getpid())
	if peak, ok := proc.Peak(os.Getpid()); !ok || peak < self.Resident/2 {
		t.Errorf("at most %d bytes, now %d, %v", peak, self.Resident, ok)
	}
	const most = 1 << 22
	if _, ok := proc.Peak(most + 1); ok {
		t.Error("a process above the highest number has a peak")
	}
	if _, ok := proc.Read(most + 1); ok {
		t.Error("a process above the highest number is there")
	}
}

func TestHighest(t *testing.T) {
	if proc.Footprint(os.Getpid()) == 0 {
		t.Skip("nobody says here what memory a process has")
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		if n := proc.Highest(ctx, os.Getpid(), time.Second); n == 0 {
			t.Error("nothing was seen")
		}
	})
}
