package game_test

import (
	"context"
	"errors"
	"net/http/httptest"

	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/record"
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// opened opens a page under observation.
func opened(t *testing.T, body string, opts game.Options) (context.Context, *game.Game) {
	t.Helper()
	ctx, g := gametest.Open(t, shared, gametest.Page("<!doctype html><body style='margin:0'>"+body), nil, opts)
	if _, err := g.Navigate(ctx, g.Record.Target.URL); err != nil {
		t.Fatal(err)
	}
	if err := g.Page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return ctx, g
}

func TestFileName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"key:ArrowLeft", "key-arrowleft"},
		{"click:New Game!", "click-new-game"},
		{"../../etc/passwd", "etc-passwd"},
		{"click:Начать", "click"},
		{"  ", ""},
		{strings.Repeat("abc ", 30), "abc-abc-abc-abc-abc-abc-abc-abc-abc-abc-"},
	} {
		if got := game.FileName(tt.name); got != tt.want {
			t.Errorf("FileName(%q) is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestInputsAreNamed(t *testing.T) {
	at := record.Point{X: 10.4, Y: 20.6}
	for _, tt := range []struct {
		input game.Input
		want  string
	}{
		{game.Input{Kind: game.Idle}, "idle"},
		{game.Input{Kind: game.KeyPress, Key: "Space"}, "Space"},
		{game.Input{Kind: game.KeyHold, Key: "KeyW"}, "KeyW"},
		{game.Input{Kind: game.Typing, Text: "look\n"}, `type "look\n"`},
		{game.Input{Kind: game.Click, At: at}, "click at 10,21"},
		{game.Input{Kind: game.Click, At: at, Label: "Play"}, `click "Play" at 10,21`},
		{game.Input{Kind: game.Drag, Path: []record.Point{at, {X: 30, Y: 40}}}, "drag from 10,21 to 30,40"},
		{game.Input{Kind: game.Other, Label: "what the model said"}, "what the model said"},
	} {
		if got := tt.input.String(); got != tt.want {
			t.Errorf("%+v is called %q, want %q", tt.input, got, tt.want)
		}
	}
}

func TestClockIsOneText(t *testing.T) {
	for _, same := range []string{"time 0:59", "time 1:00", "time 12:34.5"} {
		if got := game.Shape(same); got != "time #" {
			t.Errorf("Shape(%q) is %q", same, got)
		}
	}
}

func TestDeadPageIsGone(t *testing.T) {
	t.Parallel()
	ctx, g := opened(t, "<h1>Game</h1>", game.Options{})
	if err := g.Alive(ctx); err != nil {
		t.Fatalf("alive: %v", err)
	}
	g.Doing = "Space"
	if _, err := g.Page.Navigate(ctx, "chrome://crash", nil); err == nil {
		t.Fatal("the page lives on")
	}
	if err := g.Alive(ctx); !errors.Is(err, game.ErrGone) {
		t.Errorf("dead: %v", err)
	}
	if crash := g.Record.Health.Crashed; crash == nil || crash.During != "Space" {
		t.Errorf("crash %+v", crash)
	}
}

// shelf keeps what it is given until it is full.
type shelf struct {
	names []string
	room  int
}

func (s *shelf) Picture(name string, _ []byte) (string, error) {
	if len(s.names) == s.room {
		return "", errors.New("full")
	}
	s.names = append(s.names, name)
	return "pictures/" + name, nil
}

func TestPicturesThatCannotBeKeptAreGaps(t *testing.T) {
	t.Parallel()
	kept, warned := &shelf{room: 1}, 0
	ctx, g := opened(t, "<h1>Game</h1>", game.Options{Pictures: kept, Emit: func(e record.Event) {
		if e.Kind == record.EventWarning {
			warned++
		}
	}})
	if path := g.Screenshot(ctx, record.StageInitialLoad, "first", "as it was"); path == "" {
		t.Error("the first picture was not kept")
	}
	if path := g.Screenshot(ctx, record.StageFinalState, "second", "as it is"); path != "" {
		t.Errorf("the second was kept as %s", path)
	}
	if shots := g.Record.Screenshots; len(shots) != 1 || !strings.HasSuffix(shots[0].Path, "-first.png") || shots[0].Note != "as it was" {
		t.Errorf("pictures %+v", shots)
	}
	if warned != 1 {
		t.Errorf("%d warnings", warned)
	}
}

// TestHangs: a page that hangs is gone after one wait, also when only the frame
// does that the game lives in, which has a process of its own.
func TestHangs(t *testing.T) {
	const hangs = `<canvas id=c width=300 height=200></canvas><script>onclick = () => { setTimeout(() => { for (;;); }); }</script>`
	inner := httptest.NewServer(gametest.Page(hangs))
	t.Cleanup(inner.Close)
	elsewhere := strings.Replace(inner.URL, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		name, body string
		focus      int
	}{
		{"the page itself", hangs, 0},
		{"a frame of another site", `<iframe width=600 height=400 src="` + elsewhere + `/"></iframe>`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, g := opened(t, tt.body, game.Options{})
			g.Focus = tt.focus
			err := g.Do(ctx, game.Input{Kind: game.Click, At: record.Point{X: 100, Y: 100}}, 0)
			if err == nil {
				err = g.Alive(ctx)
			}
			if !errors.Is(err, game.ErrGone) || g.Record.Health.Hung == nil || ctx.Err() != nil {
				t.Errorf("error %v, hung %+v", err, g.Record.Health.Hung)
			}
		})
	}
}
