package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Money is billionths of a US dollar. Whole numbers, because budgets are sums
// of thousands of small amounts and must come out even.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000

// Dollars is an amount given in dollars, rounded up.
func Dollars(d float64) Money { return Money(math.Ceil(d * float64(Dollar))) }

// Dollars is the amount in dollars.
func (m Money) Dollars() float64 { return float64(m) / float64(Dollar) }

// String is the amount with as many digits as it needs: $0.50, $0.000123.
func (m Money) String() string {
	s := strconv.FormatFloat(math.Abs(m.Dollars()), 'f', 9, 64)
	s = strings.TrimRight(s, "0")
	if dot := strings.IndexByte(s, '.'); len(s)-dot < 3 {
		s += strings.Repeat("0", 3-(len(s)-dot))
	}
	if m < 0 {
		return "-$" + s
	}
	return "$" + s
}

// Cost is what a call cost, which may not be known.
type Cost struct {
	Amount Money
	Known  bool
}

// Add is the sum; it is known only when both are.
func (c Cost) Add(d Cost) Cost {
	return Cost{Amount: c.Amount + d.Amount, Known: c.Known && d.Known}
}

// String never shows an unknown cost as zero.
func (c Cost) String() string {
	switch {
	case c.Known:
		return c.Amount.String()
	case c.Amount > 0:
		return fmt.Sprintf("at least %s, the rest unknown", c.Amount)
	}
	return "unknown"
}

// MarshalJSON writes dollars, or null when the cost is not known.
func (c Cost) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return json.Marshal(c.Amount.Dollars())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Cost) UnmarshalJSON(data []byte) error {
	var dollars *float64
	if err := json.Unmarshal(data, &dollars); err != nil {
		return fmt.Errorf("cost: %w", err)
	}
	*c = Cost{}
	if dollars != nil {
		*c = Cost{Amount: Money(math.Round(*dollars * float64(Dollar))), Known: true}
	}
	return nil
}
