// Command lists fills a database with runs and times what the dashboard asks of
// it most.
//
//	lists                            100,000 runs in a SQLite file
//	lists -db postgres://...         the same in Postgres
//
// It prints Markdown, and exits with 1 when the median of a list is over 100
// milliseconds. make lists runs both.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
)

func main() {
	runs := flag.Int("runs", 100_000, "how many runs are stored")
	db := flag.String("db", "", "Postgres address; a SQLite file in a temporary folder when empty")
	times := flag.Int("times", 30, "how often each list is asked for")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	slow, err := measure(ctx, *db, *runs, *times)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if slow || err != nil {
		stop()
		os.Exit(1)
	}
}

const limit = 100 * time.Millisecond

func measure(ctx context.Context, address string, runs, times int) (slow bool, err error) {
	dir, err := os.MkdirTemp("", "lists")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	kind := "Postgres"
	if address == "" {
		kind, address = "SQLite", filepath.Join(dir, "runs.db")
	}
	db, err := store.Open(ctx, address)
	if err != nil {
		return false, err
	}
	defer db.Close()
	q, err := queue.Open(ctx, db, nil)
	if err != nil {
		return false, err
	}
	kept, err := evidence.OpenFolder(filepath.Join(dir, "evidence"))
	if err != nil {
		return false, err
	}
	defer kept.Close()
	began := time.Now()
	if err := fill(ctx, db, address, runs); err != nil {
		return false, err
	}
	fmt.Printf("%s: %d runs stored in %.0f s\n\n| list | median | slowest |\n| --- | ---: | ---: |\n", kind, runs, time.Since(began).Seconds())
	s, err := server.New(q, kept, &server.Options{Open: true})
	if err != nil {
		return false, err
	}
	defer s.Close()
	for _, l := range []struct{ name, path string }{
		{"the newest 50", "/api/runs"},
		{"with the scores before", "/api/runs?history=1"},
		{"in the middle", fmt.Sprintf("/api/runs?cursor=%d", runs/2)},
		{"broken ones", "/api/runs?verdict=fail"},
		{"parked ones, of which there are none", "/api/runs?status=parked"},
		{"a host", "/api/runs?host=games-7.example"},
		{"a search that finds", "/api/runs?search=games-7"},
		{"a search that finds nothing", "/api/runs?search=nothing-like-it"},
		{"games", "/api/games"},
		{"the history of a game", "/api/games/history?url=http%3A%2F%2Fgames-7.example%2F3%2F"},
	} {
		median, worst, err := ask(ctx, s.Handler(), l.path, times)
		if err != nil {
			return false, fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Printf("| %s | %.1f ms | %.1f ms |\n", l.name, ms(median), ms(worst))
		slow = slow || median > limit
	}
	return slow, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ask(ctx context.Context, h http.Handler, path string, times int) (median, worst time.Duration, err error) {
	var took []time.Duration
	for range times {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
		if err != nil {
			return 0, 0, err
		}
		w := httptest.NewRecorder()
		began := time.Now()
		h.ServeHTTP(w, req)
		took = append(took, time.Since(began))
		if w.Code != http.StatusOK {
			return 0, 0, fmt.Errorf("%d %s", w.Code, w.Body)
		}
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)-1], nil
}
