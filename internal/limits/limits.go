// Package limits tells how much of the machine is ours: the cores and the memory
// that a container was given, which are often less than the machine has.
package limits

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// root is where the kernel's files are, "/" but in tests.
type root string

// Cores is how many cores this process may use, a fraction where a container
// was given one.
func Cores() float64 { return root("/").cores(runtime.NumCPU()) }

// AvailableMemory is how many bytes can be had without swapping and without
// meeting the container's limit. ok is false where the system does not say.
func AvailableMemory() (bytes uint64, ok bool) { return root("/").available() }

func (r root) cores(machine int) float64 {
	least := float64(machine)
	for _, dir := range r.groups("cpu") {
		// Version 2 has "max 100000" or "150000 100000", version 1 two files.
		quota, period, _ := strings.Cut(r.read(dir, "cpu.max"), " ")
		if quota == "" {
			quota, period = r.read(dir, "cpu.cfs_quota_us"), r.read(dir, "cpu.cfs_period_us")
		}
		q, err1 := strconv.ParseFloat(quota, 64)
		p, err2 := strconv.ParseFloat(period, 64)
		if err1 == nil && err2 == nil && q > 0 && p > 0 {
			least = min(least, q/p)
		}
	}
	return least
}

func (r root) available() (uint64, bool) {
	free, known := r.machineMemory()
	for _, dir := range r.groups("memory") {
		left, ok := r.groupMemory(dir)
		if ok && (!known || left < free) {
			free, known = left, true
		}
	}
	return free, known
}

// machineMemory is what the kernel thinks the whole machine can give.
func (r root) machineMemory() (uint64, bool) {
	data, err := os.ReadFile(filepath.Join(string(r), "proc/meminfo"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		if rest, found := strings.CutPrefix(line, "MemAvailable:"); found {
			n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// groupMemory is what a control group has left. Pages of files that nobody
// touched lately are counted as used by the kernel, and given up when needed.
func (r root) groupMemory(dir string) (uint64, bool) {
	limit, ok := number(r.read(dir, "memory.max"), r.read(dir, "memory.limit_in_bytes"))
	used, ok2 := number(r.read(dir, "memory.current"), r.read(dir, "memory.usage_in_bytes"))
	if !ok || !ok2 || limit >= 1<<60 { // version 1 says "no limit" with a huge number
		return 0, false
	}
	for line := range strings.Lines(r.read(dir, "memory.stat")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if cache, err := strconv.ParseUint(value, 10, 64); err == nil && (name == "inactive_file" || name == "total_inactive_file") {
			used -= min(used, cache)
			break
		}
	}
	return limit - min(limit, used), true
}

// groups are the folders of the control groups that this process is in, its own
// and all above: each may have a limit.
func (r root) groups(controller string) []string {
	data, err := os.ReadFile(filepath.Join(string(r), "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base := "sys/fs/cgroup"
		switch {
		case parts[0] == "0" && parts[1] == "":
		case strings.Contains(","+parts[1]+",", ","+controller+","):
			base = filepath.Join(base, controller)
		default:
			continue
		}
		// In a container the path may be the host's: the file system's own root
		// is looked at in any case.
		for at := filepath.Clean("/" + parts[2]); ; at = filepath.Dir(at) {
			dirs = append(dirs, filepath.Join(base, at))
			if at == "/" {
				break
			}
		}
	}
	return dirs
}

// read returns a small file's text, "" when there is none.
func (r root) read(dir, name string) string {
	data, err := os.ReadFile(filepath.Join(string(r), dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func number(texts ...string) (uint64, bool) {
	for _, t := range texts {
		if n, err := strconv.ParseUint(t, 10, 64); err == nil {
			return n, true
		}
	}
	return 0, false
}
