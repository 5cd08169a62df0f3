package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/playtest-dev/playtest/browser/snapshot"
)

// script measures a library that a program of ours drives, which is given what
// stands here, with DIR for the folder, and then the Chromium, a folder for trees and
// the pages.
func script(command ...string) func(ctx context.Context, dir, chromium, base string) (*result, error) {
	return func(ctx context.Context, dir, chromium, base string) (*result, error) {
		trees, err := os.MkdirTemp("", "trees")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(trees)
		var args []string
		for _, arg := range command {
			args = append(args, strings.Replace(arg, "DIR", dir, 1))
		}
		args = append(args, chromium, trees)
		for _, name := range pages {
			args = append(args, name+"="+base+"/"+name)
		}
		var out struct {
			Pages map[string]struct {
				MS    float64 `json:"ms"`
				Error string  `json:"error"`
			} `json:"pages"`
			Again   float64  `json:"again"`
			Act     float64  `json:"act"`
			Extract float64  `json:"extract"`
			Step    float64  `json:"step"`
			Errors  []string `json:"errors"`
		}
		if err := runScript(ctx, &out, args...); err != nil {
			return nil, err
		}
		r := newResult()
		r.Again, r.Act, r.Extract, r.Step, r.Errors = out.Again, out.Act, out.Extract, out.Step, out.Errors
		for name, p := range out.Pages {
			if p.Error != "" {
				r.Errors = append(r.Errors, name+": "+p.Error)
				continue
			}
			r.Full[name] = p.MS
			tree, err := os.ReadFile(filepath.Join(trees, name+".txt"))
			if err != nil {
				return nil, err
			}
			r.tree(name, string(tree), snapshot.Tokens(string(tree)))
		}
		return r, nil
	}
}

// runScript runs a program and decodes the last line that it prints.
func runScript(ctx context.Context, out any, command ...string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	// Its browser goes with it, also when it hangs and has to be ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	data, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("running it: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), out); err != nil {
		return fmt.Errorf("its answer: %w", err)
	}
	return nil
}
