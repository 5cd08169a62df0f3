package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/proc"
)

// sample is what the process and its browsers hold at a moment.
type sample struct {
	processes, threads, descriptors, goroutines, files float64
	memory                                             float64 // of this process, MB
	below                                              float64 // of the processes below it, MB
	seconds                                            float64 // that the run took
}

// measures are what must not grow, by how much it may, and what is noise.
var measures = []struct {
	name   string
	of     func(sample) float64
	factor float64
	slack  float64
}{
	{"processes below", func(s sample) float64 { return s.processes }, 1.1, 4},
	{"threads", func(s sample) float64 { return s.threads }, 1.2, 8},
	{"descriptors", func(s sample) float64 { return s.descriptors }, 1.1, 8},
	{"goroutines", func(s sample) float64 { return s.goroutines }, 1.1, 20},
	{"memory, MB", func(s sample) float64 { return s.memory }, 1.2, 30},
	{"memory of browsers, MB", func(s sample) float64 { return s.below }, 1.3, 100},
	{"temporary files", func(s sample) float64 { return s.files }, 1.1, 40},
	{"seconds a run", func(s sample) float64 { return s.seconds }, 1.25, 3},
}

func (b *bench) sample(took time.Duration) sample {
	s := sample{goroutines: float64(runtime.NumGoroutine()), seconds: took.Seconds()}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.descriptors = float64(len(entries))
	}
	if entries, err := os.ReadDir("/proc/self/task"); err == nil {
		s.threads = float64(len(entries))
	}
	self, _ := proc.Read(os.Getpid())
	below, _ := proc.Below(os.Getpid())
	s.memory, s.processes = megabytes(self.Resident), float64(len(below))
	for _, p := range below {
		s.below += megabytes(p.Resident)
	}
	_ = filepath.WalkDir(b.temp, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.files++
		}
		return nil // what goes away meanwhile is not there
	})
	return s
}

// printSamples compares the first quarter, after one round of all games, with
// the last, and says what has grown. Both are whole rounds: games differ.
func (b *bench) printSamples() (grown []string) {
	n, round := len(b.samples), len(mix)
	size := n / 4 / round * round
	if size == 0 {
		return []string{fmt.Sprintf("%d runs are too few to compare: %d are enough", n, 4*round)}
	}
	early, late := b.samples[round:round+size], b.samples[n-size:]
	fmt.Printf("| | first quarter | last quarter |\n| --- | --- | --- |\n")
	for _, m := range measures {
		before, after := middle(early, m.of), middle(late, m.of)
		fmt.Printf("| %s | %.0f | %.0f |\n", m.name, before, after)
		if after > m.factor*before+m.slack {
			grown = append(grown, fmt.Sprintf("%s grew from %.0f to %.0f", m.name, before, after))
		}
	}
	return grown
}

// held are what nothing that has ended may still hold. Chromium keeps a varying
// number of helpers, and the runtime a few goroutines and threads of its own.
var held = []struct {
	name  string
	of    func(sample) float64
	slack float64
}{
	{"processes below", func(s sample) float64 { return s.processes }, 4},
	{"threads", func(s sample) float64 { return s.threads }, 6},
	{"descriptors", func(s sample) float64 { return s.descriptors }, 4},
	{"goroutines", func(s sample) float64 { return s.goroutines }, 2},
	{"memory, MB", func(s sample) float64 { return s.memory }, 25},
	{"temporary files", func(s sample) float64 { return s.files }, 30},
}

// printRests compares what was held after the first round with what was held
// after the last, and says what has grown.
func (b *bench) printRests() (grown []string) {
	if len(b.rests) < 2 {
		return []string{"one round is too short to compare"}
	}
	first, last := b.rests[0], b.rests[len(b.rests)-1]
	fmt.Printf("\n| at rest | after the first round | after round %d |\n| --- | --- | --- |\n", len(b.rests))
	for _, h := range held {
		before, after := h.of(first), h.of(last)
		fmt.Printf("| %s | %.0f | %.0f |\n", h.name, before, after)
		if after > before+h.slack {
			grown = append(grown, fmt.Sprintf("at rest %s grew from %.0f to %.0f", h.name, before, after))
			if h.name == "goroutines" {
				os.Stderr.WriteString(b.stacks)
			}
		}
	}
	return grown
}

func megabytes(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

func middle(samples []sample, of func(sample) float64) float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
