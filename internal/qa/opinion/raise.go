package opinion

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/playtest-dev/playtest/record"
)

const (
	// maxRaised bounds the issues that one opinion adds.
	maxRaised = 12
	// minQuote is how much of a log line or an action a model must quote for it
	// to count as cited; less is found in any text.
	minQuote = 12
	// same is the share of words from which two issues are one.
	same = 0.6
)

// raise takes up the issues that cite evidence which is in the record, and
// says of the others why not.
func (a *asking) raise(issues []raised, op *record.Opinion) {
	added := 0
	for _, i := range issues {
		text := clip(i.Description)
		drop := func(format string, args ...any) {
			op.Dropped = append(op.Dropped, record.DroppedIssue{Description: text, Why: fmt.Sprintf(format, args...)})
		}
		proofs, missing := a.facts.cited(i.Evidence)
		switch {
		case text == "":
			continue
		case len(proofs) == 0 && len(missing) == 0:
			drop("it cites no evidence")
			continue
		case len(proofs) == 0:
			drop("it cites %s, which is not in the record", strings.Join(missing, ", "))
			continue
		case i.Severity == record.Critical && a.disputed(op):
			// It cannot be played, says the model; that it can was measured.
			drop("it claims what was measured to be otherwise")
			continue
		case a.known(text):
			drop("the report says it already")
			continue
		case added == maxRaised:
			drop("the model raised more than %d", maxRaised)
			continue
		}
		severity := i.Severity
		if severity == record.Critical && a.rep.Status == record.Pass {
			severity = record.Major // that it can be played was measured
		}
		issue := record.Issue{Severity: severity, Description: a.facts.spell(text), Evidence: proofs[0].cite, At: record.Seconds(proofs[0].at), By: a.model}
		if !isPicture(issue.Evidence) && len(proofs) > 1 {
			issue.Evidence = joined(proofs)
		}
		a.rep.Issues = append(a.rep.Issues, issue)
		added++
	}
}

// disputed: the model calls broken what was measured to work, and nothing was
// measured to be broken.
func (a *asking) disputed(op *record.Opinion) bool {
	return a.rep.Status == record.Pass && slices.ContainsFunc(op.Checks, func(c record.OpinionCheck) bool {
		return c.Says == record.Disproven && c.Measured == record.Proven
	})
}

func isPicture(cite string) bool { return path.Ext(cite) == ".png" || path.Ext(cite) == ".jpg" }

func joined(proofs []proof) string {
	var cites []string
	for _, p := range proofs {
		cites = append(cites, p.cite)
	}
	return strings.Join(cites, "; ")
}

// cited finds the evidence that references stand for: an id, a picture's name,
// or words of a log line or an action.
func (f *facts) cited(refs []string) (found []proof, missing []string) {
	for _, ref := range refs {
		ref = strings.Trim(strings.TrimSpace(ref), "[]()\"'`. ")
		if ref == "" {
			continue
		}
		i := slices.IndexFunc(f.proofs, func(p proof) bool { return p.is(ref) })
		if i < 0 {
			missing = append(missing, fmt.Sprintf("%q", clip(ref)))
			continue
		}
		if !slices.Contains(found, f.proofs[i]) {
			found = append(found, f.proofs[i])
		}
	}
	// A picture shows more than a line says.
	slices.SortStableFunc(found, func(a, b proof) int {
		switch pa, pb := isPicture(a.cite), isPicture(b.cite); {
		case pa == pb:
			return 0
		case pa:
			return -1
		}
		return 1
	})
	return found, missing
}

func (p proof) is(ref string) bool {
	if strings.EqualFold(p.id, ref) {
		return true
	}
	if isPicture(p.cite) {
		return ref == p.cite || ref == path.Base(p.cite)
	}
	return ref == p.quote || len(ref) >= minQuote && strings.Contains(p.quote, ref)
}

var ids = regexp.MustCompile(`\b[PLAC][0-9]{1,3}\b`)

// spell puts what ids stand for in their place: a reader of the report has no
// list of them.
func (f *facts) spell(s string) string {
	return ids.ReplaceAllStringFunc(s, func(id string) string {
		for _, p := range f.proofs {
			if p.id == id {
				if isPicture(p.cite) {
					return path.Base(p.cite)
				}
				return fmt.Sprintf("%q", short(p.quote))
			}
		}
		return id
	})
}

// ungrounded says why a text proves nothing, empty when it cites evidence and
// none of it is made up.
func (f *facts) ungrounded(s string) string {
	cited := slices.ContainsFunc(f.proofs, func(p proof) bool { return isPicture(p.cite) && strings.Contains(s, path.Base(p.cite)) })
	for _, id := range ids.FindAllString(s, -1) {
		if !slices.ContainsFunc(f.proofs, func(p proof) bool { return p.id == id }) {
			return "it cites " + id + ", which is not in the record"
		}
		cited = true
	}
	if !cited {
		return "it cites no evidence"
	}
	return ""
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return s
}

// known: an issue of the report has mostly the same words.
func (a *asking) known(text string) bool {
	words := bag(text)
	return slices.ContainsFunc(a.rep.Issues, func(i record.Issue) bool {
		other := bag(i.Description)
		common := 0
		for w := range words {
			if other[w] {
				common++
			}
		}
		return len(words) > 0 && float64(common) >= same*float64(min(len(words), max(len(other), 1))) && common >= min(3, len(words))
	})
}

// bag is the words of a text that mean something.
func bag(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 3 {
			out[w] = true
		}
	}
	return out
}
