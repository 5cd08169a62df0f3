package main

import "testing"

// The ranks are those of the tables for the sign test.
func TestBoundsOfAMedian(t *testing.T) {
	for n, rank := range map[int]int{6: 1, 8: 1, 9: 2, 12: 3, 15: 4, 20: 6, 25: 8} {
		samples := make([]float64, n)
		for i := range samples {
			samples[n-1-i] = float64(i + 1)
		}
		if low, high := bounds(samples); low != float64(rank) || high != float64(n+1-rank) {
			t.Errorf("of %d: %v to %v, not %d to %d", n, low, high, rank, n+1-rank)
		}
	}
}
