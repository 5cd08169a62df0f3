// Package fence marks the words of others, a page's or a server's, so that a
// model that is shown them can tell them from its task.
package fence

import (
	_ "embed"
	"strings"
)

//go:embed rule.md
var rule string

// Rule tells a model what the marks mean. It belongs into every system prompt,
// the caller's own included.
func Rule() string { return strings.TrimSpace(rule) }

const (
	open  = "<<<DATA"
	close = "DATA>>>"
)

// unmark changes marks inside of a text to look alike and mean nothing, so that
// a text cannot end its fence early. Tags that other tools use for the same
// purpose are changed too: a model may know them.
var unmark = strings.NewReplacer("<<<", "‹‹‹", ">>>", "›››", "</data", "‹/data", "</DATA", "‹/DATA")

// Text is a text as data from a source.
func Text(source, text string) string {
	return open + " from " + source + "\n" + strings.TrimRight(unmark.Replace(text), "\n") + "\n" + close
}
