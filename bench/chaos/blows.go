package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// grace of the workers of the stand-in.
const grace = 3 * time.Second

// strike deals the blows that were asked for, in random order and at random
// moments, keeps submitting meanwhile, and lets the last workers finish.
func (c *conductor) strike(ctx context.Context) error {
	var blows []func(context.Context) error
	for n, blow := range map[*int]func(context.Context) error{
		&c.s.kills: c.kill, &c.s.stops: c.stop, &c.s.terms: c.terminate, &c.s.jumps: c.jump, &c.s.cuts: c.cut,
	} {
		for range *n {
			blows = append(blows, blow)
		}
	}
	rand.Shuffle(len(blows), func(i, j int) { blows[i], blows[j] = blows[j], blows[i] })
	for range c.side() {
		if err := c.start(); err != nil {
			return err
		}
	}
	for n, blow := range blows {
		if err := c.fill(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20*time.Millisecond + rand.N(time.Second)):
		}
		if err := blow(ctx); err != nil {
			return err
		}
		if (n+1)%10 == 0 && c.s.crash != "" {
			// What is accepted a moment before the crash is accepted, too.
			if err := c.submit(ctx, 5); err != nil {
				return err
			}
			if out, err := exec.CommandContext(ctx, c.s.crash).CombinedOutput(); err != nil {
				return fmt.Errorf("crash the database: %w\n%s", err, out)
			}
			c.crashes++
		}
		if (n+1)%20 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d blows, %d runs accepted\n", n+1, len(blows), len(c.accepted))
		}
	}
	c.returning.Wait()
	return c.wait(ctx, 0)
}

// victim takes a worker out of the line at random.
func (c *conductor) victim() *process {
	i := rand.N(len(c.workers))
	p := c.workers[i]
	c.workers = slices.Delete(c.workers, i, i+1)
	return p
}

// kill ends a worker without warning and starts another one in its place.
func (c *conductor) kill(context.Context) error {
	p := c.victim()
	c.killed[p.name] = time.Now()
	p.kill()
	return c.start()
}

// stop stops a worker for longer than others wait for it. It comes back and
// believes that its runs are still its own: mostly when somebody has just taken one
// up, sometimes at a moment of its own.
func (c *conductor) stop(ctx context.Context) error {
	c.returning.Wait() // somebody has to be there to take its runs
	p := c.workers[rand.N(len(c.workers))]
	p.stopped.Store(true)
	c.stopped++
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	c.returning.Go(func() {
		defer p.stopped.Store(false)
		if c.side() > 1 && rand.N(4) > 0 {
			c.taken(ctx, p)
		} else {
			p.pause(2*time.Second + rand.N(2500*time.Millisecond))
		}
		_ = p.cmd.Process.Signal(syscall.SIGCONT) // it may have been killed just now
	})
	return nil
}

// taken waits until another worker has taken up a run of a stopped one, and a moment
// of that one's work. A database that is away meanwhile is asked again, within a limit.
func (c *conductor) taken(ctx context.Context, p *process) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var held []string
	for c.db.Pool().QueryRow(ctx, "SELECT coalesce(array_agg(id), '{}') FROM test_runs WHERE status = 'running' AND worker = $1", p.name).Scan(&held) != nil {
		if ctx.Err() != nil || p.pause(50*time.Millisecond) {
			return
		}
	}
	for lost := 0; lost == 0 && len(held) > 0; {
		err := c.db.Pool().QueryRow(ctx, "SELECT count(*) FROM test_runs WHERE id = ANY($1) AND worker <> $2", held, p.name).Scan(&lost)
		if err != nil && ctx.Err() != nil || p.pause(50*time.Millisecond) {
			return
		}
	}
	p.pause(rand.N(300 * time.Millisecond))
}

// pause lets some time go by, less if the worker ends. It reports whether it did.
func (p *process) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return false
	case <-p.done:
		return true
	}
}

// terminate tells a worker to stop and starts another one in its place.
func (c *conductor) terminate(context.Context) error {
	if err := c.end(c.victim()); err != nil {
		return err
	}
	return c.start()
}

// end tells a worker to stop and looks how long that takes.
func (c *conductor) end(p *process) error {
	wasStopped := p.stopped.Load()
	told := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); errors.Is(err, os.ErrProcessDone) {
		return nil
	} else if err != nil {
		return fmt.Errorf("end %s: %w", p.name, err)
	}
	select {
	case <-p.done:
	case <-time.After(grace + 10*time.Second):
		p.kill()
	}
	took := time.Since(told)
	c.ends = append(c.ends, took)
	if took > grace+time.Second && !wasStopped { // a busy machine may be late
		c.late = append(c.late, fmt.Sprintf("%s took %s to end, its grace is %s", p.name, took.Round(10*time.Millisecond), grace))
	}
	return nil
}

// hour is by how much the clock jumps, in milliseconds.
const hour = 3_600_000

// jump makes it look to everybody who asks the database as if the clock had
// jumped: all times that leases go by move the other way.
func (c *conductor) jump(ctx context.Context) error {
	by := int64(hour)
	if rand.N(4) == 0 {
		by = -10_000 // back: nobody falls silent for a while, and nothing more may come of it
	}
	c.jumped++
	query := "UPDATE test_runs SET heartbeat_at = heartbeat_at - $1 WHERE status = 'running'"
	if pool := c.db.Pool(); pool != nil {
		_, err := pool.Exec(ctx, query, by)
		return err
	}
	db, err := sql.Open("sqlite", "file:"+c.db.Path()+"?_pragma=busy_timeout(15000)")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, query, by)
	return err
}

// cut takes the database or the bucket away for a while. With -terms a worker is
// told to stop meanwhile, every other time: it cannot store what it has.
func (c *conductor) cut(ctx context.Context) error {
	if len(c.wires) == 0 {
		return fmt.Errorf("-cuts needs a Postgres database or a bucket")
	}
	w := c.wires[rand.N(len(c.wires))]
	c.cutOff++
	w.set(true)
	defer w.set(false)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second + rand.N(max(time.Millisecond, c.s.away-time.Second))):
	}
	if c.s.terms == 0 || rand.N(2) == 0 {
		return nil
	}
	if err := c.end(c.victim()); err != nil {
		return err
	}
	w.set(false) // a new one needs its database to begin
	return c.start()
}
