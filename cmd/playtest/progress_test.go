package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/record"
)

func event(kind, phase, message string) record.Event {
	return record.Event{Kind: kind, Phase: phase, Message: message}
}

func TestProgressPlainLines(t *testing.T) {
	var out bytes.Buffer
	clock := time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)
	p := newProgress(&out, false)
	p.now = func() time.Time { return clock }
	p.began = clock

	p.Event(event(record.EventPhase, "load", "opening the page"))
	clock = clock.Add(time.Second)
	p.Event(event(record.EventProgress, "load", "too soon to be told"))
	p.Event(event(record.EventWarning, "load", "not ready\x1b[2J yet\nand more"))
	clock = clock.Add(chatter)
	p.Event(record.Event{Kind: record.EventProgress, Phase: "discover", Message: "trying keys", Done: 3, Total: 9})
	p.Event(event(record.EventScreenshot, "discover", "screenshots/a.png"))
	p.Event(event(record.EventPhaseEnded, "discover", "discover took 6.0 seconds"))
	p.Clear()

	want := "" +
		"  0.0s load     opening the page\n" +
		"  1.0s warning: not ready [2J yet and more\n" +
		"  6.0s discover trying keys (3 of 9)\n" +
		"  6.0s discover picture screenshots/a.png\n" +
		"  6.0s discover discover took 6.0 seconds\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false)
	p.terminal, p.width = true, 20

	p.Event(event(record.EventPhase, "load", "a sentence that is longer than the terminal is wide"))
	p.Event(event(record.EventPhase, "load", "done"))
	p.Clear()
	p.Clear()

	lines := strings.Split(out.String(), "\r\x1b[K")
	if len(lines) != 4 || lines[0] != "" || lines[3] != "" {
		t.Fatalf("drawn %q, want two lines, each over the one before, and then nothing", out.String())
	}
	if n := len([]rune(lines[1])); n != 19 || !strings.HasSuffix(lines[1], "…") {
		t.Errorf("the long line is %q", lines[1])
	}
	if strings.Contains(out.String(), "\n") {
		t.Error("a redrawn line moved to the next one")
	}
}

func TestProgressQuiet(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, true)
	p.Event(event(record.EventWarning, "load", "slow"))
	p.Clear()
	if out.Len() > 0 {
		t.Errorf("quiet, yet said %q", out.String())
	}
}

func TestEventsAsLogLines(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil)).With("run", "r1")
	logEvent(log, record.Event{Kind: record.EventPhaseEnded, Phase: "load", Message: "load took 2.0 seconds", Seconds: 2})
	logEvent(log, record.Event{Kind: record.EventWarning, Phase: "load", Message: "not ready", Done: 1, Total: 3})
	for i, want := range []map[string]any{
		{"level": "INFO", "run": "r1", "kind": "phase_ended", "phase": "load", "seconds": 2.0},
		{"level": "WARN", "kind": "warning", "message": "not ready", "done": 1.0, "total": 3.0},
	} {
		var line map[string]any
		if err := json.Unmarshal([]byte(strings.Split(out.String(), "\n")[i]), &line); err != nil {
			t.Fatal(err)
		}
		for k, v := range want {
			if line[k] != v {
				t.Errorf("%s is %v in %v, want %v", k, line[k], line, v)
			}
		}
	}
}
