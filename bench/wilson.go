package bench

import (
	"fmt"
	"math"
	"slices"
)

// Rate is how many of how many.
type Rate struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Low   float64 `json:"low"` // of the 95 % interval
	High  float64 `json:"high"`
}

// NewRate computes the Wilson interval, which stays sensible for none and for all of few.
func NewRate(count, of int) Rate {
	r := Rate{Count: count, Of: of, High: 1}
	if of == 0 {
		return r
	}
	const z = 1.959963984540054
	n, p := float64(of), float64(count)/float64(of)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	r.Low, r.High = max(0, centre-half), min(1, centre+half)
	if count == 0 {
		r.Low = 0
	}
	if count == of {
		r.High = 1
	}
	return r
}

// Share is the rate as a number; 0 of nothing.
func (r Rate) Share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Count) / float64(r.Of)
}

// String is "2/50 4.0 % [1.1, 13.5]".
func (r Rate) String() string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %.1f %% [%.1f, %.1f]", r.Count, r.Of, 100*r.Share(), 100*r.Low, 100*r.High)
}

// Plain is "2/50 4.0 %", without the interval.
func (r Rate) Plain() string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %.1f %%", r.Count, r.Of, 100*r.Share())
}

// quantile of values by the nearest rank; 0 of nothing.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	rank := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, min(rank, len(sorted)-1))]
}
