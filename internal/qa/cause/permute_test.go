package cause

import (
	"math"
	"testing"
)

func TestPermute(t *testing.T) {
	difference := func(a, b []float64) func([]bool) float64 {
		return func(isWith []bool) float64 { return meanDifference(a, b, isWith) }
	}
	tests := []struct {
		name string
		a, b []float64
		want float64
	}{
		{"no windows with", nil, []float64{1, 2}, 1},
		{"no windows without", []float64{1}, nil, 1},
		{"no difference", []float64{1, 1}, []float64{1, 1}, 1},
		{"the wrong way", []float64{0, 0}, []float64{1, 1}, 1},
		// Of all ways to choose, only the true one is as large.
		{"one of four", []float64{5}, []float64{1, 1, 1}, 1.0 / 4},
		{"one of ten", []float64{5, 6}, []float64{1, 1, 2}, 1.0 / 10},
		{"one of twenty", []float64{5, 6, 7}, []float64{1, 2, 3}, 1.0 / 20},
		{"one of seventy", []float64{5, 6, 7, 8}, []float64{1, 2, 3, 4}, 1.0 / 70},
		{"ties count", []float64{5, 5}, []float64{5, 0, 0}, 3.0 / 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := permute(len(tt.a), len(tt.b), difference(tt.a, tt.b)); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestPermuteSamples: where there are too many labelings, the sample gives the
// same answer each time, and never nought.
func TestPermuteSamples(t *testing.T) {
	a := []float64{9, 9, 9, 9, 9, 9, 9}
	b := []float64{1, 2, 1, 2, 1, 2, 1}
	statistic := func(isWith []bool) float64 { return meanDifference(a, b, isWith) }
	first := permute(len(a), len(b), statistic)
	if first <= 0 || first > 0.01 {
		t.Errorf("p is %v", first)
	}
	if again := permute(len(a), len(b), statistic); again != first {
		t.Errorf("%v, then %v", first, again)
	}
}

func TestBinomialAndCombinations(t *testing.T) {
	for _, tt := range []struct{ n, k, want int }{{0, 0, 1}, {4, 0, 1}, {4, 2, 6}, {10, 3, 120}, {12, 6, 924}} {
		if got := binomial(tt.n, tt.k); got != tt.want {
			t.Errorf("binomial(%d, %d) = %d", tt.n, tt.k, got)
		}
		seen := map[int]bool{}
		combinations(tt.n, tt.k, func(chosen []int) {
			key := 0
			for _, i := range chosen {
				key |= 1 << i
			}
			seen[key] = true
		})
		if len(seen) != tt.want {
			t.Errorf("%d of %d: %d different choices", tt.k, tt.n, len(seen))
		}
	}
	if got := binomial(64, 32); got <= maxPermutations {
		t.Errorf("a large number became %d", got)
	}
}
