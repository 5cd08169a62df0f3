package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/internal/hostile"
	"github.com/playtest-dev/playtest/internal/limits"
	"github.com/playtest-dev/playtest/internal/proc"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

const (
	// mostMemory is what this process may take at its highest, whatever pages do.
	mostMemory = 150 << 20
	// between is after how many hostile pages a game of the mix is played.
	between = 4
)

// serveHostile serves the hostile pages until its standard input ends. It is a
// process of its own: what their server takes is not what we take.
func serveHostile() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", l.Addr())
	server := &http.Server{Handler: hostile.Handler(), ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// startHostile starts the server of the hostile pages; stop ends it.
func startHostile(ctx context.Context) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server of the hostile pages: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// playHostile plays the hostile pages beside the games of the mix, behind
// proxies as a worker does, and says what went wrong.
func playHostile(ctx context.Context, only string, limit time.Duration, at int) error {
	b, err := newBench(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	address, stop, err := startHostile(ctx)
	if err != nil {
		return err
	}
	defer stop()
	pages := map[string]hostile.Page{}
	games := 0
	for _, p := range hostile.Pages {
		if only != "" && !slices.Contains(strings.Split(only, ","), strings.TrimSuffix(strings.TrimSuffix(p.Path, "/"), ".html")) {
			continue
		}
		if len(pages)%between == 0 {
			if err := b.submit(ctx, games, 3*time.Minute); err != nil {
				return err
			}
			games++
		}
		accepted, err := b.q.Submit(ctx, store.Submission{Target: record.Target{URL: address + p.Path, Seed: 1, MaxDuration: limit}})
		if err != nil {
			return err
		}
		pages[accepted[0].ID] = p
	}
	b.browsers = pool.New(&pool.Options{Browsers: (at + 3) / 4, PerBrowser: 4, Launch: func(ctx context.Context) (*browser.Browser, error) {
		return browser.Launch(ctx, &browser.LaunchOptions{Proxied: true, StillImages: true})
	}})
	defer b.browsers.Close()
	w := worker.New(b.browsers, b.kept, &worker.Options{Version: record.Version})
	limits.KeepHeap(at)
	began := time.Now()
	if err := b.q.Work(ctx, proxied(w.Play), &queue.WorkOptions{Slots: at, Idle: true}); err != nil {
		return err
	}
	wrong, err := b.printHostile(context.WithoutCancel(ctx), pages) // also what was played before somebody interrupted it
	if err != nil {
		return err
	}
	peak, known := proc.Peak(os.Getpid())
	fmt.Printf("\n%d hostile pages beside %d games, %d at a time, %s; %d browsers crashed; most memory of this process %d MB\n",
		len(pages), games, at, time.Since(began).Round(time.Second), b.browsers.Stats().Crashed, peak>>20)
	if known && peak > mostMemory {
		wrong = append(wrong, fmt.Sprintf("this process took %d MB", peak>>20))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// proxied lets each run reach the server of its game and nothing else that is
// not public.
func proxied(play queue.Player) queue.Player {
	return func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		policy, err := egress.ForTarget(ctx, h.Target.URL, nil)
		if err != nil {
			return nil, nil, err
		}
		proxy, err := egress.Listen(policy, nil)
		if err != nil {
			return nil, nil, err
		}
		defer proxy.Close()
		began := time.Now()
		rec, rep, err := play(browser.WithProxy(ctx, proxy), h)
		peak, _ := proc.Peak(os.Getpid())
		fmt.Fprintf(os.Stderr, "%s: attempt %d took %.0f s, most memory so far %d MB\n", h.Target.URL, h.Run.Attempts, time.Since(began).Seconds(), peak>>20)
		return rec, rep, err
	}
}

// printHostile prints how every run ended, and says which did not end as it
// should: a game with another verdict than alone or with more than one attempt,
// a hostile page with a wrong one or without a reason.
func (b *bench) printHostile(ctx context.Context, pages map[string]hostile.Page) (wrong []string, err error) {
	runs, err := b.db.List(ctx, &store.ListOptions{Limit: len(pages) + len(b.want)})
	if err != nil {
		return nil, err
	}
	if len(runs) != len(pages)+len(b.want) {
		wrong = append(wrong, fmt.Sprintf("%d of %d runs are stored", len(runs), len(pages)+len(b.want)))
	}
	slices.SortFunc(runs, func(x, y store.Run) int { return int(x.Seq - y.Seq) })
	fmt.Printf("| page | ended | attempts | seconds | why |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range runs {
		name, ended := r.URL[strings.LastIndex(strings.TrimSuffix(r.URL, "/"), "/")+1:], string(r.Status)
		if r.Verdict != "" {
			ended = string(r.Verdict)
		}
		if p, ok := pages[r.ID]; ok {
			name = p.Path
			switch {
			case !r.Status.Ended():
				wrong = append(wrong, fmt.Sprintf("%s: %s", p.Path, r.Status))
			case r.Verdict != "" && r.Verdict == p.Never:
				wrong = append(wrong, fmt.Sprintf("%s: %s", p.Path, r.Verdict))
			case r.Summary == "" && r.Error == "":
				wrong = append(wrong, fmt.Sprintf("%s: %s without a reason", p.Path, ended))
			}
		} else if want := b.want[r.ID]; r.Verdict != want || r.Attempts != 1 {
			wrong = append(wrong, fmt.Sprintf("game %s: %s after %d attempts, want %s after one", r.URL, ended, r.Attempts, want))
		}
		fmt.Printf("| %s | %s | %d | %.0f | %s |\n", name, ended, r.Attempts, max(0, r.Finished.Sub(r.Started).Seconds()), cell(r.Summary+r.Error))
	}
	return wrong, nil
}

// cell makes a text fit into a table.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == '|' {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 120 {
		text = string(runes[:120]) + "…"
	}
	return text
}
