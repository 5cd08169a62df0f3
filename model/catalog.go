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
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed catalog.json
var catalogJSON []byte

// Traits is what a vendor documents about one of its models: what it can do,
// and what a request to it may say.
type Traits struct {
	// Context and Output are the most tokens that a call may hold and that an
	// answer may have, 0 when the vendor does not say.
	Context int  `json:"context,omitempty"`
	Output  int  `json:"output,omitempty"`
	Vision  bool `json:"vision,omitempty"`
	Tools   bool `json:"tools,omitempty"`
	// Thinks is set for models that think before they answer unless they are
	// told not to; what they think counts towards the bound on the answer.
	Thinks bool `json:"thinks,omitempty"`
	// Efforts are the levels of thinking that the model may be told, the least
	// one first. Empty for models that cannot be told.
	Efforts []Effort `json:"efforts,omitempty"`
	// Temperature is the range that is welcome, nil when the model refuses one.
	Temperature *Range `json:"temperature,omitempty"`
	// ForcedTools is set where a request may insist on a tool call.
	ForcedTools bool       `json:"forced_tools,omitempty"`
	Structured  Structured `json:"structured,omitempty"`
	// Computer and Browser are the vendor's tools for operating a computer and
	// a browser that the model accepts, by the type that the API knows them
	// by, the newest first.
	Computer []string `json:"computer,omitempty"`
	Browser  []string `json:"browser,omitempty"`
	// Signatures is set where calls of tools must come back signed.
	Signatures bool `json:"signatures,omitempty"`
	// Note says what else a user should know.
	Note string `json:"note,omitempty"`
}

// Range is a range of numbers, both ends included.
type Range struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Catalog is what is known of models, by "vendor/name".
type Catalog struct {
	// Date is the day on which the list was last checked.
	Date string `json:"date"`
	// Sources are the documents that it was checked against.
	Sources []string `json:"sources,omitempty"`
	// Vendors is what to assume of a model whose name is not in the list, by
	// vendor: the least that the vendor's current models have in common.
	Vendors map[string]Traits `json:"vendors,omitempty"`
	Models  map[string]Traits `json:"models"`
}

// DefaultCatalog is the list that is built in.
var DefaultCatalog = sync.OnceValue(func() *Catalog {
	c, err := ParseCatalog(bytes.NewReader(catalogJSON))
	if err != nil {
		panic("model: embedded catalog: " + err.Error()) // a test reads it
	}
	return c
})

// ParseCatalog reads a catalog. It is strict: a misspelled field would
// silently take an ability away.
func ParseCatalog(r io.Reader) (*Catalog, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var c Catalog
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	if _, err := time.Parse(time.DateOnly, c.Date); err != nil {
		return nil, fmt.Errorf("read catalog: date %q is not a day like 2026-01-31", c.Date)
	}
	for _, list := range []map[string]Traits{c.Vendors, c.Models} {
		for name, t := range list {
			if err := t.check(); err != nil {
				return nil, fmt.Errorf("read catalog: %s: %w", name, err)
			}
		}
	}
	return &c, nil
}

func (t Traits) check() error {
	if t.Context < 0 || t.Output < 0 {
		return errors.New("a limit is negative")
	}
	for _, e := range t.Efforts {
		if !slices.Contains(efforts, e) {
			return fmt.Errorf("effort %q is none of %v", e, efforts)
		}
	}
	if !slices.Contains([]Structured{"", Native, ByTool, ByPrompt}, t.Structured) {
		return fmt.Errorf("structured: %q is none of native, tool, prompt", t.Structured)
	}
	if t.Structured == ByTool && !t.ForcedTools {
		return errors.New("structured: a tool cannot be forced on a model that refuses it")
	}
	if r := t.Temperature; r != nil && r.Min > r.Max {
		return fmt.Errorf("temperature: from %v to %v", r.Min, r.Max)
	}
	return nil
}

// With is the catalog with another's entries put over it, and the newer date.
func (c *Catalog) With(over *Catalog) *Catalog {
	out := &Catalog{Date: max(c.Date, over.Date), Sources: slices.Concat(c.Sources, over.Sources), Vendors: maps.Clone(c.Vendors), Models: maps.Clone(c.Models)}
	maps.Copy(out.Vendors, over.Vendors)
	maps.Copy(out.Models, over.Models)
	return out
}

// For is what is known of a model, by its full name or by what is left of it
// without the marks that clouds and fine-tuning add. A name that nobody knows
// has its vendor's defaults, with a note that says so.
func (c *Catalog) For(name string) Traits {
	if t, ok := c.Models[name]; ok {
		return t
	}
	vendor, short, _ := strings.Cut(name, "/")
	for _, base := range bases(short) {
		if t, ok := c.Models[vendor+"/"+base]; ok {
			return t
		}
	}
	t := c.Vendors[vendor]
	t.Note = strings.TrimSpace(fmt.Sprintf("%s is not in the catalog of %s; the defaults of %s are assumed. %s", name, c.Date, vendor, t.Note))
	return t
}

// Known reports whether the catalog has an entry for the model, under any form
// of its name.
func (c *Catalog) Known(name string) bool {
	if _, ok := c.Models[name]; ok {
		return true
	}
	vendor, short, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(bases(short), func(base string) bool {
		_, ok := c.Models[vendor+"/"+base]
		return ok
	})
}

// cloudMarks are what a cloud puts before and after a vendor's own name:
// "us.anthropic.claude-opus-5-5-v1:0" on Bedrock, "claude-opus-5@20260724" on
// Vertex.
var cloudMarks = regexp.MustCompile(`^([a-z]{2,6}\.)?(anthropic|openai|google)\.|(-v\d+(:\d+)?|@.+)$`)

// bases are the names that a model's name may stand for, the nearest first.
func bases(name string) []string {
	if tuned, ok := strings.CutPrefix(name, "ft:"); ok {
		name, _, _ = strings.Cut(tuned, ":") // ft:gpt-4o-2024-08-06:company::id
	}
	name = cloudMarks.ReplaceAllString(name, "")
	return []string{name, dated.ReplaceAllString(name, "")}
}

// Capabilities is what a gateway has to know of a model with these traits.
func (t Traits) Capabilities() Capabilities {
	structured := t.Structured
	if structured == "" {
		structured = ByPrompt
	}
	return Capabilities{
		Images: t.Vision, Tools: t.Tools, Streaming: true,
		Temperature: t.Temperature != nil, ComputerUse: len(t.Computer) > 0,
		Structured: structured, Thinks: t.Thinks, Efforts: t.Efforts, Output: t.Output,
		Computer: t.Computer, Browser: t.Browser,
	}
}

// Warm is the temperature to send for one that was asked for, nil for none:
// models that refuse one are sent none, and one outside of the range that the
// vendor recommends is left to the vendor.
func (t Traits) Warm(asked *float64) *float64 {
	if asked == nil || t.Temperature == nil || *asked < t.Temperature.Min || *asked > t.Temperature.Max {
		return nil
	}
	return asked
}

// Effort is the level to send for one that was asked for: itself where the
// model has it, otherwise the nearest one that it has, and "" for models that
// cannot be told.
func (t Traits) Effort(asked Effort) Effort { return nearest(t.Efforts, asked) }
