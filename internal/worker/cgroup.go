package worker

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// limits reads what this process may use of the machine, which in a container
// is less than what the machine has. Both kinds of control groups are asked,
// from the process' own group up to the root; the smallest limit counts.
type limits struct {
	proc string // "/proc"
	root string // "/sys/fs/cgroup"
}

var here = limits{"/proc", "/sys/fs/cgroup"}

// Cores is how many processors this process may keep busy. Not always a whole
// number: a container may have half of one.
func Cores() float64 {
	cores := float64(runtime.NumCPU())
	if quota, ok := here.cores(); ok {
		cores = min(cores, quota)
	}
	return cores
}

// groups are the folders of this process' groups for a controller, innermost
// first: v2 has one tree for all, v1 a tree for each.
func (l limits) groups(controller string) (v2, v1 []string) {
	data, err := os.ReadFile(filepath.Join(l.proc, "self", "cgroup"))
	if err != nil {
		return nil, nil
	}
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		names, group, ok := strings.Cut(rest, ":")
		switch {
		case !ok:
		case names == "":
			v2 = append(up(l.root, group), up(filepath.Join(l.root, "unified"), group)...)
		default:
			for name := range strings.SplitSeq(names, ",") {
				if name == controller {
					v1 = up(filepath.Join(l.root, names), group)
				}
			}
		}
	}
	return v2, v1
}

// up lists the folders of a group and of those above it. A container often sees
// its own group as the root, whatever /proc says it is called.
func up(root, group string) []string {
	var out []string
	for at := filepath.Clean("/" + group); ; at = filepath.Dir(at) {
		out = append(out, filepath.Join(root, at))
		if at == "/" {
			return out
		}
	}
}

// cores is the smallest quota of processor time, as a number of processors.
func (l limits) cores() (least float64, found bool) {
	v2, v1 := l.groups("cpu")
	note := func(quota, period int64, ok bool) {
		if n := float64(quota) / float64(max(1, period)); ok && quota > 0 && period > 0 && (!found || n < least) {
			least, found = n, true
		}
	}
	for _, dir := range v2 {
		words := strings.Fields(read(dir, "cpu.max"))
		if len(words) == 2 && words[0] != "max" {
			quota, ok := number(words[0])
			period, ok2 := number(words[1])
			note(quota, period, ok && ok2)
		}
	}
	for _, dir := range v1 {
		quota, ok := number(read(dir, "cpu.cfs_quota_us"))
		period, ok2 := number(read(dir, "cpu.cfs_period_us"))
		note(quota, period, ok && ok2)
	}
	return least, found
}

// unlimited is what v1 says, in pages, when there is no limit.
const unlimited = 1 << 60

// memory is the least that a group leaves to be used: its limit without what it
// uses already, not counting files that can be dropped from memory.
func (l limits) memory() (least uint64, found bool) {
	v2, v1 := l.groups("memory")
	look := func(dirs []string, limitName, usedName, droppable string) {
		for _, dir := range dirs {
			limit, ok := number(read(dir, limitName))
			used, ok2 := number(read(dir, usedName))
			if !ok || !ok2 || limit >= unlimited {
				continue
			}
			if left := uint64(max(0, limit-max(0, used-field(dir, droppable)))); !found || left < least {
				least, found = left, true
			}
		}
	}
	look(v2, "memory.max", "memory.current", "inactive_file")
	look(v1, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
	return least, found
}

// field reads a value of memory.stat, 0 when it is not there.
func field(dir, name string) int64 {
	for line := range strings.Lines(read(dir, "memory.stat")) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := number(strings.TrimSpace(value))
			return n
		}
	}
	return 0
}

// read is a small file without its line break, "" when it is not there.
func read(dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
