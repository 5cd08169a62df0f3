package probe_test

import "testing"

func TestSmoke(t *testing.T) {
	w := html(t, `<canvas id=c width=300 height=200></canvas><script>
	const x = c.getContext('2d'); x.font='20px sans-serif';
	(function f(){ x.clearRect(0,0,300,200); x.fillText('PLAY', 50, 60); requestAnimationFrame(f); })();
	addEventListener('keydown', e => e.key);</script>`)
	st := w.main()
	t.Logf("%+v", st)
	els, err := w.probe.Elements(w.ctx, w.page, struct{X,Y float64}{10, 10})
	t.Logf("%+v %v", els, err)
	w.clean()
}
