package pool

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory is what a process and those below it use, in bytes. What they share
// counts once. It is 0 for a process that is not ours, and where there is no
// /proc to ask.
func memory(pid int) uint64 {
	if pid <= 0 {
		return 0
	}
	sum := ofOne(pid)
	// Each thread has its own children.
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // none when it has just ended
	for _, t := range threads {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for child := range strings.FieldsSeq(string(list)) {
			if n, err := strconv.Atoi(child); err == nil {
				sum += memory(n)
			}
		}
	}
	return sum
}

// ofOne is the proportional share of one process.
func ofOne(pid int) uint64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(data) {
		rest, found := bytes.CutPrefix(line, []byte("Pss:"))
		if !found {
			continue
		}
		kb, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(rest)), "kB")), 10, 64)
		return kb << 10
	}
	return 0
}
