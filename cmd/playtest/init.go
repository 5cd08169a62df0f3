package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// supervise runs a program as its child, passes signals on and reaps every
// process that is left to us, until the child has ended. It is for a container
// whose first process we are: Chromium's grandchildren come to the first process
// when their parents die, and stay as zombies unless it waits for them. Doing so
// beside os/exec would take its children away from it, hence a process for each.
func supervise(path string, args []string) int {
	child := exec.Command(path, args...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	if err := child.Start(); err != nil {
		return codeUnjudged
	}
	pid := child.Process.Pid
	go func() {
		for s := range signals {
			_ = child.Process.Signal(s)
		}
	}()
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return codeUnjudged
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal())
		case ended == pid:
			return status.ExitStatus()
		}
	}
}
