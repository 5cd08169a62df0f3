package limits

import (
	"math"
	"runtime/debug"
)

// What the collector aims for. Some 45 MB are pages of the program itself, and
// what is in use for a moment comes on top.
const (
	heap = 72 << 20
	// perRun is added for each run at a time above the first four: pictures.
	perRun = 12 << 20
)

// KeepHeap makes the collector work harder when this process, which plays so
// many runs at a time, comes near 150 MB, as it does when pages flood it. Left
// to itself the heap would grow to twice what is in use at the worst moment.
// A limit that the environment has set (GOMEMLIMIT) stays.
func KeepHeap(runs int) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	debug.SetMemoryLimit(heap + int64(max(0, runs-4))*perRun)
}
