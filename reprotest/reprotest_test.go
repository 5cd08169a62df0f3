package reprotest_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/reprotest"
)

// game has a button that opens a locked one, and all that can be wrong with one.
const game = `<!doctype html><style>button { font-size: 30px; width: 300px; height: 80px; display: block }</style>
<button id="open" onclick="locked.disabled = false; locked.textContent = 'go on'">open</button>
<button id="locked" disabled onclick="document.body.style.background = 'teal'">locked</button>
<button id="dead">dead</button>
<button id="throws" onclick="null.x">throws</button>`

func press(id string) record.Input {
	return record.Input{Kind: record.InputClick, Selector: "#" + id, Label: id}
}

func TestCheck(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(game))
	}))
	t.Cleanup(s.Close)
	opened := []record.Step{{Frame: 60, Input: press("open")}}
	tests := []struct {
		name string
		c    reprotest.Case
		got  string // instead; empty when all is well
	}{
		{"after another input it works", reprotest.Case{Before: opened, Frame: 120, Input: press("locked"), Want: reprotest.Changes}, ""},
		{"without that it does not", reprotest.Case{Frame: 120, Input: press("locked"), Want: reprotest.Changes}, "it does nothing"},
		{"an error", reprotest.Case{Frame: 60, Input: press("throws"), Want: reprotest.NoError}, "it throws TypeError: Cannot read properties of null (reading 'x')"},
		{"no error", reprotest.Case{Frame: 60, Input: press("dead"), Want: reprotest.NoError}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := reprotest.Check(t.Context(), s.URL, tt.c)
			if tt.got == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var unexpected *reprotest.UnexpectedError
			if !errors.As(err, &unexpected) || unexpected.Got != tt.got {
				t.Errorf("%v, want %q", err, tt.got)
			}
		})
	}
	if err := reprotest.Check(t.Context(), s.URL, reprotest.Case{}); err == nil {
		t.Error("a case that expects nothing is met")
	}
}
