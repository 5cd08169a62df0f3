package bench

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// Store writes results to a file that is kept in the repository, one JSON line each, compressed.
func Store(file string, results []Result) error {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("store the results: %w", err)
	}
	lines := json.NewEncoder(z)
	for _, r := range results {
		if err := lines.Encode(r); err != nil {
			return fmt.Errorf("store the result of %s: %w", r.Key(), err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("store the results: %w", err)
	}
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		return fmt.Errorf("store the results: %w", err)
	}
	return nil
}

// ReadSummary reads stored results and tallies them: JSON lines, compressed if the name ends with .gz. A file that ends
// with .json holds a summary already, as --format json prints it.
func ReadSummary(file string) (Summary, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Summary{}, fmt.Errorf("read stored results: %w", err)
	}
	if strings.HasSuffix(file, ".gz") {
		if data, err = gunzip(data); err != nil {
			return Summary{}, fmt.Errorf("read stored results in %s: %w", file, err)
		}
	}
	if strings.HasSuffix(file, ".json") {
		var s Summary
		if err := json.Unmarshal(data, &s); err != nil {
			return Summary{}, fmt.Errorf("read the summary in %s: %w", file, err)
		}
		return s, nil
	}
	var results []Result
	at := map[string]int{}
	err = readResults(bytes.NewReader(data), func(r Result) {
		if n, ok := at[r.Key()]; ok {
			results[n] = r // run again later
			return
		}
		at[r.Key()] = len(results)
		results = append(results, r)
	})
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", file, err)
	}
	return Tally(results), nil
}

func gunzip(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
