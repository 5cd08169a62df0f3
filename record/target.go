package record

import "github.com/playtest-dev/playtest/metadata"

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Mode is the way phase 3 plays a game.
type Mode string

// The modes. Only agent needs a model; adaptive goes further with one.
const (
	ModeStandard Mode = "standard"
	ModeAdaptive Mode = "adaptive"
	ModeAgent    Mode = "agent"
)

// Target says what to play and how.
type Target struct {
	// URL of the game, http or https.
	URL string `json:"gameUrl"`
	// Metadata describes the game, when its author did. Nil is normal.
	Metadata *metadata.Metadata `json:"metadata,omitempty"`
	// Mode is standard when empty.
	Mode Mode `json:"mode,omitempty"`
	// MaxDuration bounds the whole run. Zero means DefaultMaxDuration and, on
	// top of it, what the metadata wants to wait and to play.
	MaxDuration time.Duration `json:"maxDuration,omitempty"`
	// Seed makes the choices of a run repeatable.
	Seed int64 `json:"seed,omitempty"`
	// Rubric weighs the metrics. Nil means DefaultRubric.
	Rubric *metadata.Rubric `json:"rubric,omitempty"`
}

// DefaultMaxDuration bounds a run that names no limit of its own.
const DefaultMaxDuration = 5 * time.Minute

// Validate reports the first thing that makes the target unusable.
func (t Target) Validate() error {
	if err := ValidateURL(t.URL); err != nil {
		return err
	}
	switch t.Mode {
	case "", ModeStandard, ModeAdaptive, ModeAgent:
	default:
		return fmt.Errorf("mode %q is not one of standard, adaptive, agent", t.Mode)
	}
	if t.MaxDuration < 0 {
		return fmt.Errorf("max duration %s is negative", t.MaxDuration)
	}
	return t.Rubric.Validate()
}

// ValidateURL accepts absolute http and https addresses.
func ValidateURL(raw string) error {
	if strings.TrimSpace(raw) == "" {
		return fmt.Errorf("the game's address is empty")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return fmt.Errorf("the game's address %q cannot be read", raw)
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
	case "":
		return fmt.Errorf("the game's address %q has no scheme: it must begin with http:// or https://", raw)
	default:
		return fmt.Errorf("the game's address begins with %q: only http and https can be played", u.Scheme+":")
	}
	if u.Host == "" {
		return fmt.Errorf("the game's address %q has no host", raw)
	}
	return nil
}
