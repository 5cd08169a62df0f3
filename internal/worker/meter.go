package worker

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/limits"
	"github.com/playtest-dev/playtest/internal/proc"
)

// What a run is taken to cost until one has been measured: a Chromium with one
// page of a small game.
const (
	guessedMemory = 600 << 20
	guessedCores  = 0.8
	// reserve is memory that is left to others.
	reserve = 512 << 20
	// weight of the newest run in the moving averages.
	weight = 0.3
	// sampling is how often running browsers are looked at.
	sampling = 2 * time.Second
	// crowded is how much of the cores may be spoken for: runs wait a good part
	// of their time.
	crowded = 1.25
)

// Meter measures what runs cost this machine, and says whether there is room
// for another one. Safe for use by many goroutines.
type Meter struct {
	usage     func() (memory uint64, cpu time.Duration, ok bool) // of the processes below this one
	available func() (uint64, bool)                              // memory that can be had
	cores     float64
	now       func() time.Time

	mu     sync.Mutex
	active int
	// Moving averages of one run.
	memory float64
	load   float64
	// Since the last sample.
	sampled time.Time
	cpu     time.Duration
}

// NewMeter measures this machine. Watch must run for it to learn.
func NewMeter() *Meter {
	return &Meter{usage: descendants, available: limits.AvailableMemory, cores: limits.Cores(), now: time.Now, memory: guessedMemory, load: guessedCores}
}

// descendants sums up memory and processor time of the processes below this one.
// ok is false where nobody says.
func descendants() (memory uint64, cpu time.Duration, ok bool) {
	below, ok := proc.Below(os.Getpid())
	for _, p := range below {
		memory += p.Resident
		cpu += p.CPU
	}
	return memory, cpu, ok
}

// Watch looks at the running browsers until ctx ends.
func (m *Meter) Watch(ctx context.Context) {
	tick := time.NewTicker(sampling)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.sample()
		}
	}
}

// sample shares what the browsers use among the runs under way.
func (m *Meter) sample() {
	memory, cpu, ok := m.usage()
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	since := now.Sub(m.sampled)
	spent := cpu - m.cpu
	m.sampled, m.cpu = now, cpu
	// Browsers that ended took their account with them.
	if !ok || m.active == 0 || since <= 0 || since > 10*sampling || spent < 0 {
		return
	}
	n := float64(m.active)
	m.memory += weight * (float64(memory)/n - m.memory)
	m.load += weight * (spent.Seconds()/since.Seconds()/n - m.load)
}

// run counts a run until the returned function is called.
func (m *Meter) run() func() {
	m.mu.Lock()
	m.active++
	m.mu.Unlock()
	return func() {
		m.mu.Lock()
		m.active--
		m.mu.Unlock()
	}
}

// Cost is what one run takes, on average: bytes of memory, and cores.
func (m *Meter) Cost() (memory uint64, cores float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return uint64(m.memory), m.load
}

// Admit reports whether the machine has room for another run. One run at a
// time is always admitted: it has to be played somewhere.
func (m *Meter) Admit() bool {
	free, known := m.available()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active == 0 {
		return true
	}
	if known && float64(free) < m.memory+reserve {
		return false
	}
	return float64(m.active+1)*m.load <= crowded*m.cores
}
