package model

import "slices"

// Effort is how hard a model should think.
type Effort string

// The levels that vendors have, the least first. Few models have all of them;
// a request that names another one gets the nearest that there is.
const (
	NoEffort      Effort = "none"
	MinimalEffort Effort = "minimal"
	LowEffort     Effort = "low"
	MediumEffort  Effort = "medium"
	HighEffort    Effort = "high"
	XHighEffort   Effort = "xhigh"
	MaxEffort     Effort = "max"
)

// efforts is all of them in order.
var efforts = []Effort{NoEffort, MinimalEffort, LowEffort, MediumEffort, HighEffort, XHighEffort, MaxEffort}

// nearest is the level out of those offered that is nearest to the one asked
// for, the lesser of two that are as near.
func nearest(offered []Effort, asked Effort) Effort {
	want := slices.Index(efforts, asked)
	if want < 0 {
		return ""
	}
	best, distance := Effort(""), len(efforts)
	for _, e := range offered {
		at := slices.Index(efforts, e)
		if d := max(at-want, want-at); at >= 0 && d < distance {
			best, distance = e, d
		}
	}
	return best
}
