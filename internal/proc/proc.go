// Package proc reads what Linux says of processes under /proc: who is below whom,
// how much memory they have and how much time they took. Elsewhere nothing is known.
package proc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the kernel's unit of processor time in /proc, 100 a second on every
// Linux there is.
const clockTick = 10 * time.Millisecond

// Process is a process at the moment it was looked at.
type Process struct {
	PID, Parent int
	// CPU is the processor time it took so far, Waited that of the processes below it
	// that have ended, where whoever started them took note of their end.
	CPU, Waited time.Duration
	// Resident is its memory in bytes, with all of what it shares with others.
	Resident uint64
}

// Read looks at one process. ok is false when there is none.
func Read(pid int) (p Process, ok bool) {
	return read(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
}

func read(name string) (p Process, ok bool) {
	data, err := os.ReadFile(name)
	if err != nil {
		return p, false // it has ended
	}
	pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
	end := bytes.LastIndexByte(data, ')') // the program's name may hold anything
	if err != nil || end < 0 {
		return p, false
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) < 22 {
		return p, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n } // 0 when the kernel says something new
	return Process{
		PID: pid, Parent: number(1), CPU: time.Duration(number(11)+number(12)) * clockTick, Waited: time.Duration(number(13)+number(14)) * clockTick,
		Resident: uint64(max(0, number(21))) * uint64(os.Getpagesize()),
	}, true
}

// Below are the processes that descend from one, without itself. ok is false where
// there is no /proc.
func Below(pid int) (below []Process, ok bool) {
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(names) == 0 {
		return nil, false
	}
	children := map[int][]Process{}
	for _, name := range names {
		if p, ok := read(name); ok {
			children[p.Parent] = append(children[p.Parent], p)
		}
	}
	// A number may have gone to another process while they were read, so that one
	// seems to be below itself: the children of each are taken once.
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			below = append(below, p)
			next = append(next, p.PID)
		}
		delete(children, next[0])
	}
	return below, true
}

// Spent is the processor time that a process and all below it took so far, those that
// have ended included. ok is false where nobody says.
func Spent(pid int) (spent time.Duration, ok bool) {
	p, ok := Read(pid)
	if !ok {
		return 0, false
	}
	below, _ := Below(pid)
	for _, p := range append(below, p) {
		spent += p.CPU + p.Waited
	}
	return spent, true
}

// Footprint is the memory of a process and of those below it in bytes. What they
// share counts once. It is 0 for 0, when there is no such process, and where nobody says.
func Footprint(pid int) uint64 {
	if pid <= 0 {
		return 0 // the kernel's own, above all others
	}
	sum := share(pid)
	below, _ := Below(pid)
	for _, p := range below {
		sum += share(p.PID)
	}
	return sum
}

// Highest looks at the footprint at intervals until ctx ends, and returns the highest.
func Highest(ctx context.Context, pid int, every time.Duration) uint64 {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for most := uint64(0); ; most = max(most, Footprint(pid)) {
		select {
		case <-ctx.Done():
			return most
		case <-tick.C:
		}
	}
}

// Peak is the most memory that a process itself has ever had, in bytes.
func Peak(pid int) (bytes uint64, ok bool) { return kilobytes(pid, "status", "VmHWM:") }

// share is the proportional set size of a process.
func share(pid int) uint64 {
	bytes, _ := kilobytes(pid, "smaps_rollup", "Pss:") // none when it has ended
	return bytes
}

// kilobytes is the value of a line "name:   123 kB" in a file about a process.
func kilobytes(pid int, file, name string) (bytes uint64, ok bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == name {
			n, err := strconv.ParseUint(fields[1], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}
