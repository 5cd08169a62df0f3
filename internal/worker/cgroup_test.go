package worker

import (
	"os"
	"path/filepath"
	"testing"
)

// What a container may use is read from its control groups, of both kinds.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		cores  float64
		memory uint64
	}{
		{"no groups", nil, 0, 0},
		{"no limits", map[string]string{
			"proc/self/cgroup": "0::/a\n", "cgroup/a/cpu.max": "max 100000\n", "cgroup/a/memory.max": "max\n", "cgroup/a/memory.current": "5\n",
		}, 0, 0},
		{"the smallest on the way up", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "cgroup/a/b/cpu.max": "max 100000\n", "cgroup/a/cpu.max": "150000 100000\n", "cgroup/cpu.max": "400000 100000\n",
			"cgroup/a/b/memory.max": "1000\n", "cgroup/a/b/memory.current": "900\n", "cgroup/a/b/memory.stat": "anon 100\ninactive_file 300\n",
			"cgroup/a/memory.max": "800\n", "cgroup/a/memory.current": "100\n",
		}, 1.5, 400},
		{"the container's own group is its root", map[string]string{
			"proc/self/cgroup": "0::/docker/abc\n", "cgroup/cpu.max": "50000 100000\n", "cgroup/memory.max": "1000\n", "cgroup/memory.current": "1200\n",
		}, 0.5, 0},
		{"version 1", map[string]string{
			"proc/self/cgroup":                       "4:memory:/x\n3:cpu,cpuacct:/x\n0::/\n",
			"cgroup/cpu,cpuacct/x/cpu.cfs_quota_us":  "200000\n",
			"cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
			"cgroup/cpu,cpuacct/cpu.cfs_quota_us":    "-1\n",
			"cgroup/cpu,cpuacct/cpu.cfs_period_us":   "100000\n",
			"cgroup/memory/x/memory.limit_in_bytes":  "5000\n",
			"cgroup/memory/x/memory.usage_in_bytes":  "4000\n",
			"cgroup/memory/x/memory.stat":            "total_inactive_file 1000\n",
			"cgroup/memory/memory.limit_in_bytes":    "9223372036854771712\n",
			"cgroup/memory/memory.usage_in_bytes":    "1\n",
		}, 2, 2000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			l := limits{filepath.Join(dir, "proc"), filepath.Join(dir, "cgroup")}
			if cores, found := l.cores(); cores != tt.cores || found != (tt.cores > 0) {
				t.Errorf("%v cores, %v; want %v", cores, found, tt.cores)
			}
			if memory, _ := l.memory(); memory != tt.memory {
				t.Errorf("%d bytes, want %d", memory, tt.memory)
			}
		})
	}
}
