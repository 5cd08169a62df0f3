// Command chaos does to workers what happens to machines, and then looks
// whether anything was lost: no accepted run, no acknowledged evidence, no
// record that was complete, nothing judged twice, nothing written by a worker
// that had lost its run.
//
//	chaos -kills 60 -stops 5 -jumps 5                 one SQLite file, one worker at a time
//	chaos -kills 40 -stops 20 -db postgres://...      River on Postgres, two workers at a time
//	chaos -cuts 6 -db postgres://... -evidence s3://  the database and the bucket are away for a while
//	chaos -full 4                                     the disk below a SQLite file is full for a while
//	chaos -power 6                                    power is lost: what was not synced is gone
//	chaos -games -runs 200 -db postgres://...         two workers play bundled games, one is killed halfway
//
// It prints what it did and saw as Markdown, and exits with 1 when something
// was lost. make chaos runs all but the last; make chaos-selftest takes fencing
// and syncing out and expects that it does not.
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
	evidence string
	dir      string
	kills    int
	stops    int
	terms    int
	jumps    int
	cuts     int
	away     time.Duration
	full     int
	power    int
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
	flag.StringVar(&s.evidence, "evidence", "", "place for evidence; a temporary folder when empty")
	flag.IntVar(&s.kills, "kills", 0, "how often a worker is killed")
	flag.IntVar(&s.stops, "stops", 0, "how often a worker is stopped, for longer than others wait for it, and comes back")
	flag.IntVar(&s.terms, "terms", 0, "how often a worker is told to stop, and has to within its grace")
	flag.IntVar(&s.jumps, "jumps", 0, "how often the clock jumps by an hour")
	flag.IntVar(&s.cuts, "cuts", 0, "how often the network between workers and the Postgres database or the bucket is cut")
	flag.DurationVar(&s.away, "away", 5*time.Second, "longest time for which it is")
	flag.IntVar(&s.full, "full", 0, "how often the disk below the SQLite file is full for a while; needs the right to mount")
	flag.IntVar(&s.power, "power", 0, "how often power is lost; SQLite and a folder, needs the right to mount")
	flag.IntVar(&s.runs, "runs", 10, "how many games are played with -games")
	flag.StringVar(&s.crash, "crash", "", "`PROGRAM` that ends the database without warning and starts it again; run after every tenth blow")
	flag.BoolVar(&s.games, "games", false, "play bundled games in a Chromium instead of a stand-in, and kill one worker when half of them are done")
	flag.IntVar(&s.slots, "slots", 4, "runs at a time in each worker; 2 at most with -games")
	flag.DurationVar(&s.patience, "patience", 15*time.Minute, "longest time for everything")
	flag.BoolVar(&s.verbose, "v", false, "show what the workers say")
	flag.BoolVar(&s.work, "work", false, "be a worker; used by chaos itself")
	flag.StringVar(&s.name, "name", "", "name of the worker")
	flag.StringVar(&s.dir, "dir", "", "folder for notes; a temporary one when empty")
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
	data := s.dir
	var d *disk
	if s.full > 0 || s.power > 0 {
		var err error
		if d, err = newDisk(s.dir, s.power > 0); err != nil {
			return fmt.Errorf("a disk to fill or to cut off (this needs the right to mount): %w", err)
		}
		defer d.remove()
		data = d.mount
	}
	if s.db == "" {
		s.db = filepath.Join(data, "runs.db")
	}
	if s.evidence == "" {
		s.evidence = filepath.Join(data, "evidence")
	}
	if s.games {
		s.slots = min(s.slots, 2)
	}
	c, err := newConductor(ctx, s)
	if err != nil {
		return err
	}
	defer c.close()
	switch {
	case s.games:
		err = c.playGames(ctx)
	case s.power > 0:
		err = c.losePower(ctx, d)
	case s.full > 0:
		err = c.fillDisk(ctx, d)
	default:
		err = c.strike(ctx)
	}
	if err != nil {
		return err
	}
	return c.verify(ctx)
}
