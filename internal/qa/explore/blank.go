package explore

import (
	"context"
	"regexp"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
)

// blankCanvases reads the canvases of a document themselves, which elements that
// lie over them or their own border do not hide, in a world where the page cannot have changed
// what reading means. It returns how many it read and how many of them have only
// one colour. One behind a menu that hides all of it is left out, its time has not
// come, and so is one that pointers pass through to the buttons of the document.
const blankCanvases = `(() => {
	const out = { read: 0, blank: 0 };
	const behindMenu = (c, box) => {
		const left = Math.max(0, box.left), top = Math.max(0, box.top);
		const right = Math.min(innerWidth, box.right), bottom = Math.min(innerHeight, box.bottom);
		let el = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
		for (; el && el !== c && !el.contains(c); el = el.parentElement) {
			const r = el.getBoundingClientRect(), s = getComputedStyle(el);
			const hides = s.backgroundImage !== 'none' || /^rgb\(/.test(s.backgroundColor);
			if (hides && r.left <= left + 1 && r.top <= top + 1 && r.right >= right - 1 && r.bottom >= bottom - 1)
				return !!el.querySelector('button,a,input,[onclick],[role=button]');
		}
		return false;
	};
	const buttons = [...document.querySelectorAll('button,input,select,textarea,[onclick],[role=button]')].some((b) => b.checkVisibility() && b.offsetWidth > 0);
	for (const c of document.querySelectorAll('canvas')) {
		if (buttons && getComputedStyle(c).pointerEvents === 'none') continue;
		const box = c.getBoundingClientRect();
		if (box.width * box.height < 0.08 * innerWidth * innerHeight || !c.width || !c.height || behindMenu(c, box)) continue;
		const shrink = Math.min(1, 1024 / c.width, 1024 / c.height);
		const copy = document.createElement('canvas');
		copy.width = Math.max(1, c.width * shrink), copy.height = Math.max(1, c.height * shrink);
		const to = copy.getContext('2d', { willReadFrequently: true });
		try {
			to.drawImage(c, 0, 0, copy.width, copy.height);
			const pixels = new Uint32Array(to.getImageData(0, 0, copy.width, copy.height).data.buffer);
			out.read++;
			if (pixels.every((p) => p === pixels[0])) out.blank++;
		} catch { out.read++ } // pictures of another site are nobody's to read, but they are there
	}
	return out;
})()`

// paints is code that draws on a canvas.
var paints = regexp.MustCompile(`\.(fillRect|strokeRect|fillText|strokeText|drawImage|putImageData|fill\(\)|stroke\(\))`)

// paintsNothing reports whether the game's code draws on canvases that stay empty
// all the same.
func (e *Explorer) paintsNothing(ctx context.Context, r *probe.Reading) bool {
	for _, c := range r.Canvases() {
		if c.Kind != "2d" {
			return false // others cannot be read from outside
		}
	}
	if e.g.Code == nil || !e.allBlank(ctx) || !e.ran(ctx, paints, everyScript) {
		return false
	}
	e.g.Pause(ctx, between) // it may be between two screens
	return e.allBlank(ctx)
}

const between = 800 * time.Millisecond

func (e *Explorer) allBlank(ctx context.Context) bool {
	read, blank := 0, 0
	for _, f := range e.g.Page.Frames() {
		var n struct{ Read, Blank int }
		if err := f.EvaluateIsolated(ctx, blankCanvases, &n); err != nil {
			return false
		}
		read, blank = read+n.Read, blank+n.Blank
	}
	return read > 0 && blank == read
}
