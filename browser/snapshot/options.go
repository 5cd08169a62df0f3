package snapshot

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// maxOptions is how many options of a select are spelled out, and
	// maxOptionChars how many characters they may take together, where names are
	// cut. Each can be chosen all the same: by its words, whether they are shown
	// or not, and one that is shown cut by what is shown of it.
	maxOptions     = 24
	maxOptionChars = 1200
	// maxOption is how much of one option is shown.
	maxOption = 80
)

// writeOptions lists the options of a select. When not all fit, those that the
// reader's words are about come before the others.
func writeOptions(b *strings.Builder, options []string, o *FormatOptions) {
	b.WriteString(" of ")
	shown := make([]bool, len(options))
	left, chars := maxOptions, maxOptionChars
	if o.MaxName < 0 {
		left, chars = len(options), 1<<30
	}
	take := func(i int) {
		if cost := min(len(options[i]), 4*maxOption); !shown[i] && left > 0 && cost <= chars {
			shown[i] = true
			left--
			chars -= cost
		}
	}
	if len(options) > maxOptions || total(options) > maxOptionChars {
		for _, i := range byWords(options, o.Words) {
			take(i)
		}
	}
	for i := range options {
		take(i)
	}
	hidden, first := 0, true
	for i, option := range options {
		if !shown[i] {
			hidden++
			continue
		}
		if !first {
			b.WriteByte('|')
		}
		first = false
		if o.MaxName >= 0 {
			option = shorten(option, maxOption)
		}
		b.WriteString(quote(option))
	}
	if hidden > 0 {
		fmt.Fprintf(b, " and %d more", hidden)
	}
}

func total(options []string) int {
	n := 0
	for _, o := range options {
		n += len(o)
	}
	return n
}

// byWords are the options that some of the words occur in, best first.
func byWords(options, words []string) []int {
	hits := make(map[int]int)
	var list []int
	for i, option := range options {
		option = strings.ToLower(option)
		for _, w := range words {
			if containsWord(option, strings.ToLower(w)) {
				hits[i]++
			}
		}
		if hits[i] > 0 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return hits[b] - hits[a] })
	return list
}
