// Command batches plays the bundled games as a batch, one by one and several at a
// time, and prints what that takes as a table of Markdown.
//
//	go run ./bench/batches -playtest bin/playtest -parallel 1,2
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/batch"
	"github.com/playtest-dev/playtest/internal/proc"
)

// sampleEvery is how often the memory is looked at.
const sampleEvery = 2 * time.Second

func main() {
	binary := flag.String("playtest", "bin/playtest", "the program")
	parallel := flag.String("parallel", "1,2", "how many games at a time")
	count := flag.Int("games", 30, "how many of the bundled games")
	out := flag.String("out", "", "where the results stay, a folder for each number; nowhere unless given")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *binary, *parallel, *count, *out); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, parallel string, count int, out string) (err error) {
	s, err := games.Serve(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	dir, err := os.MkdirTemp("", "playtest-batches-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var list bytes.Buffer
	all := games.All()
	for _, g := range all[:min(count, len(all))] {
		fmt.Fprintf(&list, "%s %s\n", g.Name, s.URL(g.Name, 0))
	}
	name := filepath.Join(dir, "games.txt")
	if err := os.WriteFile(name, list.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	fmt.Println("| games at a time | wall time | games a minute | processor time | most memory | passed | failed | undecided |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, text := range strings.Split(parallel, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-parallel: %w", err)
		}
		results := filepath.Join(dir, text)
		if out != "" {
			results = filepath.Join(out, text)
		}
		if err := measure(ctx, binary, name, results, n); err != nil {
			return err
		}
	}
	return nil
}

// measure plays the list and prints a line of the table.
func measure(ctx context.Context, binary, list, out string, parallel int) error {
	cmd := exec.CommandContext(ctx, binary, "batch", list, "--parallel", strconv.Itoa(parallel), "--out", out, "--format", "json", "--quiet", "--allow-local")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it closes its browsers
	cmd.WaitDelay = time.Minute
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, os.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("begin a batch: %w", err)
	}
	running, over := context.WithCancel(ctx)
	most := make(chan uint64, 1)
	go func() { most <- proc.Highest(running, cmd.Process.Pid, sampleEvery) }()
	err := cmd.Wait()
	took := time.Since(began)
	over()
	peak := <-most
	var sum batch.Summary
	if jsonErr := json.Unmarshal(stdout.Bytes(), &sum); jsonErr != nil { // a game that failed is an exit code, and no error here
		return errors.Join(fmt.Errorf("read what the batch came to: %w", jsonErr), err)
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Printf("| %d | %.0f s | %.1f | %.0f s | %d MB | %d | %d | %d |\n", parallel, took.Seconds(), float64(len(sum.Results))/took.Minutes(),
		cpu.Seconds(), peak>>20, sum.Passed, sum.Failed, sum.Undecided)
	return nil
}
