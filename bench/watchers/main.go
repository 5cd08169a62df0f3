// Command watchers measures what watching costs a run: the same game is played with nobody
// watching and with many, some of whom never read what they are sent.
//
//	watchers -playtest bin/playtest                            200 clients, 50 of them stalled
//	watchers -playtest bin/playtest -clients 20 -stalled 0     others
//	watchers -playtest bin/playtest -apart                     they watch at a server of their own
//
// Runs with and without them take turns, and each watched run is compared with the one beside
// it, so that a machine that becomes slower or faster meanwhile counts for both. It prints how
// much longer watched runs take and between which bounds that lies in 19 of 20 cases.
//
// Apart, one process plays and another, over the same database, is watched. Then it also
// compares the processor time of the run's own processes, worker and browser: that is not
// changed by what else the machine does, and what serving the clients takes is not in it. The
// other server and the clients take only what the run leaves of the machine, since they would
// be on others.
//
// It exits with 1 when somebody who read missed a transition of the run, or when watched runs
// take more than 5 % longer; with 2 when the bounds do not tell, because the machine does other
// things too. Unless they are apart, the clients share the machine with the run, which counts
// against them. make watchers runs it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/bench/served"
	"github.com/playtest-dev/playtest/internal/proc"
	"github.com/playtest-dev/playtest/record"
)

// most is how much longer watched runs may take.
const most = 0.05

func main() {
	b := bench{}
	program := flag.String("playtest", "bin/playtest", "the program whose serve is started")
	game := flag.String("game", "noughts", "a bundled game")
	flag.IntVar(&b.clients, "clients", 200, "how many watch")
	flag.IntVar(&b.stalled, "stalled", 50, "how many of them never read")
	flag.BoolVar(&b.apart, "apart", false, "they watch at another server than the one that plays")
	flag.BoolVar(&b.pictures, "pictures", true, "they want pictures, as the dashboard does")
	rounds := flag.Int("rounds", 9, "how often the game is played without and with them, at least 6")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx, *program, *game, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		stop()
		if errors.Is(err, errNoise) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// errNoise: what was measured says neither.
var errNoise = errors.New("the machine is too busy to tell: try again when it does nothing else, or with more -rounds")

type bench struct {
	// api is that of the server that is watched; player is the process that plays.
	api              served.API
	player           int
	clients, stalled int
	pictures, apart  bool
}

// start starts what plays and what is watched: one server, or two over one database.
func (b *bench) start(ctx context.Context, program string) (game served.API, done func(), err error) {
	if !b.apart {
		s, err := served.Launch(ctx, program)
		if err != nil {
			return "", nil, err
		}
		b.api, b.player = served.API(s.Addr), s.PID
		return b.api, s.Done, nil
	}
	dir, err := os.MkdirTemp("", "watchers")
	if err != nil {
		return "", nil, err
	}
	gone := func() { _ = os.RemoveAll(dir) } // a folder of temporary files
	both := []string{"--db", filepath.Join(dir, "runs.db"), "--evidence", filepath.Join(dir, "evidence")}
	player, err := served.Launch(ctx, program, both...)
	if err != nil {
		gone()
		return "", nil, err
	}
	var watched *served.Server
	if err = yield(); err == nil {
		watched, err = served.Launch(ctx, program, append(both, "--no-worker")...)
	}
	if err != nil {
		player.Done()
		gone()
		return "", nil, err
	}
	b.api, b.player = served.API(watched.Addr), player.PID
	return served.API(player.Addr), func() {
		watched.Done()
		player.Done()
		gone()
	}, nil
}

// yield gives this process, and those that it starts from here on, only what others leave.
func yield() error {
	const last = 19 // the lowest priority that there is
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("lower the priority of the clients: %w", err)
	}
	for _, t := range tasks {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return fmt.Errorf("lower the priority of the clients: %w", err)
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, last); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("lower the priority of the clients: %w", err)
		}
	}
	return nil
}

func (b *bench) run(ctx context.Context, program, game string, rounds int) error {
	if b.stalled > b.clients || rounds < leastRounds {
		return fmt.Errorf("there must be %d rounds, and no more stalled clients than clients", leastRounds)
	}
	games, done, err := b.start(ctx, program)
	if err != nil {
		return err
	}
	defer done()
	url, err := games.Bundled(ctx, game)
	if err != nil {
		return err
	}
	if _, err := b.play(ctx, url, false); err != nil { // the browser starts
		return err
	}
	var alone, watched []cost
	for i := range rounds {
		// Each goes first in every other round: a machine may become slower or faster.
		for _, w := range []bool{i%2 == 1, i%2 == 0} {
			c, err := b.play(ctx, url, w)
			if err != nil {
				return err
			}
			if w {
				watched = append(watched, c)
			} else {
				alone = append(alone, c)
			}
		}
	}
	who := fmt.Sprintf("%s with %d watching, %d of them stalled", game, b.clients, b.stalled)
	if b.apart {
		of := func(c cost) float64 { return c.processor.Seconds() }
		fmt.Printf("%s with nobody watching, processor time: %s\n%s, processor time: %s\n", game, times(alone, of), who, times(watched, of))
		more, low, high := compared(alone, watched, of)
		fmt.Printf("a watched run takes %+.1f %% more processor time than the one beside it, between %+.1f and %+.1f %%\n", 100*more, 100*low, 100*high)
	}
	of := func(c cost) float64 { return c.took.Seconds() }
	fmt.Printf("%s with nobody watching: %s\n%s: %s\n", game, times(alone, of), who, times(watched, of))
	longer, low, high := compared(alone, watched, of)
	fmt.Printf("a watched run takes %+.1f %% longer than the one beside it, between %+.1f and %+.1f %%\n", 100*longer, 100*low, 100*high)
	switch {
	case low > most:
		return fmt.Errorf("watched runs take longer by more than %.0f %%", 100*most)
	case high > most:
		return errNoise
	}
	return nil
}

// cost is what a run took.
type cost struct {
	took time.Duration
	// processor is what the process that plays and the browsers below it took meanwhile.
	processor time.Duration
}

// compared is by which part watched runs cost more than those beside them, and between
// which bounds that lies.
func compared(alone, watched []cost, of func(cost) float64) (more, low, high float64) {
	parts := make([]float64, len(alone))
	for i := range parts {
		parts[i] = of(watched[i])/of(alone[i]) - 1
	}
	low, high = bounds(parts)
	return median(parts), low, high
}

// leastRounds is how many it takes for bounds to have a meaning.
const leastRounds = 6

// bounds are those between which the median of what was sampled lies in 19 of 20 cases,
// whatever it is made of: each sample is above the median or below it like a coin.
func bounds(samples []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	// At most k samples are below the median with the chance tail.
	k, tail := 0, math.Pow(0.5, float64(n))
	for term := tail; ; k++ {
		term *= float64(n-k) / float64(k+1)
		if tail+term > 0.025 {
			break
		}
		tail += term
	}
	return sorted[k], sorted[n-1-k]
}

func times(costs []cost, of func(cost) float64) string {
	var seconds []float64
	for _, c := range costs {
		seconds = append(seconds, of(c))
	}
	return fmt.Sprintf("median %.2f s, fastest %.2f s of %.2f", median(seconds), slices.Min(seconds), seconds)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// runLimit bounds one run.
const runLimit = 3 * time.Minute

// play plays the game once and returns what that took, the time by the server's word.
func (b *bench) play(ctx context.Context, url string, watched bool) (c cost, err error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	before, known := proc.Spent(b.player)
	if b.apart && !known {
		return c, errors.New("nobody says here what processor time a process took")
	}
	var submitted struct{ ID string }
	if err := b.api.Post(ctx, "/api/runs", map[string]any{"url": url, "noMemory": true}, &submitted); err != nil {
		return c, err
	}
	var heard []*story
	var wait sync.WaitGroup
	if watched {
		for i := range b.clients {
			if i < b.stalled {
				conn, err := b.stall(ctx, submitted.ID)
				if err != nil {
					return c, err
				}
				defer conn.Close()
				continue
			}
			s := &story{}
			heard = append(heard, s)
			wait.Go(func() { s.err = b.follow(ctx, submitted.ID, s) })
		}
	}
	began, ended, err := b.end(ctx, submitted.ID)
	if err != nil {
		return c, err
	}
	after, _ := proc.Spent(b.player)
	wait.Wait()
	return cost{ended.Sub(began), after - before}, b.compare(ctx, submitted.ID, heard)
}

// end waits for the end of a run.
func (b *bench) end(ctx context.Context, id string) (began, ended time.Time, err error) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		var run struct {
			Status            string
			Verdict           record.Verdict
			Started, Finished time.Time
		}
		if err := b.api.Get(ctx, "/api/runs/"+id, &run); err != nil {
			return began, ended, err
		}
		switch {
		case run.Status == "queued" || run.Status == "running":
		case run.Verdict != record.Pass:
			return began, ended, fmt.Errorf("the run ended as %s %s", run.Status, run.Verdict)
		default:
			return run.Started, run.Finished, nil
		}
		select {
		case <-ctx.Done():
			return began, ended, ctx.Err()
		case <-tick.C:
		}
	}
}

// story is what a client heard.
type story struct {
	events   map[int64]bool
	pictures int
	err      error
}

func (b *bench) path(id string) string {
	if b.pictures {
		return "/api/runs/" + id + "/live?pictures=1"
	}
	return "/api/runs/" + id + "/live"
}

type event struct {
	ID   int64
	Kind string
}

// follow listens until the run has ended.
func (b *bench) follow(ctx context.Context, id string, s *story) error {
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(string(b.api), "http")+b.path(id), nil)
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(4 << 20)
	s.events = map[int64]bool{}
	for {
		data, picture, err := next(ctx, conn)
		if err != nil {
			return err
		}
		if picture {
			s.pictures++
			continue
		}
		var m struct {
			Type   string
			Run    *struct{ Status string }
			Events []event
			Event  *event
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		if m.Event != nil {
			m.Events = append(m.Events, *m.Event)
		}
		for _, e := range m.Events {
			s.events[e.ID] = true
		}
		if m.Run != nil && m.Run.Status != "queued" && m.Run.Status != "running" {
			return nil
		}
	}
}

// next reads a message. Of a picture it keeps nothing: what clients do with theirs is not
// to be measured.
func next(ctx context.Context, conn *websocket.Conn) (data []byte, picture bool, err error) {
	_, r, err := conn.Reader(ctx)
	if err != nil {
		return nil, false, err
	}
	const begins = `{"type":"picture"`
	head := make([]byte, len(begins))
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, false, err
	}
	if string(head) == begins {
		_, err = io.Copy(io.Discard, r)
		return nil, true, err
	}
	rest, err := io.ReadAll(r)
	return append(head, rest...), false, err
}

// stall opens a live connection and never reads from it.
func (b *bench) stall(ctx context.Context, id string) (net.Conn, error) {
	host := strings.TrimPrefix(string(b.api), "http://")
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = tcp.SetReadBuffer(4 << 10)
	}
	if err == nil {
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", b.path(id), host)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// compare holds what was heard against what was told. Chatter may be left out.
func (b *bench) compare(ctx context.Context, id string, heard []*story) error {
	var told struct{ Events []event }
	if err := b.api.Get(ctx, "/api/runs/"+id+"/events?limit=1000", &told); err != nil {
		return err
	}
	transitions, pictures := 0, 0
	for _, e := range told.Events {
		if (record.Event{Kind: e.Kind}).Chatter() {
			continue
		}
		transitions++
		for i, s := range heard {
			if s.err != nil {
				return fmt.Errorf("client %d: %w", i, s.err)
			}
			if !s.events[e.ID] {
				return fmt.Errorf("client %d did not hear of %s, event %d", i, e.Kind, e.ID)
			}
		}
	}
	for _, s := range heard {
		pictures += s.pictures
	}
	if n := len(heard); n > 0 {
		fmt.Printf("%d clients heard all of %d transitions, and saw %.1f pictures each\n", n, transitions, float64(pictures)/float64(n))
	}
	return nil
}
