package limits

import (
	"os"
	"path/filepath"
	"testing"
)

// machine makes a file system with the given files of the kernel.
func machine(t *testing.T, files map[string]string) root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root(dir)
}

func TestContainers(t *testing.T) {
	const meminfo = "MemTotal: 99 kB\nMemAvailable:   16777216 kB"
	tests := []struct {
		name   string
		files  map[string]string
		cores  float64
		memory uint64
	}{
		{"no container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/"}, 8, 16 << 30},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/",
			"sys/fs/cgroup/cpu.max": "150000 100000", "sys/fs/cgroup/memory.max": "1073741824",
			"sys/fs/cgroup/memory.current": "1000000000", "sys/fs/cgroup/memory.stat": "anon 5\ninactive_file 500000000",
		}, 1.5, 1<<30 - 500000000},
		{"a limit above ours", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/pod/us",
			"sys/fs/cgroup/pod/cpu.max": "50000 100000", "sys/fs/cgroup/pod/us/cpu.max": "max 100000",
			"sys/fs/cgroup/pod/us/memory.max": "max", "sys/fs/cgroup/pod/us/memory.current": "7",
			"sys/fs/cgroup/pod/memory.max": "1000", "sys/fs/cgroup/pod/memory.current": "400",
		}, 0.5, 600},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "2000", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500",
		}, 2, 1500},
		{"version 1 without limits", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n3:cpu:/",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500",
		}, 8, 16 << 30},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := machine(t, tt.files)
			if got := r.cores(8); got != tt.cores {
				t.Errorf("%v cores, want %v", got, tt.cores)
			}
			if got, ok := r.available(); !ok || got != tt.memory {
				t.Errorf("%d bytes, %v, want %d", got, ok, tt.memory)
			}
		})
	}
	if _, ok := machine(t, nil).available(); ok {
		t.Error("memory known where nothing says so")
	}
}
