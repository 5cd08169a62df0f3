package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSupervisor is no test: it is the first process of TestReapsAsFirstProcess.
func TestSupervisor(t *testing.T) {
	script := os.Getenv("PLAYTEST_TEST_SUPERVISE")
	if script == "" {
		t.Skip("only as the first process of another test")
	}
	os.Exit(supervise("/bin/sh", []string{"-c", script}))
}

func TestReapsAsFirstProcess(t *testing.T) {
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("needs unshare and root")
	}
	// Children whose parent dies at once come to the first process.
	const script = `for i in 1 2 3 4 5; do sh -c 'sleep 0.1 & exit 0'; done; sleep 0.5
		echo zombies $(grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l); exit 7`
	cmd := exec.Command(unshare, "--pid", "--fork", "--mount-proc", os.Args[0], "-test.run", "^TestSupervisor$")
	cmd.Env = append(os.Environ(), "PLAYTEST_TEST_SUPERVISE="+script)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "unshare failed") || strings.Contains(string(out), "ermission denied") {
		t.Skipf("no namespaces here: %s", out)
	}
	if !strings.Contains(string(out), "zombies 0") || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%v: %s", err, out)
	}
}
