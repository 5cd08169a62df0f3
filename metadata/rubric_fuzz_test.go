package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/playtest-dev/playtest/metadata"
)

// A rubric is refused, or it is sound and means the same after it was saved.
func FuzzParseRubric(f *testing.F) {
	f.Add([]byte(`{"weights":{"loading":1},"threshold":70}`))
	f.Add([]byte("threshold: 50\nquestions:\n  - text: Is it fun?\n"))
	f.Add([]byte(`{"weights":{"loading":-1}}`))
	f.Add([]byte(`{"threshold":1e999}`))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := metadata.ParseRubric(data)
		if err != nil {
			if err.Error() == "" {
				t.Error("refused without a word")
			}
			return
		}
		if err := r.Validate(); err != nil {
			t.Errorf("accepted and unsound: %v", err)
		}
		saved, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := metadata.ParseRubric(saved); err != nil {
			t.Errorf("saved as %s: %v", saved, err)
		}
	})
}
