package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

func newRunsSubmit() *cobra.Command {
	var s submission
	cmd := &cobra.Command{
		Use:   "submit URL...",
		Short: "Ask for games to be played by a worker",
		Long: `Submit stores runs and prints their names, one a line. A run whose name was printed
is played, whatever dies in between.

With --key a submission can be repeated: the second time it prints the name of the
first run. With --file the addresses are read from a file, one a line.

Who plays, who judges and what that may cost is stored with the run. The models'
keys are the worker's, and so is the most that any run may spend.`,
		Example: `  playtest runs submit https://example.com/game/
  playtest runs submit --file games.txt --priority 5
  playtest runs submit https://example.com/game/ --key build-1234 --metadata game.yaml
  playtest runs submit https://example.com/game/ --evaluator vision --model anthropic/claude-haiku-5-5 --budget 0.10`,
		Args: arguments(0, 10_000, "the game's address"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	s.storage.register(cmd)
	s.play.modes = &modes{}
	s.play.modes.register(cmd)
	f := cmd.Flags()
	f.StringVar(&s.file, "file", "", "read addresses from `FILE`, one a line, - for stdin")
	f.StringVar(&s.key, "key", "", "make the submission of one game repeatable under this `KEY`")
	f.IntVar(&s.priority, "priority", 0, "runs with a higher one go first")
	f.DurationVar(&s.delay, "delay", 0, "do not begin before this time has passed")
	f.IntVar(&s.attempts, "attempts", 3, "how often a run is taken up before it is given up")
	f.StringVar(&s.play.meta, "metadata", "", "what the game's author says about it, JSON or YAML `FILE`")
	f.StringVar(&s.play.rubric, "rubric", "", "weights, threshold and questions, JSON or YAML `FILE`")
	f.DurationVar(&s.play.maxDuration, "max-duration", record.DefaultMaxDuration, "longest time for the whole run")
	f.DurationVar(&s.play.playFor, "play", record.DefaultPlay, "how long the standard mode plays once the controls are known")
	f.Int64Var(&s.play.seed, "seed", 0, "make the choices of a run repeatable")
	return cmd
}

// submission is the flags of submit.
type submission struct {
	storage
	play     settings // for what it shares with the commands that play one game
	file     string
	key      string
	priority int
	attempts int
	delay    time.Duration
}

func (s *submission) run(cmd *cobra.Command, urls []string) error {
	if s.file != "" {
		more, err := readLines(cmd, s.file)
		if err != nil {
			return err
		}
		urls = append(urls, more...)
	}
	switch {
	case len(urls) == 0:
		return usage(cmd, "the game's address is missing")
	case s.key != "" && len(urls) > 1:
		return usage(cmd, "--key is for one game, and there are %d", len(urls))
	case s.attempts < 1:
		return usage(cmd, "--attempts %d is less than 1", s.attempts)
	case s.delay < 0:
		return usage(cmd, "--delay %s is negative", s.delay)
	}
	s.play.format = "json"
	var subs []store.Submission
	for _, url := range urls {
		target, err := s.play.target(cmd, url)
		if err != nil {
			return err
		}
		subs = append(subs, store.Submission{Target: target, Settings: s.play.modes.stored(cmd), Key: s.key, Priority: s.priority, Delay: s.delay, MaxAttempts: s.attempts})
	}
	q, err := s.openQueue(cmd.Context(), nil)
	if err != nil {
		return err
	}
	defer q.Store().Close()
	return submit(cmd, q, subs)
}

func submit(cmd *cobra.Command, q *queue.Queue, subs []store.Submission) error {
	accepted, err := q.Submit(cmd.Context(), subs...)
	for _, a := range accepted {
		fmt.Fprintln(cmd.OutOrStdout(), a.ID)
	}
	if errors.Is(err, store.ErrKeyTaken) {
		return hint(err, "use another --key for another game or other settings")
	}
	return err
}

// maxAddresses bounds a file of addresses.
const maxAddresses = 100_000

// readLines reads addresses, one a line; empty lines and lines that begin with
// # are left out.
func readLines(cmd *cobra.Command, name string) ([]string, error) {
	in, err := openInput(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var out []string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(out) == maxAddresses {
			return nil, usage(cmd, "%s holds more than %d addresses", name, maxAddresses)
		}
		out = append(out, line)
	}
	if err := lines.Err(); err != nil {
		return nil, usage(cmd, "reading %s: %v", name, err)
	}
	return out, nil
}
