package metadata_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/metadata"
)

// Whatever is read either is refused or means the same after it was saved.
func FuzzParseMetadata(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*") // not the folder of the corpora
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"inputSchema":{"type":"javascript","content":"e.keyCode === 37 || keys['a']"}}`))
	f.Add([]byte("inputSchema:\n  content: |\n    Press 'z' or Enter; arrow keys to move\n"))
	f.Add([]byte(`{"inputSchema":{"content":"` + strings.Repeat("A ", 5000) + `"}}`)) // once took 20 s
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := metadata.Parse(data)
		if err != nil {
			if m != nil || err.Error() == "" {
				t.Fatalf("refused with %+v and message %q", m, err)
			}
			return
		}
		before := m.Bindings()
		for _, b := range before {
			if b.Name == "" || b.Source == "" {
				t.Errorf("binding %+v has no name or source", b)
			}
		}
		saved, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back metadata.Metadata
		if err := json.Unmarshal(saved, &back); err != nil {
			t.Fatalf("%s\ncannot be read again: %v", saved, err)
		}
		again, err := json.Marshal(&back)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(saved), string(again)); diff != "" {
			t.Errorf("changed by being saved (-first +second):\n%s", diff)
		}
	})
}
