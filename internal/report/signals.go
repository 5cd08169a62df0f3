package report

import "github.com/playtest-dev/playtest/record"

// comparison parts what was measured with an input and without it into what
// differs and what does not.
type comparison struct{ Holding, Silent []record.Signal }

// isFact tells a plain observation from a comparison with a negative control.
func isFact(s record.Signal) bool { return s.P == 0 && s.Without == 0 }

func facts(signals []record.Signal) []record.Signal {
	var out []record.Signal
	for _, s := range signals {
		if isFact(s) {
			out = append(out, s)
		}
	}
	return out
}

func compare(signals []record.Signal) comparison {
	var c comparison
	for _, s := range signals {
		switch {
		case isFact(s):
		case s.Holds:
			c.Holding = append(c.Holding, s)
		default:
			c.Silent = append(c.Silent, s)
		}
	}
	return c
}
