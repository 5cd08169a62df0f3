package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the kernel's unit of processor time in /proc, 100 a second on every
// Linux there is.
const clockTick = 10 * time.Millisecond

// descendants sums up memory and processor time of the processes below this
// one. ok is false where there is no /proc.
func descendants() (memory uint64, cpu time.Duration, ok bool) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return 0, 0, false
	}
	type process struct {
		parent int
		memory uint64
		cpu    time.Duration
	}
	all := map[int]process{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		// The name of the program, in parentheses, may hold anything.
		end := bytes.LastIndexByte(data, ')')
		if err != nil || end < 0 {
			continue
		}
		fields := strings.Fields(string(data[end+1:]))
		if len(fields) < 22 {
			continue
		}
		number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n } // 0 when the kernel says something new
		all[pid] = process{
			parent: number(1), cpu: time.Duration(number(11)+number(12)) * clockTick,
			memory: uint64(max(0, number(21))) * uint64(os.Getpagesize()),
		}
	}
	self := os.Getpid()
	for pid := range all {
		for at, hops := pid, 0; hops < 64; hops++ {
			p, known := all[at]
			if !known {
				break
			}
			if p.parent == self {
				memory += all[pid].memory
				cpu += all[pid].cpu
				break
			}
			at = p.parent
		}
	}
	return memory, cpu, true
}
