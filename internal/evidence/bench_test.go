package evidence_test

import (
	"fmt"
	"strings"
	"testing"

	"playtest/internal/evidence"
)

// BenchmarkRedact goes through a megabyte of log and of network archive.
func BenchmarkRedact(b *testing.B) {
	var log, har strings.Builder
	har.WriteString("[")
	for i := 0; log.Len() < 1<<20; i++ {
		fmt.Fprintf(&log, "2026-11-15T12:00:00.000Z GET 200 12ms 3456B script http://localhost:8080/assets/level-%d/main.js?v=%d&seed=3\n", i, i)
	}
	for i := 0; har.Len() < 1<<20; i++ {
		if i > 0 {
			har.WriteString(",\n")
		}
		fmt.Fprintf(&har, `  {"method": "GET", "url": "http://localhost:8080/a/%d.js?v=1", "headers": [{"name": "Accept", "value": "*/*"}], "time": %d.25}`, i, i)
	}
	har.WriteString("]")
	r := evidence.NewRedactor([]string{"a-secret-that-is-not-there"})
	for name, data := range map[string][]byte{"console.log": []byte(log.String()), "network.har": []byte(har.String()), "zeros.log": make([]byte, 1<<20)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r.Redact(name, data)
			}
		})
	}
}
