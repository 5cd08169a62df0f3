package server

import (
	"net/http"

	"github.com/playtest-dev/playtest/record"
)

// Comparison is what differs between two runs.
type Comparison struct {
	A Run `json:"a"`
	B Run `json:"b"`
	// Checks, Metrics and Controls are those of both; a side that lacks one has
	// an empty state or no score.
	Checks   []ComparedState  `json:"checks"`
	Metrics  []ComparedMetric `json:"metrics"`
	Controls []ComparedState  `json:"controls"`
	// Added are issues that only B has, Gone those that only A has.
	Added []record.Issue `json:"issuesAdded"`
	Gone  []record.Issue `json:"issuesGone"`
}

// ComparedState is a word about both runs.
type ComparedState struct {
	Name    string `json:"name"`
	A       string `json:"a"`
	B       string `json:"b"`
	Changed bool   `json:"changed"`
}

// ComparedMetric is a score of both runs.
type ComparedMetric struct {
	Name string `json:"name"`
	A    *int   `json:"a,omitempty"`
	B    *int   `json:"b,omitempty"`
}

func (v *results) compare(r *request) error {
	var out Comparison
	var reports [2]*record.Report
	for i, side := range []struct {
		name string
		run  *Run
	}{{"a", &out.A}, {"b", &out.B}} {
		run, err := r.who.project.Get(r.Context(), r.URL.Query().Get(side.name))
		if err != nil {
			return err
		}
		*side.run = shown(run)
		if reports[i], err = v.store.Report(r.Context(), run.ID); err != nil {
			return unfinished(err, "report")
		}
	}
	a, b := reports[0], reports[1]
	out.Checks = states(checks(a), checks(b))
	out.Controls = states(controls(a), controls(b))
	out.Metrics = metricsOf(a, b)
	out.Added, out.Gone = missing(b.Issues, a.Issues), missing(a.Issues, b.Issues)
	return r.answer(http.StatusOK, out)
}

// named is a word by name, in order.
type named struct{ name, word string }

func checks(rep *record.Report) (out []named) {
	for _, c := range rep.Checks {
		out = append(out, named{string(c.Name), string(c.State)})
	}
	return out
}

func controls(rep *record.Report) (out []named) {
	for _, c := range rep.Controls {
		out = append(out, named{c.Control.ID, string(c.Trial.Outcome)})
	}
	return out
}

// states joins both sides, first in the order of a, then what only b has.
func states(a, b []named) []ComparedState {
	out := []ComparedState{}
	other := map[string]string{}
	for _, n := range b {
		other[n.name] = n.word
	}
	seen := map[string]bool{}
	for _, n := range a {
		if seen[n.name] {
			continue
		}
		seen[n.name] = true
		out = append(out, ComparedState{n.name, n.word, other[n.name], n.word != other[n.name]})
	}
	for _, n := range b {
		if !seen[n.name] {
			seen[n.name] = true
			out = append(out, ComparedState{n.name, "", n.word, true})
		}
	}
	return out
}

func metricsOf(a, b *record.Report) []ComparedMetric {
	out := []ComparedMetric{}
	at := map[string]int{}
	for _, m := range a.Metrics {
		at[m.Name] = len(out)
		out = append(out, ComparedMetric{Name: m.Name, A: &m.Score})
	}
	for _, m := range b.Metrics {
		i, ok := at[m.Name]
		if !ok {
			i = len(out)
			out = append(out, ComparedMetric{Name: m.Name})
		}
		out[i].B = &m.Score
	}
	return out
}

// missing are the issues of one side that the other does not have.
func missing(of, in []record.Issue) []record.Issue {
	known := map[string]bool{}
	for _, i := range in {
		known[i.Description] = true
	}
	out := []record.Issue{}
	for _, i := range of {
		if !known[i.Description] {
			out = append(out, i)
		}
	}
	return out
}
