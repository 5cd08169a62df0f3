package verdict_test

import (
	"slices"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/verdict"
	"github.com/playtest-dev/playtest/record"
)

// The observations from which the cases below are put together.
var (
	dead   = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "KeyQ"}, Later: -1}
	steers = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "ArrowLeft"}, Pixels: 800, Later: 900,
		Repeats: []record.Repeat{{Pixels: 850}}}
	restarts = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputClick, At: record.Point{X: 60, Y: 40}}, Pixels: 9000, Later: 9000,
		Repeats: []record.Repeat{{Pixels: 0}}}
	switches = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputClick, At: record.Point{X: 900, Y: 40}}, Pixels: 4000, Later: 4000,
		Repeats: []record.Repeat{{Pixels: 4000, Back: true}}}
	starts = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputClick, At: record.Point{X: 640, Y: 400}}, From: 0, To: 1, Pixels: 50000, Later: 50000, New: true}
	throws = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "Space"}, Later: -1, Threw: "TypeError: player is undefined"}
)

// answered is a text with which the question was answered that a button asks.
func answered(text string, reply int) record.Observation {
	o := asks
	o.Input.Text, o.Reply = text, reply
	return o
}

// page is a click that leads from one page of a story to the next.
func page(n int) record.Observation {
	o := starts
	o.From, o.To = n, n+1
	return o
}

// scrolled is a click on something at the edge of the window, which the browser brings into view.
func scrolled(n int) record.Observation {
	o := page(n)
	o.Unhandled = true
	return o
}

// again begins another round, which looks different each time.
var again = record.Observation{Stage: "search", Input: starts.Input, From: 2, To: 1, Pixels: 50000, Later: 50000, New: true}

// reloads is a key after which the page is loaded again.
var reloads = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "Enter"}, Pixels: 900, Repeats: []record.Repeat{{Pixels: 900}}, Reloaded: true}

// reloadButton is a button for that.
var reloadButton = record.Observation{Stage: "search", Offer: "element", Input: record.Input{Kind: record.InputClick, Label: "Restart"}, Pixels: 900, Repeats: []record.Repeat{{Pixels: 900}}, Loaded: true, Reloaded: true}

// copied is a text that was typed as it is shown, where nothing asks for any.
var copied = record.Observation{Stage: "search", Offer: "field", Input: record.Input{Kind: record.InputCopy, Text: "Dash"}}

// traced is a key that the game drew something else for, though it cannot be seen.
var traced = record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "KeyD"}, Later: -1, Trace: true}

// reply is the answer to a question, each of which is followed by the next.
func reply(text string, seconds float64) record.Observation {
	return record.Observation{Stage: "search", Offer: "element", Input: record.Input{Kind: record.InputClick, Label: text, At: record.Point{X: 700, Y: 370}},
		Seconds: seconds, Pixels: 9000, Later: 9000, New: true, Repeats: []record.Repeat{{}}}
}

// slider moves because the browser moves it.
var slider = record.Observation{Stage: "search", Offer: "element", Input: record.Input{Kind: record.InputClick}, Pixels: 190, Later: 190, Unhandled: true, Repeats: []record.Repeat{{Same: true}}}

// asks is a button that shows a dialog and changes nothing.
var asks = record.Observation{Stage: "search", Offer: "element", Input: record.Input{Kind: record.InputClick, Label: "Help"}, Later: -1, Dialog: true}

// leads is a button that loads a page whose script stops.
var leads = func() record.Observation {
	o := starts
	o.Loaded, o.Stopped = true, true
	return o
}()

// thrown is a drag from a place that has an effect which lasts, once.
func thrown(x, seconds float64) record.Observation {
	return record.Observation{Stage: "search", Offer: "object", Seconds: seconds, Pixels: 5000, Later: 3000, Repeats: []record.Repeat{{}}, New: true,
		Input: record.Input{Kind: record.InputDrag, Path: []record.Point{{X: x, Y: 600}, {X: x, Y: 400}}},
		Area:  record.Rect{X: 580, Y: 212, Width: 120, Height: 446}}
}

// comesBack is a link of that page to where it was loaded from.
var comesBack = record.Observation{Stage: "search", Offer: "element", Input: record.Input{Kind: record.InputClick, Label: "Back"}, From: leads.To, To: leads.From, Pixels: 9000, Later: -1, Loaded: true}

// counts is a press on a canvas that goes on changing a number beside it.
func counts(n int) record.Observation {
	return record.Observation{Stage: "search", Offer: "place", From: 1, To: 1, Trace: true, Pixels: 400, Later: 400, New: true,
		Input:   record.Input{Kind: record.InputClick, At: record.Point{X: 100 * float64(n), Y: 300}},
		Area:    record.Rect{X: 1000, Y: 100, Width: 60, Height: 20},
		Repeats: []record.Repeat{{Pixels: 400, New: true}}}
}

// drawn is a press on a canvas that draws where it is made.
func drawn(n int) record.Observation {
	o := counts(n)
	o.Area = record.Rect{X: o.Input.At.X - 10, Y: o.Input.At.Y - 10, Width: 20, Height: 20}
	return o
}

// half is a key that goes on changing the screen and ends in an error each time.
var half = func() record.Observation {
	o := steers
	o.Threw = "socket is undefined"
	return o
}()

// elsewhere is a key that goes on changing another page of the site.
var elsewhere = func() record.Observation {
	o := steers
	o.Elsewhere = true
	return o
}()

// stood makes a record one of a game that ran by itself at first and then did not draw.
func stood(r *record.Record) {
	r.Twins.Drawing = 90
	r.Twins.Alive = record.AliveRecord{Seconds: 60, Looks: []record.AliveLook{{Moved: true}, {}, {}}}
}

// cell is a click that changes one place of a board for good.
func cell(n int) record.Observation {
	return record.Observation{Stage: "search", Input: record.Input{Kind: record.InputClick, At: record.Point{X: float64(100 * n), Y: 300}},
		Pixels: 400, Later: 400, Cells: []int{200 + 4*n, 201 + 4*n}, Repeats: []record.Repeat{{Pixels: 0}}}
}

// square is a thing of the page that is clicked, with an effect once another has been.
func square(n int, effect bool) record.Observation {
	o := record.Observation{Stage: "search", Offer: "element", Input: record.Input{Kind: record.InputClick, At: record.Point{X: float64(100 * n), Y: 300}}, Later: -1}
	if effect {
		// It covers what the others do.
		o.Pixels, o.Later, o.New, o.Area, o.Cells, o.Repeats = 400, 400, true, record.Rect{X: 100, Y: 200, Width: 300, Height: 200}, []int{200, 201}, []record.Repeat{{Pixels: 0}}
	}
	return o
}

// choice is one entry of a list of which only one can be chosen.
func choice(n int) record.Observation {
	o := cell(n)
	o.Cells = []int{300 + n}
	if n > 0 {
		o.Cells = []int{299 + n, 300 + n}
	}
	return o
}

// played is a record of a game that was opened, searched and played for a minute.
func played(change func(*record.Record), observations ...record.Observation) *record.Record {
	rec := &record.Record{
		Environment: record.Environment{Width: 1280, Height: 720, WebGL: "SwiftShader"},
		Load:        record.LoadRecord{URL: "http://game/", Status: 200, Ready: true, ReadyAfter: time.Second, Kind: "canvas2d"},
		Twins: &record.TwinRecord{Opened: true, Repeatable: true, Exhausted: true, Observations: observations,
			Alive: record.AliveRecord{Seconds: 60, Responds: true}},
	}
	if change != nil {
		change(rec)
	}
	return rec
}

func TestVerdicts(t *testing.T) {
	twice := cell(3)
	twice.Input = cell(2).Input
	for name, tt := range map[string]struct {
		rec   *record.Record
		want  record.Verdict
		cause string // of the first check that is not proven
	}{
		"an input goes on changing the screen":     {rec: played(nil, dead, steers), want: record.Pass},
		"cells of a board":                         {rec: played(nil, cell(1), cell(2), cell(3)), want: record.Pass},
		"a story of new screens":                   {rec: played(nil, page(0), page(1), page(2), page(3), page(4)), want: record.Pass},
		"rounds that are begun again":              {rec: played(nil, page(0), page(1), again, again, again, again), want: record.VerdictError, cause: "not_started"},
		"whatever is pressed loads the page again": {rec: played(nil, reloads), want: record.Fail, cause: "reload_loop"},
		"a button loads the page again":            {rec: played(nil, reloadButton), want: record.VerdictError, cause: "not_started"},
		"another page answers, and this one does without a script": {rec: played(func(r *record.Record) {
			r.Health.FailedLoads = []record.FailedLoad{{URL: "https://game.example/menu.js", Type: "Script", SameSite: true, Status: 404}}
		}, starts, elsewhere), want: record.Pass},
		"another page answers, and a script of this one stopped": {rec: played(func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "menu is not defined", Count: 1}}
		}, starts, elsewhere), want: record.Pass},
		"each answer ends in an error, and others were not tried": {rec: played(func(r *record.Record) { r.Twins.Exhausted = false }, half), want: record.VerdictError, cause: "not_finished"},
		"each answer ends in an error":                            {rec: played(nil, half), want: record.VerdictError, cause: "throws"},
		"each answer ends in an error, and the page lacks a script": {rec: played(func(r *record.Record) {
			r.Health.FailedLoads = []record.FailedLoad{{URL: "https://game.example/socket.js", Type: "Script", SameSite: true, Status: 404}}
		}, half), want: record.Fail, cause: "throws"},
		"it answers on a canvas that shows nothing": {rec: played(func(r *record.Record) {
			r.Twins.Screens = []record.Screen{{ID: 0, Canvas: record.CanvasShown}, {ID: 1, Canvas: record.CanvasFlat}}
		}, starts, counts(1), counts(2), counts(3)), want: record.Fail, cause: "unseen"},
		"it answers beside a canvas that shows something": {rec: played(func(r *record.Record) {
			r.Twins.Screens = []record.Screen{{ID: 0}, {ID: 1, Canvas: record.CanvasShown}}
		}, starts, counts(1), counts(2), counts(3)), want: record.Pass},
		"an empty sheet is drawn on": {rec: played(func(r *record.Record) {
			r.Twins.Screens = []record.Screen{{ID: 1, Canvas: record.CanvasFlat}}
		}, drawn(1), drawn(2), drawn(3)), want: record.Pass},
		"one answer ends in an error":                            {rec: played(nil, half, cell(3)), want: record.Pass},
		"another page answers":                                   {rec: played(nil, starts, elsewhere), want: record.Pass},
		"it moved and stands still":                              {rec: played(stood, starts), want: record.Fail, cause: "stopped"},
		"it always stood still":                                  {rec: played(func(r *record.Record) { stood(r); r.Twins.Drawing = 1 }, starts), want: record.VerdictError, cause: "not_started"},
		"something follows the pointer, and a click does little": {rec: played(nil, follows(1), follows(4), follows(7), cell(9)), want: record.Pass},
		"nothing answers":                                        {rec: played(nil, dead, dead, dead), want: record.Fail, cause: "dead_controls"},
		"the code answers, and nothing can be seen":              {rec: played(nil, dead, traced), want: record.VerdictError, cause: "not_started"},
		"nothing answers before it gets a file":                  {rec: played(func(r *record.Record) { r.Twins.WantsFile = true }, dead, dead), want: record.VerdictError, cause: "unsupported_input"},
		"only the browser answers, and a script is missing": {rec: played(func(r *record.Record) {
			r.Health.FailedLoads = []record.FailedLoad{{URL: "https://cdn.example/p5.js", Type: "Script", Error: "blocked"}}
		}, append(slices.Repeat([]record.Observation{dead}, 60), slider)...), want: record.Fail, cause: "dead_controls"},
		"nothing answers but the dialogs at the beginning":     {rec: played(func(r *record.Record) { r.Twins.Asked = 2 }, slices.Repeat([]record.Observation{dead}, 60)...), want: record.VerdictError, cause: "not_answered"},
		"nothing can be seen but the dialogs at the beginning": {rec: played(func(r *record.Record) { r.Twins.Asked, r.Twins.Blank = 2, true }, slices.Repeat([]record.Observation{dead}, 60)...), want: record.VerdictError, cause: "not_answered"},
		"nothing answers, typed text neither":                  {rec: played(nil, dead, dead, copied), want: record.Fail, cause: "dead_controls"},
		"some letters are answered alike, and one is not":      {rec: played(nil, dead, answered("r", 1), answered("s", 1), answered("n", 2)), want: record.Pass},
		"each letter is answered by other words":               {rec: played(nil, dead, answered("r", 1), answered("s", 2), answered("n", 3)), want: record.VerdictError, cause: "not_started"},
		"all letters are answered alike, a number otherwise":   {rec: played(nil, dead, answered("r", 1), answered("s", 1), answered("5", 2)), want: record.VerdictError, cause: "not_started"},
		"only a switch answers":                                {rec: played(nil, dead, switches), want: record.VerdictError, cause: "not_started"},
		"three questions are answered at one place":            {rec: played(nil, reply("Sake", 3), reply("Tempura", 5), reply("Plum", 7)), want: record.Pass},
		"two questions are answered at one place":              {rec: played(nil, reply("Sake", 3), reply("Tempura", 5)), want: record.VerdictError, cause: "not_started"},
		"all stands still while its code goes on":              {rec: played(func(r *record.Record) { r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 9, Runs: true} }, steers), want: record.VerdictError, cause: "still_runs"},
		"only a restart answers":                               {rec: played(nil, dead, restarts), want: record.VerdictError, cause: "not_started"},
		"only a list of choices answers":                       {rec: played(nil, starts, choice(0), choice(1), choice(2)), want: record.VerdictError, cause: "not_started"},
		"an input that changes two places is one":              {rec: played(nil, cell(1), cell(2), twice), want: record.VerdictError, cause: "not_started"},
		"the script of the page that it leads to stops":        {rec: played(nil, append(slices.Repeat([]record.Observation{dead}, 60), leads)...), want: record.Fail, cause: "dead_controls"},
		"the script of a page that one comes back from stops":  {rec: played(nil, append(slices.Repeat([]record.Observation{dead}, 60), leads, comesBack)...), want: record.VerdictError, cause: "not_started"},
		"a script stopped, and a button loads the page again": {rec: played(func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "THREE is not defined", Count: 1}}
		}, append(slices.Repeat([]record.Observation{dead}, 60), starts, reloadButton)...), want: record.Fail, cause: "dead_controls"},
		"its start leads to nothing that can be seen": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, Blank: true, Looks: []record.AliveLook{{Seconds: 12, Blank: true}, {Seconds: 22, Blank: true}}}
		}, starts), want: record.Fail, cause: "dead_controls"},
		"its start leads to a pause before something is seen": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, Looks: []record.AliveLook{{Seconds: 12, Blank: true}, {Seconds: 22}}}
		}, starts), want: record.VerdictError, cause: "not_started"},
		"a ball is thrown twice, and lay elsewhere": {rec: played(nil, thrown(640, 2.8), thrown(639, 4.5)), want: record.Pass},
		"two things are thrown once":                {rec: played(nil, thrown(640, 2.8), thrown(300, 4.5)), want: record.VerdictError, cause: "not_started"},
		"only dialogs answer":                       {rec: played(nil, append(slices.Repeat([]record.Observation{dead}, 60), asks)...), want: record.VerdictError, cause: "not_started"},
		"only dialogs answer, and a script stopped": {rec: played(func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "BABYLON is not defined", Count: 1}}
		}, append(slices.Repeat([]record.Observation{dead}, 60), asks)...), want: record.Fail, cause: "dead_controls"},
		"it moved and decided to stop":                      {rec: played(func(r *record.Record) { stood(r); r.Twins.Alive.Decided = true }, starts), want: record.VerdictError, cause: "not_started"},
		"a button throws, and switches of the browser move": {rec: played(nil, throws, slider), want: record.Fail, cause: "throws"},
		"the code answers, and its handlers read nothing": {rec: played(func(r *record.Record) {
			r.Twins.Modalities = []record.Modality{{Name: "keyboard", Listens: true, Delivered: 40, Presses: 40}}
		}, dead, traced), want: record.VerdictError, cause: "not_started"},
		"inputs end in errors": {rec: played(nil, throws, throws), want: record.Fail, cause: "throws"},
		"blank":                {rec: played(func(r *record.Record) { r.Twins.Blank = true }, dead), want: record.Fail, cause: "blank"},
		"a script is missing": {rec: played(func(r *record.Record) {
			r.Health.FailedLoads = []record.FailedLoad{{URL: "http://game/main.js", Type: "Script", Status: 404, SameSite: true}}
		}, dead), want: record.Fail, cause: "script_failed"},
		"a script is missing that the game does without": {rec: played(func(r *record.Record) {
			r.Health.FailedLoads = []record.FailedLoad{{URL: "http://elsewhere/stats.js", Type: "Script", Error: "blocked"}}
		}, steers), want: record.Pass},
		"controls stop working": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 12}
		}, steers), want: record.Fail, cause: "stopped"},
		"controls stop working, and time runs out before it is known why": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 20, Unexplained: true}
		}, steers), want: record.VerdictError, cause: "not_finished"},
		"nothing can be seen any more": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 20, Blank: true, Ended: true}
		}, steers), want: record.Fail, cause: "vanished"},
		"it cleared its picture by its own decision": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 20, Blank: true, Ended: true, Decided: true}
		}, steers), want: record.Pass},
		"nothing can be seen any more, and time runs out before it is known why": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 20, Blank: true, Unexplained: true}
		}, steers), want: record.VerdictError, cause: "not_finished"},
		"squares that answer once a piece is chosen": {rec: played(nil, square(1, false), square(2, false), square(3, false), starts,
			square(1, true), square(2, true), square(3, true)), want: record.Pass},
		"screens that only the browser scrolled to": {rec: played(nil, scrolled(0), scrolled(1), scrolled(2), scrolled(3), scrolled(4), scrolled(5)),
			want: record.VerdictError, cause: "not_started"},
		"two of them": {rec: played(nil, square(1, false), square(2, false), starts, square(1, true), square(2, true)), want: record.VerdictError, cause: "not_started"},
		"a round ends and says so": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 12, Ended: true}
		}, steers), want: record.Pass},
		"a round ends earlier or later, as it is played": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 12, StillPlayed: 12, StillAlone: 4}
		}, steers), want: record.Pass},
		"it stops at the same time however it is played": {rec: played(func(r *record.Record) {
			r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 12, StillPlayed: 12, StillAlone: 12}
		}, steers), want: record.Fail, cause: "stopped"},
		"it hangs": {rec: played(func(r *record.Record) { r.Twins.Alive.Hung = "a step" }, steers), want: record.Fail, cause: "hung"},
		"an error in every frame": {rec: played(func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "boom", Count: 300, First: time.Second, Last: 6 * time.Second}}
		}, steers), want: record.Fail, cause: "exceptions"},
		"sound that is refused until somebody presses something": {rec: played(func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "NotAllowedError: play() failed", Count: 300, First: time.Second, Last: 6 * time.Second}}
		}, steers), want: record.Pass},
		"its clock runs away once it was touched": {rec: played(func(r *record.Record) {
			r.Twins.Pace = record.Pace{Stretches: 9, Raced: 8}
		}, steers), want: record.Fail, cause: "ends_at_once"},
		"its clock stands still, and nothing plays it": {rec: played(func(r *record.Record) {
			r.Twins.Pace = record.Pace{Stretches: 9, Stood: 9}
		}, starts), want: record.Fail, cause: "stopped"},
		"its clock stands still, and it does without": {rec: played(func(r *record.Record) {
			r.Twins.Pace = record.Pace{Stretches: 9, Stood: 9}
		}, steers), want: record.Pass},
		"the live page came to a screen that the twins did not see": {rec: played(func(r *record.Record) { r.Twins.Unlike = 0.6 }, dead), want: record.VerdictError, cause: "unlike"},
		"it looks a little different in the live page":              {rec: played(func(r *record.Record) { r.Twins.Unlike = 0.2 }, dead), want: record.Fail, cause: "dead_controls"},
		"it moves in the twins, too":                                {rec: played(func(r *record.Record) { r.Twins.Unlike, r.Twins.Animated = 0.6, true }, dead), want: record.Fail, cause: "dead_controls"},
		"it only asks": {rec: played(func(r *record.Record) {
			r.Twins.Opened, r.Health.Dialogs = false, []record.DialogSeen{{Type: "prompt", Count: 2000}}
		}), want: record.VerdictError, cause: "environment"},
		"not everything was tried": {rec: played(func(r *record.Record) { r.Twins.Exhausted = false }, dead), want: record.VerdictError, cause: "not_finished"},
		"the host name is unknown": {rec: played(func(r *record.Record) {
			r.Load = record.LoadRecord{Failure: &record.LoadFailure{Kind: "dns", Message: "the game's host name could not be found"}}
			r.Twins = nil
		}), want: record.VerdictError, cause: "offline"},
		"the server has no such page": {rec: played(func(r *record.Record) {
			r.Load = record.LoadRecord{Failure: &record.LoadFailure{Kind: "status", Message: "the server answered with status 404"}}
			r.Twins = nil
		}), want: record.Fail, cause: "status"},
	} {
		t.Run(name, func(t *testing.T) {
			checks := verdict.Checks(tt.rec)
			if got := verdict.Status(checks); got != tt.want {
				t.Errorf("%s, want %s: %+v", got, tt.want, checks)
			}
			cause, failed := "", false
			for _, c := range checks {
				if c.State == record.Unknown && cause == "" || c.State == record.Disproven && !failed {
					cause, failed = c.Cause, c.State == record.Disproven
				}
				if c.Reason == "" || c.State != record.Unknown && c.Confidence == 0 {
					t.Errorf("%s has no reason or no confidence: %+v", c.Name, c)
				}
			}
			if cause != tt.cause {
				t.Errorf("cause %q, want %q", cause, tt.cause)
			}
		})
	}
}

// follows is a pointer that came to rest at a place, and something with it.
func follows(x int) record.Observation {
	o := cell(x)
	o.Input.Kind, o.New = record.InputHover, true
	return o
}

// TestEveryRuleMatters: for each rule there is a record whose verdict it decides.
func TestEveryRuleMatters(t *testing.T) {
	hover := func(x float64) record.Observation {
		o := cell(int(x))
		o.Input.Kind = record.InputHover
		return o
	}
	turns := cell(1)
	turns.Itself, turns.Later = 300, 9000
	now := cell(1)
	now.Offer, now.New, now.Seconds = "key", true, 3
	later := now
	later.Seconds = 9
	slides := func(x int) record.Observation {
		o := cell(1) // all of the board
		o.Input.At.X, o.New, o.Offer = float64(100*x), true, "element"
		return o
	}
	otherwise := cell(1)
	otherwise.Offer, otherwise.Other = "key", 80
	otherwise.Input = record.Input{Kind: record.InputKey, Key: "ArrowUp"}
	flash := steers
	flash.Later = 0
	broken := func(r *record.Record) {
		r.Health.FailedLoads = []record.FailedLoad{{URL: "main.js", Type: "Script", Status: 404}}
		r.Twins.Repeatable = false
	}
	unheard := func(r *record.Record) {
		r.Twins.Modalities = []record.Modality{{Name: "keyboard", Listens: true, Delivered: 40, Presses: 40}}
	}
	unseen := func(r *record.Record) {
		r.Twins.Drawing, r.Twins.Exhausted = 100, false
		r.Twins.Screens = []record.Screen{{Canvas: record.CanvasHidden}}
	}
	records := map[string]*record.Record{
		verdict.RuleProgress:  played(nil, steers),
		verdict.RuleFuture:    played(nil, turns),
		verdict.RuleAgain:     played(nil, now, later),
		verdict.RuleChoices:   played(nil, otherwise),
		verdict.RulePlaces:    played(nil, cell(1), cell(2), cell(3)),
		verdict.RuleCombined:  played(nil, slides(1), slides(2), slides(3), slides(1), slides(2)),
		verdict.RuleStory:     played(nil, page(0), page(1), page(2), page(3), page(4)),
		verdict.RuleStops:     played(stood, starts),
		verdict.RuleTransient: played(nil, flash),
		verdict.RuleHover:     played(nil, hover(1), hover(4)),
		verdict.RuleThrows:    played(func(r *record.Record) { r.Twins.Exhausted = false }, throws),
		verdict.RuleDead:      played(nil, dead),
		verdict.RuleWaits:     played(func(r *record.Record) { r.Load.Listens = []string{"keydown"} }, dead),
		verdict.RuleUnplayed: played(func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "$ is not defined", Count: 1}}
		}, append(slices.Repeat([]record.Observation{dead}, 60), starts)...),
		verdict.RuleRefused: played(func(r *record.Record) {
			r.Health.Refused = []record.Refusal{{Host: "localhost:9", Type: "Document", Reason: "a loopback address"}}
		}, dead),
		verdict.RuleScript:    played(broken, dead),
		verdict.RuleBlank:     played(func(r *record.Record) { r.Twins.Blank, r.Twins.Exhausted = true, false }, dead),
		verdict.RuleWithheld:  played(func(r *record.Record) { r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 66, Withheld: true} }, cell(1), cell(2), cell(3)),
		verdict.RuleDies:      played(func(r *record.Record) { r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 9} }, steers),
		verdict.RuleRuns:      played(func(r *record.Record) { r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 9, Runs: true} }, steers),
		verdict.RuleStorm:     played(func(r *record.Record) { r.Twins.Alive.Exceptions = 5000 }, steers),
		verdict.RuleVanishes:  played(func(r *record.Record) { r.Twins.Alive = record.AliveRecord{Seconds: 60, Blank: true} }, steers),
		verdict.RuleIncidents: played(func(r *record.Record) { r.Health.Crashed = &record.Incident{What: "the page's process crashed"} }, steers),
		verdict.RuleUnheard:   played(unheard, starts),
		verdict.RuleUnseen:    played(unseen, dead),
		verdict.RuleUnlike:    played(func(r *record.Record) { r.Twins.Unlike = 0.6 }, dead),
		verdict.RuleClock:     played(func(r *record.Record) { r.Twins.Pace = record.Pace{Stretches: 9, Raced: 8} }, steers),
		verdict.RuleAchieved: played(func(r *record.Record) {
			r.Explore.Achieved = &record.Achieved{By: "an agent's", Turns: 9, Effects: 6, States: 6, Idle: 6}
		}, starts),
	}
	for _, rule := range verdict.Names {
		rec := records[rule]
		if rec == nil {
			t.Errorf("no record shows what the rule %q decides", rule)
			continue
		}
		with := verdict.Status(verdict.Checks(rec))
		without := verdict.Status(verdict.Rules{Off: map[string]bool{rule: true}}.Checks(rec))
		if with == without {
			t.Errorf("without the rule %q the verdict is %s as well", rule, with)
		}
	}
}

// TestEndMatters: why controls stopped is asked only where it may be held against a game.
func TestEndMatters(t *testing.T) {
	stopped := func(r *record.Record) { r.Twins.Alive = record.AliveRecord{Seconds: 60, DeadAt: 60} }
	threw := func(r *record.Record) { stopped(r); r.Twins.Alive.Exceptions = 300 }
	for name, tt := range map[string]struct {
		rec  *record.Record
		want bool
	}{
		"a control stopped":               {played(stopped, steers), true},
		"a board is used up":              {played(stopped, cell(1), cell(2), cell(3)), false},
		"a board is used up, with errors": {played(threw, cell(1), cell(2), cell(3)), true},
	} {
		if got := verdict.EndMatters(tt.rec, tt.rec.Twins); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
