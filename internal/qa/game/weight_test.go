package game

import "testing"

func TestGrowth(t *testing.T) {
	tests := []struct {
		name string
		heap []float64
		want bool
	}{
		{"rises to the last", []float64{4, 9, 22, 37, 50, 64, 80, 95}, true},
		{"too few looks", []float64{4, 9, 40, 80, 120}, false},
		{"things are loaded, then it rests", []float64{4, 9, 40, 60, 61, 61.5, 61.6, 61.8, 61.9, 62}, false},
		{"garbage comes and goes", []float64{4, 20, 40, 12, 35, 50, 14, 38, 52}, false},
		{"little", []float64{4, 5, 8, 10, 12, 14, 16, 18}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := growth(tt.heap); got != tt.want {
				t.Errorf("growth(%v) = %v, want %v", tt.heap, got, tt.want)
			}
		})
	}
}
