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
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// stagehand measures Stagehand, which stagehand.mjs drives.
func stagehand(ctx context.Context, folder, base string) (*result, error) {
	chromium, err := browser.Find("")
	if err != nil {
		return nil, err
	}
	trees, err := os.MkdirTemp("", "trees")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(trees)
	full, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	bound, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := []string{"bench/peers/stagehand.mjs", full, chromium.Path, trees}
	for _, name := range pages {
		args = append(args, name+"="+base+"/"+name)
	}
	cmd := exec.CommandContext(bound, "node", args...)
	cmd.Stderr = os.Stderr
	// Its browser goes with it, also when it hangs and has to be ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("stagehand: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var out struct {
		Pages map[string]struct {
			MS    float64 `json:"ms"`
			Error string  `json:"error"`
		} `json:"pages"`
		Again    float64 `json:"again"`
		Act      float64 `json:"act"`
		ActError string  `json:"actError"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &out); err != nil {
		return nil, fmt.Errorf("stagehand's answer: %w", err)
	}
	r := newResult()
	r.Again, r.Act = out.Again, out.Act
	if out.ActError != "" {
		r.Errors = append(r.Errors, "act: "+out.ActError)
	}
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
		r.Tokens[name] = snapshot.Tokens(string(tree))
		r.Sent[name] = r.Tokens[name]
	}
	return r, nil
}
