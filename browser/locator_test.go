package browser_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// The page of the selector tests: light, open and closed shadow, and frames of
// the same and of another site.
var placesHTML = map[string]string{
	"/": `<!doctype html><div id="cart" class="box"><span>Tea</span><span>Cake</span></div>
<x-open></x-open><x-closed></x-closed>
<iframe name="near" src="/near" style="width:300px;height:120px"></iframe>
<iframe name="far" src="{{other}}/far" style="width:300px;height:120px"></iframe>
<script>
document.querySelector('x-open').attachShadow({mode: 'open'}).innerHTML = '<p><button data-testid="open-one">Open one</button></p>';
document.querySelector('x-closed').attachShadow({mode: 'closed'}).innerHTML = '<p><button id="shut" onclick="document.title=\'shut\'">Closed one</button></p>';
</script>`,
	"/near": `<!doctype html><button id="near">Near "one"</button>`,
	"/far":  `<!doctype html><button id="far" onclick="this.textContent='clicked'">Far one</button>`,
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	pages := maps.Clone(placesHTML)
	srv := serve(t, pages)
	pages["/"] = strings.ReplaceAll(pages["/"], "{{other}}", cross(srv))
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	if err := p.WaitForSelector(ctx, "iframe[name=far] >> #far"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		selector string
		text     string // of the one element, or
		count    int
	}{
		{"#cart", "TeaCake", 1},
		{"css=#cart > span", "", 2},
		{"css=#cart > span >> nth=1", "Cake", 1},
		{"#cart >> span >> nth=0", "Tea", 1},
		{"//div[@class='box']/span[2]", "Cake", 1},
		{"xpath=/html[1]/body[1]/div[1]/span[1]", "Tea", 1},
		{"xpath=//span/text()", "", 2},
		{"text=cake", "Cake", 1},
		{`text="Tea"`, "Tea", 1},
		{`text="Te"`, "", 0},
		{"testid=open-one", "Open one", 1},
		{"x-open >> button", "Open one", 1},
		{"xpath=/html[1]/body[1]/x-open[1] >> /p[1]/button[1]", "Open one", 1},
		{"x-open >> //button", "Open one", 1},
		{"x-closed >> button", "Closed one", 1},
		{"#shut", "Closed one", 1},
		{"id=near", `Near "one"`, 1},
		{"iframe[name=near] >> button", `Near "one"`, 1},
		{"xpath=/html[1]/body[1]/iframe[2] >> /html[1]/body[1]/button[1]", "Far one", 1},
		{`role=button[name="Near \"one\""]`, `Near "one"`, 1},
		{"#nowhere", "", 0},
		{"#cart >> #nowhere >> b", "", 0},
	}
	for _, tt := range tests {
		n, err := p.Locator(tt.selector).Count(ctx)
		if err != nil || n != tt.count {
			t.Errorf("%s fits %d, want %d (%v)", tt.selector, n, tt.count, err)
			continue
		}
		if tt.text == "" {
			continue
		}
		if got, err := p.Locator(tt.selector).Text(ctx); err != nil || got != tt.text {
			t.Errorf("%s says %q, want %q (%v)", tt.selector, got, tt.text, err)
		}
	}
	for _, bad := range []string{"", " >> a", "css=", "#a[", "xpath=//[", "role=button[title=x]", "nth=1", "a >> nth=x"} {
		if _, err := p.Locator(bad).Count(ctx); !errors.Is(err, browser.ErrSelector) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	if err := p.Locator("span").Click(ctx, nil); !errors.Is(err, browser.ErrSeveral) || !strings.Contains(err.Error(), "2 of them") {
		t.Errorf("two spans: got %v", err)
	}
	if err := p.Locator("#shut").Click(ctx, nil); err != nil {
		t.Error(err)
	}
	if got := eval[string](t, p, "document.title"); got != "shut" {
		t.Errorf("the button in the closed root was not clicked: %q", got)
	}
	if err := p.Locator("#far").Click(ctx, nil); err != nil {
		t.Error(err)
	}
	if got, err := p.Locator("#far").Text(ctx); err != nil || got != "clicked" {
		t.Errorf("the button of the other site says %q, %v", got, err)
	}
}

// A locator waits until what it is for can be acted on.
func TestLocatorWaits(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, html string }{
		{"until it is there", `<script>setTimeout(() => document.body.innerHTML = '<button id=b onclick="document.title=1">B</button>', 300)</script>`},
		{"until it can be seen", `<button id=b style="display:none" onclick="document.title=1">B</button><script>setTimeout(() => b.style.display = '', 300)</script>`},
		{"until it is enabled", `<button id=b disabled onclick="document.title=1">B</button><script>setTimeout(() => b.disabled = false, 300)</script>`},
		{"until nothing covers it", `<button id=b onclick="document.title=1">B</button><div id=veil style="position:fixed;inset:0"></div><script>setTimeout(() => veil.remove(), 300)</script>`},
		{"until it stands still", `<style>@keyframes m{from{margin-left:0}to{margin-left:300px}} #b{animation:m .4s linear}</style><button id=b onclick="document.title=1">B</button>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPage(t, chromium, nil, nil)
			open(t, p, serve(t, map[string]string{"/": "<!doctype html><body>" + tt.html}).URL)
			if err := p.Locator("#b").Click(testContext(t), nil); err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, p, "document.title"); got != "1" {
				t.Errorf("it was not clicked")
			}
		})
	}
	t.Run("and says what it waited for", func(t *testing.T) {
		p := newPage(t, chromium, nil, nil)
		open(t, p, serve(t, map[string]string{"/": `<!doctype html><button id=b>B</button><div id=veil style="position:fixed;inset:0">Cookies</div>`}).URL)
		ctx, cancel := context.WithTimeout(testContext(t), 2*time.Second)
		defer cancel()
		if err := p.Locator("#b").Click(ctx, nil); !errors.Is(err, browser.ErrCovered) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "Cookies") {
			t.Errorf("got %v", err)
		}
	})
}

func TestLocatorFields(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "photo.png")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPage(t, chromium, nil, nil)
	open(t, p, serve(t, map[string]string{"/": `<!doctype html><input id=name value=old><input id=day type=date>
<select id=one><option>Red</option><option value=g>Green</option></select><label><input id=box type=checkbox>ok</label>
<input id=file type=file style="display:none" onchange="document.title=this.files[0].name"><p id=p hidden>later</p><a id=a href="/x">x</a>`}).URL)
	ctx := testContext(t)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	do(p.Locator("#name").Fill(ctx, "Ada"))
	do(p.Locator("#name").Type(ctx, " L"))
	do(p.Locator("#day").Fill(ctx, "2026-11-17"))
	do(p.Locator("#one").Select(ctx, "Green"))
	do(p.Locator("#box").Check(ctx, true))
	do(p.Locator("#box").Check(ctx, true))
	do(p.Locator("#file").SetFiles(ctx, file))
	do(p.Locator("#name").Press(ctx, "Backspace"))
	want := `["Ada ","2026-11-17","g",true,"photo.png"]`
	if got := eval[string](t, p, "JSON.stringify([document.getElementById('name').value, day.value, one.value, box.checked, document.title])"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if v, err := p.Locator("#name").Value(ctx); err != nil || v != "Ada " {
		t.Errorf("value %q, %v", v, err)
	}
	if v, err := p.Locator("#a").Attribute(ctx, "href"); err != nil || v != "/x" {
		t.Errorf("attribute %q, %v", v, err)
	}
	if seen, err := p.Locator("#p").Visible(ctx); err != nil || seen {
		t.Errorf("hidden is visible: %v, %v", seen, err)
	}
	do(p.Locator("#p").WaitFor(ctx, browser.Attached))
	do(p.Locator("#p").WaitFor(ctx, browser.Hidden))
	if err := p.Locator("#one").Select(ctx, "Blue"); !errors.Is(err, browser.ErrNoOption) {
		t.Errorf("no such option: %v", err)
	}
	if err := p.Locator("#a").Fill(ctx, "x"); !errors.Is(err, browser.ErrNotEditable) {
		t.Errorf("a link: %v", err)
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/": `<!doctype html><button id=b onclick="fetch('/data?x=1').then(() => { history.pushState(0, '', '/done'); document.body.append('All done') })">Go</button>`, "/data": `{}`,
		"/two": `<!doctype html>two`,
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	r, err := p.WaitForResponse(ctx, "*/data*", func(ctx context.Context) error { return p.Locator("#b").Click(ctx, nil) })
	if err != nil || r.Status != 200 || !strings.HasSuffix(r.URL, "/data?x=1") {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, wait := range []func() error{
		func() error { return p.WaitForURL(ctx, "*/done") },
		func() error { return p.WaitForText(ctx, "all done") },
		func() error { return p.WaitIdle(ctx) },
		func() error { return p.Back(ctx) },
		func() error { return p.Forward(ctx) },
		func() error { return p.WaitForURL(ctx, "*/done") },
	} {
		if err := wait(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Forward(ctx); !errors.Is(err, browser.ErrNoHistory) {
		t.Errorf("nothing to go forward to: %v", err)
	}
	open(t, p, srv.URL+"/two")
	eval[any](t, p, "void (window.mark = 1)")
	if err := p.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if got := eval[bool](t, p, "'mark' in window"); got {
		t.Error("the page was not loaded again")
	}
	if err := p.Back(ctx); err != nil || !strings.HasSuffix(p.URL(), "/done") {
		t.Errorf("back at %s, %v", p.URL(), err)
	}
}
