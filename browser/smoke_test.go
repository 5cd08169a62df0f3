package browser_test

import (
	"bytes"
	"image/png"
	"testing"
	"time"

	"playtest/browser"
)

func TestSmoke(t *testing.T) {
	b := launch(t, nil)
	ctx := testContext(t)
	inner := serve(t, map[string]string{"/inner": `<body style="margin:0"><button id=b style="position:absolute;left:10px;top:10px;width:100px;height:50px" onclick="window.n=(window.n||0)+1;this.textContent=n">x</button><script>window.sawInit=window.init; addEventListener('keydown',e=>{window.k=[e.key,e.code,e.keyCode,e.isTrusted]})</script>`})
	srv := serve(t, map[string]string{"/": `<body style="margin:0"><h1>hi</h1><iframe src="` + cross(inner) + `/inner" style="border:5px solid red;position:absolute;left:200px;top:100px;width:300px;height:200px"></iframe>
	<script>console.log("hello %s", "you", {a:1}); setTimeout(()=>{throw new Error("boom")}); window.sawInit=window.init; alert("yo")</script>`})
	p := newPage(t, b, nil, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: "window.init=42"}}})
	res := open(t, p, srv.URL)
	t.Logf("%+v", res)
	for _, f := range p.Frames() {
		o, err := f.Origin(ctx)
		t.Log(f.ID(), f.ParentID(), f.URL(), f.Session().Kind, o, err)
		if got := eval[int](t, f, "window.sawInit"); got != 42 {
			t.Errorf("init script: %d", got)
		}
		var iso string
		if err := f.EvaluateIsolated(ctx, "typeof window.init + document.title", &iso); err != nil || iso != "undefined" {
			t.Error(iso, err)
		}
	}
	f := p.Frames()[1]
	if err := p.Mouse().Click(ctx, 205+50, 105+30, nil); err != nil {
		t.Fatal(err)
	}
	if n := eval[int](t, f, "window.n"); n != 1 {
		t.Error("clicks", n)
	}
	if err := p.Keyboard().Press(ctx, "ArrowLeft", 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	t.Log(eval[[]any](t, f, "window.k"))
	raw, err := p.Screenshot(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(raw))
	t.Log(cfg.Width, cfg.Height, err)
	img, err := p.Image(ctx, &browser.Rect{X: 200, Y: 100, Width: 10, Height: 10}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(img.Bounds(), img.At(0, 0))
	t.Logf("%+v", p.Log().Console())
	t.Logf("%+v", p.Log().Exceptions())
	t.Logf("%+v", p.Log().Dialogs())
	t.Logf("%+v", p.Log().Requests())
	t.Logf("%+v", p.Log().Counts())
	t.Log(b.Version(), b.UserAgent(), eval[string](t, p, "navigator.userAgent"))
	t.Log(eval[string](t, p, `(()=>{const gl=document.createElement('canvas').getContext('webgl');const e=gl.getExtension('WEBGL_debug_renderer_info');return gl.getParameter(e.UNMASKED_RENDERER_WEBGL)})()`))
	t.Log(eval[[]any](t, p, "[document.hasFocus(), document.visibilityState, innerWidth, innerHeight, devicePixelRatio, screen.width]"))
}
