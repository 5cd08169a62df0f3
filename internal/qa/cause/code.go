package cause

import (
	"fmt"
	"math/bits"
	"sort"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/record"
)

// specific is the code that ran with an input and never without it.
type specific struct {
	sample  coverage.Sample
	p       float64
	hits    int // windows with the input that have code of their own
	windows int
	without int
	chars   int
}

func (s specific) holds() bool {
	if s.chars == 0 || s.hits == 0 {
		return false
	}
	if s.p <= significance {
		return true
	}
	// Two windows are too few for the permutation to be sure; that only the
	// true labels set them apart from several others is the most it can say.
	return s.windows == 2 && s.hits == 2 && s.without >= 4 && s.p < 0.07
}

func (s specific) signal(name string) record.Signal {
	sig := record.Signal{Name: name, P: s.p, Holds: s.holds()}
	if s.windows > 0 {
		sig.With = float64(s.hits) / float64(s.windows)
	}
	if s.chars > 0 {
		sig.Detail = fmt.Sprintf("%d characters of code ran in %d of %d windows with the input and in none of %d without", s.chars, s.hits, s.windows, s.without)
	}
	return sig
}

// specificCode finds the pieces of code that ran in most windows with the
// input and in none without.
func specificCode(with, without []Window, of func(Window) coverage.Sample) specific {
	out := specific{p: 1, windows: len(with), without: len(without)}
	if len(with) == 0 || len(without) == 0 || len(with)+len(without) > 64 {
		return out
	}
	var samples []coverage.Sample
	for _, w := range with {
		samples = append(samples, of(w))
	}
	for _, w := range without {
		samples = append(samples, of(w))
	}
	pieces := split(samples)
	masks := map[uint64]int{}
	for _, p := range pieces {
		masks[p.mask] += p.span.End - p.span.Start
	}
	a := len(with)
	trueWith := uint64(1)<<a - 1
	out.hits = bits.OnesCount64(exclusive(masks, trueWith))
	if out.hits*3 < a*2 {
		out.hits = 0
		return out
	}
	out.p = permute(a, len(without), func(isWith []bool) float64 {
		var label uint64
		for i, w := range isWith {
			if w {
				label |= 1 << i
			}
		}
		return contrast(masks, label, a, len(without))
	})
	out.sample = coverage.Sample{}
	for _, p := range pieces {
		if p.mask&^trueWith != 0 {
			continue
		}
		out.chars += p.span.End - p.span.Start
		sc := out.sample[p.script]
		if sc == nil {
			sc = &coverage.Script{URL: p.url}
			for _, s := range samples[:a] {
				if o := s[p.script]; o != nil {
					sc.Functions = append(sc.Functions, o.Functions...)
				}
			}
			out.sample[p.script] = sc
		}
		sc.Ran = sc.Ran.Union(coverage.Spans{p.span})
	}
	return out
}

// exclusive are the labelled windows in which code ran that ran in no window
// without the label. It need not be the same code each time: a key may begin a
// round, then jump, then close a message.
func exclusive(masks map[uint64]int, label uint64) uint64 {
	var hits uint64
	for m := range masks {
		if m&^label == 0 {
			hits |= m
		}
	}
	return hits
}

// contrast is how much more often labelled windows have code of their own than
// the others do, each of the others held against the rest of them.
func contrast(masks map[uint64]int, label uint64, with, without int) float64 {
	var own, others uint64
	for m := range masks {
		switch rest := m &^ label; {
		case rest == 0:
			own |= m
		case rest&(rest-1) == 0:
			others |= rest
		}
	}
	return float64(bits.OnesCount64(own))/float64(with) - float64(bits.OnesCount64(others))/float64(without)
}

// piece is a stretch of code with the windows in which it ran.
type piece struct {
	script coverage.ScriptID
	url    string
	span   coverage.Span
	mask   uint64
}

// split cuts the code of all samples at every boundary, so that each piece ran
// wholly or not at all in each window.
func split(samples []coverage.Sample) []piece {
	type edge struct{ at, window int }
	scripts := map[coverage.ScriptID]string{}
	for _, s := range samples {
		for id, sc := range s {
			scripts[id] = sc.URL
		}
	}
	var out []piece
	for id, url := range scripts {
		var starts, ends []edge
		for w, s := range samples {
			if sc := s[id]; sc != nil {
				for _, sp := range sc.Ran {
					starts = append(starts, edge{sp.Start, w})
					ends = append(ends, edge{sp.End, w})
				}
			}
		}
		sort.Slice(starts, func(i, j int) bool { return starts[i].at < starts[j].at })
		sort.Slice(ends, func(i, j int) bool { return ends[i].at < ends[j].at })
		var mask uint64
		at, i, j := 0, 0, 0
		for j < len(ends) {
			next := ends[j].at
			if i < len(starts) && starts[i].at < next {
				next = starts[i].at
			}
			if mask != 0 && next > at {
				out = append(out, piece{id, url, coverage.Span{Start: at, End: next}, mask})
			}
			at = next
			for j < len(ends) && ends[j].at == at {
				mask &^= 1 << ends[j].window
				j++
			}
			for i < len(starts) && starts[i].at == at {
				mask |= 1 << starts[i].window
				i++
			}
		}
	}
	return out
}
