package record

import "github.com/playtest-dev/playtest/metadata"

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
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

// Modes are all of them, the usual one first.
var Modes = []Mode{ModeStandard, ModeAdaptive, ModeAgent}

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
	// Play is how long the standard mode plays a game with the controls that it found,
	// DefaultPlay when zero. What the metadata wants goes before it.
	Play time.Duration `json:"play,omitempty"`
	// Seed makes the choices of a run repeatable.
	Seed int64 `json:"seed,omitempty"`
	// Rubric weighs the metrics. Nil means DefaultRubric.
	Rubric *metadata.Rubric `json:"rubric,omitempty"`
}

// DefaultMaxDuration bounds a run that names no limit of its own.
const DefaultMaxDuration = 5 * time.Minute

// DefaultPlay is how long a game is played whose target and metadata name no time.
const DefaultPlay = 30 * time.Second

// PlayFor is how long the standard mode plays the game once its controls are known.
func (t Target) PlayFor() time.Duration {
	if d := t.Metadata.PlayFor(); d > 0 {
		return d
	}
	if t.Play > 0 {
		return t.Play
	}
	return DefaultPlay
}

// MaxMaxDuration is the longest that a run may be allowed to take: a queue must
// be able to tell a run that takes long from one that is lost.
const MaxMaxDuration = 2 * time.Hour

// ErrUserInfo is what an address gets that holds a user name or a password.
var ErrUserInfo = errors.New("the game's address holds a user name or a password, which would be kept with the run")

// Validate reports the first thing that makes the target unusable.
func (t Target) Validate() error {
	if err := ValidateURL(t.URL); err != nil {
		return err
	}
	if err := t.Mode.Validate(); err != nil {
		return err
	}
	if t.Play < 0 || t.Play > MaxMaxDuration {
		return fmt.Errorf("play %s is not between 0 and %s", t.Play, MaxMaxDuration)
	}
	if t.MaxDuration < 0 {
		return fmt.Errorf("max duration %s is negative", t.MaxDuration)
	}
	if t.MaxDuration > MaxMaxDuration {
		return fmt.Errorf("max duration %s is longer than %s", t.MaxDuration, MaxMaxDuration)
	}
	if err := t.Metadata.Validate(); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	return t.Rubric.Validate()
}

// Validate refuses what is not one of Modes, or empty for the usual one.
func (m Mode) Validate() error {
	if m == "" || slices.Contains(Modes, m) {
		return nil
	}
	var names []string
	for _, each := range Modes {
		names = append(names, string(each))
	}
	return fmt.Errorf("mode %.40q is not one of %s", string(m), strings.Join(names, ", "))
}

// maxURL is what servers and browsers take without trouble.
const maxURL = 8 << 10

// ValidateURL accepts absolute http and https addresses without a user name: a
// password would end up in every report. What it says never repeats one.
func ValidateURL(raw string) error {
	switch {
	case strings.TrimSpace(raw) == "":
		return fmt.Errorf("the game's address is empty")
	case len(raw) > maxURL:
		return fmt.Errorf("the game's address is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil && strings.Contains(raw, "@") {
		return fmt.Errorf("the game's address cannot be read")
	}
	if err != nil {
		return fmt.Errorf("the game's address %q cannot be read", raw)
	}
	if u.User != nil {
		return ErrUserInfo
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
