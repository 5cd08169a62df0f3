package record_test

import (
	"testing"

	"github.com/playtest-dev/playtest/record"
)

func TestMovesAlone(t *testing.T) {
	type look = record.HealthSample
	steps := func(s look, grow func(n int, s *look)) []look {
		var out []look
		for n := range 6 {
			grow(n, &s)
			out = append(out, s)
		}
		return out
	}
	for _, tt := range []struct {
		name  string
		looks []look
		want  bool
	}{
		{"never looked at", nil, false},
		{"a still page", steps(look{Mutations: 3}, func(int, *look) {}), false},
		{"drawn anew and anew", steps(look{Changed: 0.1}, func(n int, s *look) { s.Draws = 10 * n }), true},
		{"elements that the code moves", steps(look{Changed: 0.02}, func(n int, s *look) { s.Mutations = n }), true},
		{"a wheel of a style sheet", steps(look{Changed: 0.02, Mutations: 5}, func(int, *look) {}), false},
		{"drawn, but the same picture", steps(look{}, func(n int, s *look) { s.Draws = 10 * n }), false},
		{"only when something is sent", steps(look{Changed: 0.1, Acting: true}, func(n int, s *look) { s.Draws = 10 * n }), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&record.HealthRecord{Samples: tt.looks}).MovesAlone(); got != tt.want {
				t.Errorf("moves alone: %v", got)
			}
		})
	}
}
