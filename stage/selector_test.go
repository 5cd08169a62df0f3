package stage_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/stage"
)

const twoCarts = `<div id="cart"><p>My cart</p><div><button onclick="document.title='cart'">Go</button></div></div>
<div class="wish"><p>My wishes</p><button onclick="document.title='wish'">Go</button></div>
<x-card></x-card><iframe src="/inner"></iframe>
<script>document.querySelector('x-card').attachShadow({mode:'closed'}).innerHTML = '<div id="deep"><button>Go</button></div>';
document.querySelector('x-card').onclick = () => document.title = 'deep';</script>`

func carts(t testing.TB) string {
	return serve(t, map[string]string{"/": twoCarts, "/inner": `<div id="far"><button onclick="parent.document.title='far'">Go</button></div>`}).URL + "/"
}

// Within takes what browser.Locator takes, also for elements that have no line in
// the tree.
func TestWithinTakesAnySelector(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ within, want string }{
		{"#cart", "cart"}, {"css=.wish", "wish"}, {"//div[@class='wish']", "wish"}, {"xpath=/html[1]/body[1]/div[1]", "cart"},
		{"#deep", "deep"}, {"x-card >> div", "deep"}, {"#far", "far"}, {"iframe >> body", "far"},
	} {
		t.Run(tt.within, func(t *testing.T) {
			s := open(t, carts(t), script(t, func(tree string) any {
				if strings.Count(tree, `button "Go"`) != 1 {
					t.Errorf("sent:\n%s", tree)
				}
				return do(stage.Click, `button "Go"`)(tree)
			}), nil)
			if _, err := s.Act(testContext(t), "go", &stage.ActOptions{Within: tt.within}); err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, "document.title"); got != tt.want {
				t.Errorf("clicked %q", got)
			}
		})
	}
	t.Run("mistakes", func(t *testing.T) {
		s := open(t, carts(t), script(t), nil)
		for within, want := range map[string]error{"#nowhere": stage.ErrUnknownID, "button": browser.ErrSeveral, "#a[": browser.ErrSelector} {
			if _, err := s.Observe(testContext(t), "x", &stage.ObserveOptions{Within: within}); !errors.Is(err, want) {
				t.Errorf("%s: got %v", within, err)
			}
		}
	})
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	s := open(t, carts(t), script(t, func(tree string) any {
		for _, gone := range []string{"My wishes", "My cart"} {
			if strings.Contains(tree, gone) {
				t.Errorf("%s was sent:\n%s", gone, tree)
			}
		}
		if strings.Count(tree, `button "Go"`) != 2 {
			t.Errorf("sent:\n%s", tree)
		}
		return `{"elements": [], "part": 0}`
	}), &stage.Options{Ignore: []string{"#cart"}})
	if _, err := s.Observe(testContext(t), "", &stage.ObserveOptions{Ignore: []string{"//div[@class='wish']", "#nowhere"}}); err != nil {
		t.Fatal(err)
	}
}

// What is never to be shown is not shown however often it is there, wherever.
func TestIgnoreLeavesOutAll(t *testing.T) {
	t.Parallel()
	html := `<h1>Shop</h1>` + strings.Repeat(`<p class="ad">Buy more</p>`, 1200) + `<x-ad></x-ad><iframe src="/inner"></iframe>
<script>document.querySelector('x-ad').attachShadow({mode:'closed'}).innerHTML = '<p class="ad">Buy in the shadow</p>'</script>`
	site := serve(t, map[string]string{"/": html, "/inner": `<h2>Inside</h2><p class="ad">Buy in the frame</p>`}).URL + "/"
	s := open(t, site, script(t, func(tree string) any {
		if strings.Contains(tree, "Buy") || !strings.Contains(tree, "Shop") || !strings.Contains(tree, "Inside") {
			t.Errorf("sent:\n%.2000s", tree)
		}
		return `{"elements": [], "part": 0}`
	}), &stage.Options{Ignore: []string{".ad"}})
	if _, err := s.Observe(testContext(t), "", nil); err != nil {
		t.Fatal(err)
	}
}

// An action written by hand needs a method and a selector.
func TestPerformTakesAnySelector(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "photo.png")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	const html = `<div id="plain" style="width:90px;height:20px">plain</div><input id="file" type="file" style="display:none" onchange="document.title=this.files[0].name">
<p class="row">one</p><p class="row">two</p>
<script>document.getElementById('plain').addEventListener('mousedown', () => document.title = 'plain')</script>`
	s := page(t, html, nil, nil)
	ctx := testContext(t)
	perform := func(a stage.Action, want string) {
		t.Helper()
		if _, err := s.Perform(ctx, a, &stage.ActOptions{Files: []string{file}}); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
	perform(stage.Action{Method: stage.Click, Selector: "#plain"}, "plain")
	perform(stage.Action{Method: stage.Upload, Selector: "css=input[type=file]", Arguments: []string{"photo.png"}}, "photo.png")
	for selector, want := range map[string]error{".row": browser.ErrSeveral, "#nowhere": stage.ErrGone} {
		if _, err := s.Perform(ctx, stage.Action{Method: stage.Click, Selector: selector}, nil); !errors.Is(err, want) {
			t.Errorf("%s: got %v", selector, err)
		}
	}
}

const blankLinks = `<a href="/two" target="_blank">Second page</a><button onclick="document.title='heard'; document.body.append('x'); window.open('/two')">Help</button>`

// A link that opens nothing has not been followed.
func TestActOnBlankTarget(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{"/": blankLinks, "/two": `<title>Two</title><button onclick="document.title='three'">Next</button>`})
	t.Run("tabs are off", func(t *testing.T) {
		s := open(t, site.URL+"/", script(t, do(stage.Click, `link "Second page"`), do(stage.Click, `button "Help"`)), nil)
		done, err := s.Act(testContext(t), "open the second page", nil)
		var a *stage.ActError
		if !errors.Is(err, stage.ErrTab) || !errors.As(err, &a) || !a.Sent || !strings.Contains(err.Error(), "/two") || len(done.Actions) != 0 {
			t.Errorf("got %+v, %v", done, err)
		}
		// A click that did something else, too, is told of its window.
		done, err = s.Act(testContext(t), "help", nil)
		if err != nil || len(done.Refused) != 1 {
			t.Errorf("got %+v, %v", done, err)
		}
	})
	t.Run("tabs are on", func(t *testing.T) {
		ctx := testContext(t)
		c, err := chromium.NewContext(ctx, &browser.ContextOptions{Tabs: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		p, err := c.NewPage(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Navigate(ctx, site.URL+"/", nil); err != nil {
			t.Fatal(err)
		}
		s, err := stage.New(ctx, p, script(t, do(stage.Click, `link "Second page"`), do(stage.Click, `button "Next"`)), nil)
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Act(ctx, "open the second page", nil)
		if err != nil || len(done.Opened) != 1 || !strings.HasSuffix(done.URL, "/two") {
			t.Fatalf("got %+v, %v", done, err)
		}
		if _, err := s.Act(ctx, "go on", nil); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "three" || s.Page() == p {
			t.Errorf("title %q", got)
		}
	})
}

func TestOpenAndGoto(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{"/": `<p>one</p>`, "/two": `<p>two</p>`})
	ctx := testContext(t)
	s, err := stage.Open(ctx, site.URL+"/", nil, &stage.OpenOptions{Browser: chromium, Context: &browser.ContextOptions{Width: 600, Height: 400}})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.Text(ctx); err != nil || text != "one\n" || eval[int](t, s, "innerWidth") != 600 {
		t.Errorf("got %q, %v", text, err)
	}
	if err := s.Goto(ctx, site.URL+"/nowhere"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v", err)
	}
	if err := s.Goto(ctx, site.URL+"/two"); err != nil {
		t.Fatal(err)
	}
	if text, err := s.Text(ctx); err != nil || text != "two\n" {
		t.Errorf("got %q, %v", text, err)
	}
	p := s.Page()
	if err := s.Close(); err != nil || !p.Closed() || chromium.Err() != nil {
		t.Errorf("closed %v, %v", p.Closed(), err)
	}
	if _, err := stage.Open(ctx, "http://127.0.0.1:1/", nil, &stage.OpenOptions{Browser: chromium}); err == nil {
		t.Error("nobody is there")
	}
}
