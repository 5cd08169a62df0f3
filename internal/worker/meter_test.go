package worker

import (
	"os/exec"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/limits"
)

// machine is a computer whose figures are made up.
type machine struct {
	memory uint64
	cpu    time.Duration
	free   uint64
	now    time.Time
}

func (m *machine) meter(cores float64) *Meter {
	meter := NewMeter()
	meter.usage = func() (uint64, time.Duration, bool) { return m.memory, m.cpu, true }
	meter.available = func() (uint64, bool) { return m.free, true }
	meter.now = func() time.Time { return m.now }
	meter.cores = cores
	return meter
}

func TestAdmission(t *testing.T) {
	const gb = 1 << 30
	tests := []struct {
		name   string
		cores  float64
		active int
		// What one run turns out to use.
		memory uint64
		load   float64
		free   uint64
		want   bool
	}{
		{"the first one always", 1, 0, 0, 0, 0, true},
		{"room for a second", 2, 1, gb / 2, 0.8, 8 * gb, true},
		{"cores are taken", 2, 2, gb / 2, 1.2, 8 * gb, false},
		{"light games share cores", 2, 3, gb / 2, 0.4, 8 * gb, true},
		{"memory is short", 8, 2, 3 * gb, 0.5, 3 * gb, false},
		{"memory is there", 8, 2, 3 * gb, 0.5, 4 * gb, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &machine{free: tt.free, now: time.Unix(0, 0)}
			meter := m.meter(tt.cores)
			for range tt.active {
				meter.run()
			}
			for range 30 { // until the average has settled
				m.now = m.now.Add(sampling)
				m.memory = tt.memory * uint64(tt.active)
				m.cpu += time.Duration(float64(tt.active) * tt.load * float64(sampling))
				meter.sample()
			}
			if got := meter.Admit(); got != tt.want {
				memory, cores := meter.Cost()
				t.Errorf("admitted: %v; a run is measured to take %d MB and %.2f cores", got, memory>>20, cores)
			}
		})
	}
}

// Browsers that end take their processor time with them; that is no negative cost.
func TestMeterSurvivesEndingBrowsers(t *testing.T) {
	m := &machine{now: time.Unix(0, 0), cpu: time.Minute, memory: 1 << 30}
	meter := m.meter(2)
	defer meter.run()()
	for _, cpu := range []time.Duration{time.Minute, 0, time.Second} {
		m.now, m.cpu = m.now.Add(sampling), cpu
		meter.sample()
	}
	if _, cores := meter.Cost(); cores < 0 || cores > 2 {
		t.Errorf("a run is measured to take %.2f cores", cores)
	}
}

func TestDescendants(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	memory, _, ok := descendants()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if !ok {
		t.Skip("there is no /proc here")
	}
	if memory == 0 {
		t.Error("a child process takes no memory")
	}
	if free, ok := limits.AvailableMemory(); !ok || free == 0 {
		t.Errorf("available memory %d, %v", free, ok)
	}
}
