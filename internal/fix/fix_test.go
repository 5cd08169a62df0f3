package fix_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/internal/fix"
	"github.com/playtest-dev/playtest/record"
)

const base = "http://127.0.0.1:9/"

var folder = fstest.MapFS{
	"index.html":     {Data: []byte("<canvas id=board></canvas>\n<button id=\"start\">Play</button>\n<script src=\"gmae.js\"></script>\n")},
	"game.js":        {Data: []byte("const player = {};\nlet score = 0;\ndraw(plyer);\ndocument.getElementById('strat').onclick = go;\nsprite('Hero.png');\nctx.fillRect(0, 0);\nctx.fillRec(1, 1);\n$('#bord').addEventListener('click', go);\n")},
	"img/hero.png":   {Data: []byte("png")},
	"secret/.env":    {Data: []byte("plyer2=1")},
	"img/other.webp": {Data: []byte("webp")},
}

func failed(checks ...record.Check) *record.Report {
	return &record.Report{Status: record.Fail, Checks: checks}
}

func TestEdits(t *testing.T) {
	own := func(text, file string, line int) record.HealthRecord {
		return record.HealthRecord{Exceptions: []record.ErrorGroup{{Text: text, URL: base + file, Line: line, Count: 1, Own: true}}}
	}
	tests := []struct {
		name   string
		health record.HealthRecord
		want   *fix.Edit
	}{
		{"a script by a misspelt name", record.HealthRecord{FailedLoads: []record.FailedLoad{{URL: base + "gmae.js?v=1", Type: "script", Status: 404, SameSite: true}}},
			&fix.Edit{File: "index.html", Line: 3, Find: "gmae.js", Replace: "game.js"}},
		{"a picture in another folder and case", record.HealthRecord{FailedLoads: []record.FailedLoad{{URL: base + "Hero.png", Type: "image", Status: 404, SameSite: true}}},
			&fix.Edit{File: "game.js", Line: 5, Find: "Hero.png", Replace: "img/hero.png"}},
		{"a name that is nowhere declared", own("Uncaught ReferenceError: plyer is not defined", "game.js", 3),
			&fix.Edit{File: "game.js", Line: 3, Find: "plyer", Replace: "player"}},
		{"an element that is not there", own("Uncaught TypeError: Cannot set properties of null (setting 'onclick')", "game.js", 4),
			&fix.Edit{File: "game.js", Line: 4, Find: "strat", Replace: "start"}},
		{"an element that a helper looks up", own("Uncaught TypeError: Cannot read properties of null (reading 'addEventListener')", "game.js", 8),
			&fix.Edit{File: "game.js", Line: 8, Find: "bord", Replace: "board"}},
		{"a method that is not there", own("Uncaught TypeError: ctx.fillRec is not a function", "game.js", 7),
			&fix.Edit{File: "game.js", Line: 7, Find: "fillRec", Replace: "fillRect"}},
		{"nothing similar", own("Uncaught ReferenceError: Phaser is not defined", "game.js", 1), nil},
		{"no file of a similar name", record.HealthRecord{FailedLoads: []record.FailedLoad{{URL: base + "music.ogg", Status: 404, SameSite: true}}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fix.For(failed(), &record.Record{Health: tt.health}, &fix.Source{Files: folder, Base: base})
			if len(got) != 1 {
				t.Fatalf("got %d fixes, want 1: %+v", len(got), got)
			}
			if diff := cmp.Diff(tt.want, got[0].Edit); diff != "" {
				t.Errorf("edit (-want +got):\n%s", diff)
			}
			if got[0].Advice == "" || got[0].Problem == "" {
				t.Errorf("a fix without words: %+v", got[0])
			}
		})
	}
}

func TestRootCauseBeforeConsequences(t *testing.T) {
	rep := failed(record.Check{Name: record.ControlsResponsive, State: record.Disproven, Cause: "dead_controls", Reason: "nothing had any effect"})
	rec := &record.Record{}
	got := fix.For(rep, rec, nil)
	if len(got) != 1 || got[0].Problem != "nothing had any effect" {
		t.Fatalf("without a root cause the check's advice is wanted, got %+v", got)
	}
	rec.Health.FailedLoads = []record.FailedLoad{
		{URL: base + "favicon.ico", Status: 404, SameSite: true},
		{URL: "https://ads.example/x.js", Status: 0, Error: "net::ERR_FAILED"},
		{URL: base + "lib/core.js", Status: 404, SameSite: true},
	}
	got = fix.For(rep, rec, nil)
	if len(got) != 1 || got[0].Problem != "lib/core.js could not be loaded (status 404)." {
		t.Errorf("want the missing script alone, got %+v", got)
	}
}

func TestAdviceIsBounded(t *testing.T) {
	rec := &record.Record{}
	for range 100 {
		rec.Health.Exceptions = append(rec.Health.Exceptions, record.ErrorGroup{Text: string(make([]byte, 1+len(rec.Health.Exceptions)*100)), Own: true})
	}
	got := fix.For(failed(), rec, nil)
	if len(got) > 5 {
		t.Errorf("%d fixes", len(got))
	}
	for _, f := range got {
		if len(f.Problem) > 400 {
			t.Errorf("a problem of %d bytes", len(f.Problem))
		}
	}
}
