package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// serve puts the bench pages on loopback, under two names so that one frame
// can be of another site.
func serve() *httptest.Server {
	var other string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := map[string]func() string{
			"/small": func() string { return rows("Small", 17) },
			"/large": func() string { return rows("Large", 1000) },
			"/frames": func() string {
				return nested(4)
			},
			"/nested/3": func() string { return nested(3) },
			"/nested/2": func() string { return nested(2) },
			"/nested/1": func() string { return nested(1) },
			"/cross": func() string {
				return `<title>Cross</title><button>Outside</button><iframe width="600" height="400" src="` + other + `/small"></iframe>`
			},
			"/canvas": func() string { return canvas },
		}[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", page())
	}))
	other = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	return s
}

// rows is a list with three controls a row.
func rows(title string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<title>%s</title><main><h1>%s shop</h1><form onsubmit="return false">`, title, title)
	for i := range n {
		fmt.Fprintf(&b, `<div class="row"><a href="/item/%d">Article %d</a> <input aria-label="Amount %d" value="1"> <button type="button">Add %d</button></div>`, i, i, i, i)
	}
	b.WriteString("</form></main>")
	return b.String()
}

// nested is a document with a shadow root and another document inside.
func nested(depth int) string {
	page := fmt.Sprintf(`<title>Level %d</title><button>Button %d</button><x-box></x-box>
<script>customElements.define('x-box', class extends HTMLElement { constructor() { super();
  this.attachShadow({mode: 'open'}).innerHTML = '<p>Shadow %d</p><button>Shadow button %d</button>' } })</script>`, depth, depth, depth, depth)
	if depth > 1 {
		page += fmt.Sprintf(`<iframe width="900" height="500" src="/nested/%d"></iframe>`, depth-1)
	}
	return page
}

// paintedTexts are on the canvas page.
var paintedTexts = []string{"STARFALL", "PLAY", "OPTIONS", "SCORES"}

// canvas is a game's title screen: everything on it is paint.
const canvas = `<title>Canvas</title><style>body{margin:0}</style><canvas width="1280" height="720"></canvas><script>
const g = document.querySelector('canvas').getContext('2d');
function frame(t) {
  g.fillStyle = '#123'; g.fillRect(0, 0, 1280, 720);
  g.fillStyle = '#fff'; g.textAlign = 'center'; g.font = '60px sans-serif'; g.fillText('STARFALL', 640, 200);
  g.font = '30px sans-serif'; g.fillText('PLAY', 640, 400); g.fillText('OPTIONS', 640, 460); g.fillText('SCORES', 640, 520);
  g.beginPath(); g.arc(640 + 300 * Math.cos(t / 900), 360, 10, 0, 7); g.fill();
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
</script>`
