// Command chaos kills workers at random moments and then looks whether anything
// was lost: no accepted run, no acknowledged evidence, no record that was
// complete, and nothing judged twice.
//
//	chaos -kills 100                                  one SQLite file, one worker at a time
//	chaos -kills 100 -db postgres://...               River on Postgres, two workers at a time
//	chaos -games -runs 200 -db postgres://...         two workers play bundled games, one is killed halfway
//
// It prints what it did and saw as Markdown, and exits with 1 when something
// was lost. make chaos runs the first two.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	db       string
	dir      string
	kills    int
	runs     int
	crash    string
	games    bool
	work     bool
	name     string
	slots    int
	verbose  bool
	patience time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.db, "db", "", "Postgres address; a SQLite file in a temporary folder when empty")
	flag.IntVar(&s.kills, "kills", 100, "how many workers are killed")
	flag.IntVar(&s.runs, "runs", 10, "how many games are played with -games")
	flag.StringVar(&s.crash, "crash", "", "`PROGRAM` that ends the database without warning and starts it again; run after every tenth kill")
	flag.BoolVar(&s.games, "games", false, "play bundled games in a Chromium instead of a stand-in, and kill one worker when half of them are done")
	flag.IntVar(&s.slots, "slots", 4, "runs at a time in each worker; 2 at most with -games")
	flag.DurationVar(&s.patience, "patience", 2*time.Hour, "longest time for everything")
	flag.BoolVar(&s.verbose, "v", false, "show what the workers say")
	flag.BoolVar(&s.work, "work", false, "be a worker; used by chaos itself")
	flag.StringVar(&s.name, "name", "", "name of the worker")
	flag.StringVar(&s.dir, "dir", "", "folder for evidence and notes; a temporary one when empty")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if s.work {
		exit(s.worker(ctx))
	}
	exit(s.conduct(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// conduct is the whole experiment, in a folder that is removed again.
func (s *settings) conduct(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "playtest-chaos-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.dir = dir
	}
	if s.db == "" {
		s.db = filepath.Join(s.dir, "runs.db")
	}
	if s.games {
		s.slots = min(s.slots, 2)
	}
	c, err := newConductor(ctx, s)
	if err != nil {
		return err
	}
	defer c.close()
	if s.games {
		err = c.playGames(ctx)
	} else {
		err = c.killWorkers(ctx)
	}
	if err != nil {
		return err
	}
	return c.verify(ctx)
}
