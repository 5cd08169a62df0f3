package browser_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

func TestDialogsAreAnswered(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<script>
		alert('one'); window.answers = [confirm('two'), prompt('three', 'nobody'), prompt('four'), prompt('four')];
	</script>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	got := eval[[]any](t, p, "window.answers")
	if got[0] != true || got[1] != "nobody" || got[2] != "4" || got[3] != "Player" {
		t.Errorf("answers %v", got)
	}
	ds := p.Log().Dialogs()
	if len(ds) != 5 || ds[0].Message != "one" || ds[1].Type != "confirm" || ds[2].Answer != "nobody" {
		t.Errorf("dialogs %+v", ds)
	}
	p.OnDialog(func(d browser.Dialog) (bool, string) { return d.Type == "prompt", "Ada" })
	got = eval[[]any](t, p, "[confirm('?'), prompt('?')]")
	if got[0] != false || got[1] != "Ada" {
		t.Errorf("answers with a policy %v", got)
	}
}

// TestDialogOfAPageThatIsLeft: a game that ends asks for the next page, and something that
// still runs in it asks for the player's attention when that page is there.
func TestDialogOfAPageThatIsLeft(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<script>
		if (location.hash !== '#again') onload = () => setTimeout(() => {
			location.hash = '#again';
			location.reload();
			for (const until = performance.now() + 500; performance.now() < until;); // the next page comes
			alert('lost');
		});
	</script>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	eventually(t, "the page again", func() bool { return len(p.Loads()) == 2 })
	if got := eval[string](t, p, "location.hash"); got != "#again" {
		t.Errorf("page is at %q", got)
	}
	if ds := p.Log().Dialogs(); len(ds) > 0 {
		t.Errorf("dialogs %+v", ds)
	}
	if got := eval[bool](t, p, "alert('found') === undefined"); !got || len(p.Log().Dialogs()) != 1 {
		t.Errorf("dialogs of the next page: %+v", p.Log().Dialogs())
	}
}

func TestDialogInCrossOriginFrame(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{"/far": `<script>alert('from afar'); window.done = true</script>`})
	srv := serve(t, map[string]string{"/": `<iframe src="` + cross(far) + `/far"></iframe>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	if !eval[bool](t, p.Frames()[1], "window.done === true") {
		t.Error("the frame still waits")
	}
}

func TestBeforeUnload(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/":     `<body>stay<script>addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'x' })</script>`,
		"/else": "else",
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	if err := p.Mouse().Click(ctx, 50, 50, nil); err != nil { // Chromium asks only after a gesture
		t.Fatal(err)
	}
	eval[any](t, p, "void (location.href = '/else')")
	eventually(t, "the question", func() bool { return len(p.Log().Dialogs()) == 1 })
	if d := p.Log().Dialogs()[0]; d.Type != "beforeunload" || d.Accepted {
		t.Errorf("dialog %+v, want one that keeps the page", d)
	}
	if got := eval[string](t, p, "document.body.innerText"); got != "stay" {
		t.Errorf("page says %q", got)
	}
	open(t, p, srv.URL+"/else") // our own navigation goes through
	if got := eval[string](t, p, "document.body.innerText"); got != "else" {
		t.Errorf("page says %q", got)
	}
}

// hangs are pages whose main thread never comes back.
func TestPagesThatHang(t *testing.T) {
	tests := []struct{ name, script string }{
		{"infinite loop", `for (;;) {}`},
		{"alert loop", `for (;;) alert('again')`},
	}
	own := launch(t, nil) // a page that breaks down may take others with it
	healthy := newPage(t, own, nil, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, map[string]string{"/": `<body>before<script>setTimeout(() => { ` + tt.script + ` }, 50)</script>`})
			ctx := testContext(t)
			p := newPage(t, own, nil, nil)
			if _, err := p.Navigate(ctx, srv.URL, nil); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the page to hang", func() bool { return !p.Responsive(ctx, 500*time.Millisecond) })
			short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
			defer cancel()
			if err := p.Evaluate(short, "1", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("evaluating: %v", err)
			}
			if got := eval[int](t, healthy, "1+1"); got != 2 {
				t.Error("the other page is held up")
			}
			if err := p.Kill(ctx); err != nil {
				t.Fatal(err)
			}
			if !p.Closed() {
				t.Error("killed but not closed")
			}
			if err := p.Evaluate(ctx, "1", nil); !errors.Is(err, browser.ErrPageClosed) {
				t.Errorf("evaluating on a killed page: %v", err)
			}
			if !healthy.Responsive(ctx, patience) {
				t.Error("the other page went with it")
			}
			if n := len(p.Log().Dialogs()); n > 2000 {
				t.Errorf("%d dialogs kept", n)
			}
		})
	}
}

func TestRendererCrash(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": "alive"})
	own := launch(t, nil) // a page that breaks down may take others with it
	p := newPage(t, own, nil, nil)
	other := newPage(t, own, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)

	waiting := make(chan error, 1)
	go func() { waiting <- p.Evaluate(ctx, "new Promise(() => {})", nil) }()
	eventually(t, "the evaluation to be under way", func() bool { return p.Responsive(ctx, patience) })
	_, err := p.Navigate(ctx, "chrome://crash", nil)
	var nav *browser.NavigationError
	if !errors.As(err, &nav) {
		t.Errorf("crashing navigation: %v", err)
	}
	if err := <-waiting; err == nil {
		t.Error("an evaluation survived the crash")
	}
	eventually(t, "the crash to be noticed", p.Crashed)
	if err := p.Evaluate(ctx, "1", nil); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("evaluating on a crashed page: %v", err)
	}
	if _, err := p.Screenshot(ctx, nil); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("picture of a crashed page: %v", err)
	}
	if n := len(p.Log().Crashes()); n != 1 {
		t.Errorf("%d crashes in the log", n)
	}
	if got := eval[int](t, other, "2"); got != 2 {
		t.Error("the other page crashed too")
	}
	open(t, p, srv.URL)
	if p.Crashed() || eval[string](t, p, "document.body.innerText") != "alive" {
		t.Error("a new navigation did not revive the page")
	}
}

func TestWindowClose(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<script>setTimeout(() => window.close(), 100)</script>`})
	p := newPage(t, chromium, nil, nil)
	ctx := testContext(t)
	if _, err := p.Navigate(ctx, srv.URL, nil); err != nil {
		t.Fatal(err)
	}
	// Chromium may refuse to let a script close what it did not open. Either
	// way nothing may hang.
	select {
	case <-p.Done():
		if err := p.Evaluate(ctx, "1", nil); !errors.Is(err, browser.ErrPageClosed) {
			t.Errorf("evaluating on a closed page: %v", err)
		}
		t.Log("the page closed itself")
	case <-time.After(2 * time.Second):
		if !p.Responsive(ctx, patience) {
			t.Error("the page neither closed nor answers")
		}
		t.Log("the page stayed")
	}
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestPopupStorm(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/": `<body style="height:500px" onclick="for (let i = 0; i < 3; i++) window.open('/popup?' + i)">click
			<a id=a target=_blank href="/popup?link" style="position:absolute;left:300px;top:0">link</a>`,
		"/popup": `<script>new BroadcastChannel('x').postMessage('ran')</script>`,
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	eval[any](t, p, "void (window.ran = 0, new BroadcastChannel('x').onmessage = () => window.ran++)")
	ctx := testContext(t)
	for range 10 {
		if err := p.Mouse().Click(ctx, 50, 50, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Mouse().Click(ctx, 305, 10, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "pop-ups in the log", func() bool { return p.Log().Counts().Popups >= 11 })
	if n := len(p.Context().Pages()); n != 1 {
		t.Errorf("%d pages, want ours", n)
	}
	eventually(t, "the page to answer", func() bool { return p.Responsive(ctx, time.Second) })
	if n := eval[int](t, p, "window.ran"); n != 0 {
		t.Errorf("%d pop-ups ran", n)
	}
	if u := p.Log().Popups()[0].URL; !strings.Contains(u, "/popup") {
		t.Errorf("pop-up address %q", u)
	}
}

func TestConsoleFlood(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<script>
		console.log('first');
		const line = 'x'.repeat(10000);
		for (let i = 0; i < 1000; i++) console.log(i, line);
		console.log('y'.repeat(10 << 20));
		for (let i = 0; i < 5000; i++) console.log('small', i);
		console.log('last');
	</script>`})
	p := newPage(t, chromium, nil, nil)
	before := heap()
	open(t, p, srv.URL)
	last := func() string {
		c := p.Log().Console()
		if len(c) == 0 {
			return ""
		}
		return c[len(c)-1].Text
	}
	eventually(t, "the last line", func() bool { return last() == "last" })
	console := p.Log().Console()
	if console[0].Text != "first" {
		t.Errorf("first line %q", console[0].Text)
	}
	if n := p.Log().Counts(); n.Console < 2000 || n.Dropped == 0 {
		t.Errorf("counts %+v", n)
	}
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("the log holds %d MB", grown>>20)
	}
}

func TestChromiumKilledInTheMiddle(t *testing.T) {
	b := launch(t, nil)
	srv := serve(t, map[string]string{"/": "alive"})
	p := newPage(t, b, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	waiting := make(chan error, 1)
	go func() { waiting <- p.Evaluate(ctx, "new Promise(() => {})", nil) }()
	eventually(t, "the evaluation to be under way", func() bool { return p.Responsive(ctx, patience) })
	if err := syscall.Kill(b.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err == nil {
		t.Error("an evaluation survived its browser")
	}
	<-b.Done()
	<-p.Done()
	var exit *browser.ExitError
	if !errors.As(b.Err(), &exit) {
		t.Errorf("browser ended with %v", b.Err())
	}
	if err := p.Evaluate(ctx, "1", nil); err == nil {
		t.Error("evaluated without a browser")
	}
	if _, err := b.NewContext(ctx, nil); !errors.As(err, &exit) {
		t.Errorf("new context: %v", err)
	}
	if _, err := p.Context().NewPage(ctx, nil); err == nil {
		t.Error("new page without a browser")
	}
}
