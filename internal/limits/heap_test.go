package limits

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestKeepHeap(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	KeepHeap(2)
	if got := debug.SetMemoryLimit(-1); got != heap {
		t.Errorf("two runs: %d MB", got>>20)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	KeepHeap(8)
	if got := debug.SetMemoryLimit(-1); got != heap+4*perRun {
		t.Errorf("eight runs: %d MB", got>>20)
	}
	// Somebody has decided.
	debug.SetMemoryLimit(77 << 20)
	KeepHeap(2)
	if got := debug.SetMemoryLimit(-1); got != 77<<20 {
		t.Errorf("a limit that was there became %d MB", got>>20)
	}
}
