package model

// Usage counts a call's tokens by kind. The kinds do not overlap, whatever the
// vendor's own counting does, so that their sum is the total and each has one
// price.
type Usage struct {
	Input      int `json:"input"`       // read fresh
	CacheRead  int `json:"cache_read"`  // read from the vendor's cache
	CacheWrite int `json:"cache_write"` // read and put into it
	Output     int `json:"output"`      // the visible answer
	Thinking   int `json:"thinking"`    // reasoning, billed as output
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		CacheRead:  u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Output:     u.Output + v.Output,
		Thinking:   u.Thinking + v.Thinking,
	}
}

// In is every token that was read.
func (u Usage) In() int { return u.Input + u.CacheRead + u.CacheWrite }

// Out is every token that was made.
func (u Usage) Out() int { return u.Output + u.Thinking }

// Total is every token.
func (u Usage) Total() int { return u.In() + u.Out() }

// Without is n less the parts of it that are counted elsewhere, never below
// zero: vendors have been seen to report details larger than their total.
func Without(n int64, parts ...int64) int {
	for _, p := range parts {
		n -= p
	}
	return int(max(n, 0))
}
