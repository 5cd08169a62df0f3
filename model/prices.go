package model

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"time"
)

//go:embed prices.json
var pricesJSON []byte

// Price is what a model's tokens cost, in US dollars per million. Reasoning is
// billed as output by every vendor.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
	// CacheRead and CacheWrite are Input where they are not given.
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
	// Long replaces the price of the whole call when more tokens than
	// LongAbove were read.
	LongAbove int    `json:"long_above,omitempty"`
	Long      *Price `json:"long,omitempty"`
	// ImageTokens is the most that one picture can count for, on models where
	// pictures count far more than their size suggests.
	ImageTokens int `json:"image_tokens,omitempty"`
	// Since is the day from which the price is known to hold.
	Since string `json:"since,omitempty"`
}

// Prices is what is known of prices, by "vendor/name".
type Prices struct {
	// Date is the day on which the list was last checked.
	Date   string           `json:"date"`
	Models map[string]Price `json:"models"`
}

// DefaultPrices is the list that is built in.
func DefaultPrices() *Prices {
	p, err := ParsePrices(bytes.NewReader(pricesJSON))
	if err != nil {
		panic("model: embedded prices: " + err.Error()) // a test reads them
	}
	return p
}

// ParsePrices reads a price list. It is strict: a list with a mistake in it is
// refused, because a wrong price is worse than none.
func ParsePrices(r io.Reader) (*Prices, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var p Prices
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		return nil, fmt.Errorf("read prices: date %q is not a day like 2026-01-31", p.Date)
	}
	for name, price := range p.Models {
		if err := price.check(); err != nil {
			return nil, fmt.Errorf("read prices: %s: %w", name, err)
		}
	}
	return &p, nil
}

func (p Price) check() error {
	amounts := []float64{p.Input, p.Output}
	for _, a := range []*float64{p.CacheRead, p.CacheWrite} {
		if a != nil {
			amounts = append(amounts, *a)
		}
	}
	for _, a := range amounts {
		if a < 0 || a > 10_000 {
			return fmt.Errorf("%v dollars per million tokens cannot be right", a)
		}
	}
	if (p.Long != nil) != (p.LongAbove > 0) {
		return errors.New("long and long_above go together")
	}
	if p.Long != nil {
		return p.Long.check()
	}
	return nil
}

// With is the list with another's entries put over it, and the newer date.
func (p *Prices) With(over *Prices) *Prices {
	out := &Prices{Date: max(p.Date, over.Date), Models: maps.Clone(p.Models)}
	maps.Copy(out.Models, over.Models)
	return out
}

// dated is the suffix that vendors put on a pinned version of a model.
var dated = regexp.MustCompile(`(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|:latest)$`)

// For is the model's price, by its full name or by its name without a date.
func (p *Prices) For(name string) (Price, bool) {
	if price, ok := p.Models[name]; ok {
		return price, true
	}
	price, ok := p.Models[dated.ReplaceAllString(name, "")]
	return price, ok
}

// Cost is what the usage costs.
func (p Price) Cost(u Usage) Money {
	if p.Long != nil && u.In() > p.LongAbove {
		p = *p.Long
	}
	read, write := p.Input, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	perMillion := float64(u.Input)*p.Input + float64(u.CacheRead)*read + float64(u.CacheWrite)*write + float64(u.Out())*p.Output
	return Dollars(perMillion / 1e6)
}

// Most is the most that a call can cost which reads up to in tokens and makes
// up to out: every token read at the dearest rate.
func (p Price) Most(in, out int) Money {
	most := p.Cost(Usage{Input: in, Output: out})
	most = max(most, p.Cost(Usage{CacheWrite: in, Output: out}))
	return max(most, p.Cost(Usage{CacheRead: in, Output: out}))
}
