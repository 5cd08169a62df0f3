package coverage

import "sort"

// Span is a stretch of source code, its end excluded.
type Span struct{ Start, End int }

// Spans are disjoint stretches in ascending order.
type Spans []Span

type counted struct {
	start, end int
	ran        bool
}

// flatten turns V8's nested ranges into the stretches that ran: at every place
// the innermost range decides.
func flatten(ranges []counted) Spans {
	sort.SliceStable(ranges, func(i, j int) bool {
		if ranges[i].start != ranges[j].start {
			return ranges[i].start < ranges[j].start
		}
		return ranges[i].end > ranges[j].end
	})
	var out Spans
	emit := func(from, to int, ran bool) {
		if !ran || from >= to {
			return
		}
		if n := len(out); n > 0 && out[n-1].End == from {
			out[n-1].End = to
			return
		}
		out = append(out, Span{from, to})
	}
	var open []counted
	at := 0
	closeUntil := func(pos int) {
		for len(open) > 0 && open[len(open)-1].end <= pos {
			top := open[len(open)-1]
			emit(at, top.end, top.ran)
			at = max(at, top.end)
			open = open[:len(open)-1]
		}
	}
	for _, r := range ranges {
		closeUntil(r.start)
		if len(open) > 0 {
			emit(at, r.start, open[len(open)-1].ran)
		}
		at = max(at, r.start)
		open = append(open, r)
	}
	closeUntil(int(^uint(0) >> 1))
	return out
}

// Size is the number of characters in the spans.
func (s Spans) Size() int {
	n := 0
	for _, x := range s {
		n += x.End - x.Start
	}
	return n
}

// Contains reports whether the offset lies in one of the spans.
func (s Spans) Contains(offset int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].End > offset })
	return i < len(s) && s[i].Start <= offset
}

// Union returns what lies in s or in o.
func (s Spans) Union(o Spans) Spans {
	if len(s) == 0 {
		return o
	}
	if len(o) == 0 {
		return s
	}
	all := make(Spans, 0, len(s)+len(o))
	all = append(append(all, s...), o...)
	sort.Slice(all, func(i, j int) bool { return all[i].Start < all[j].Start })
	out := all[:1]
	for _, x := range all[1:] {
		last := &out[len(out)-1]
		if x.Start <= last.End {
			last.End = max(last.End, x.End)
			continue
		}
		out = append(out, x)
	}
	return out
}

// Subtract returns what lies in s and not in o.
func (s Spans) Subtract(o Spans) Spans {
	var out Spans
	j := 0
	for _, x := range s {
		at := x.Start
		for j > 0 && o[j-1].End > at {
			j--
		}
		for ; j < len(o) && o[j].Start < x.End; j++ {
			if o[j].End <= at {
				continue
			}
			if o[j].Start > at {
				out = append(out, Span{at, o[j].Start})
			}
			at = max(at, o[j].End)
			if at >= x.End {
				break
			}
		}
		if at < x.End {
			out = append(out, Span{at, x.End})
		}
	}
	return out
}

// Intersect returns what lies in both.
func (s Spans) Intersect(o Spans) Spans {
	var out Spans
	i, j := 0, 0
	for i < len(s) && j < len(o) {
		from, to := max(s[i].Start, o[j].Start), min(s[i].End, o[j].End)
		if from < to {
			out = append(out, Span{from, to})
		}
		if s[i].End < o[j].End {
			i++
		} else {
			j++
		}
	}
	return out
}

// InMoreThan returns what lies in more than n of the lists.
func InMoreThan(lists []Spans, n int) Spans {
	type edge struct{ at, step int }
	var edges []edge
	for _, l := range lists {
		for _, x := range l {
			edges = append(edges, edge{x.Start, 1}, edge{x.End, -1})
		}
	}
	sort.Slice(edges, func(i, j int) bool { return edges[i].at < edges[j].at })
	var out Spans
	depth := 0
	for i := 0; i < len(edges); {
		at, before := edges[i].at, depth
		for ; i < len(edges) && edges[i].at == at; i++ {
			depth += edges[i].step
		}
		if before <= n && depth > n {
			out = append(out, Span{at, at})
		} else if before > n && depth <= n {
			out[len(out)-1].End = at
		}
	}
	return out
}
