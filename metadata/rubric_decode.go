package metadata

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// RubricError lists what is wrong with a rubric file.
type RubricError struct {
	Problems []Problem
}

// Error returns all problems, one a line.
func (e *RubricError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = "rubric: " + p.String()
	}
	return strings.Join(lines, "\n")
}

// ParseRubric reads a rubric from JSON or YAML. Everything that is wrong with
// it is reported at once, by the path of the field, as a [*RubricError].
func ParseRubric(data []byte) (*Rubric, error) {
	root, err := parseTree(data)
	var whole *Error
	if errors.As(err, &whole) {
		return nil, &RubricError{whole.Problems}
	}
	if err != nil {
		return nil, err
	}
	d := &decoder{}
	r := &Rubric{}
	if root.kind != objectNode {
		d.problem(root, "", "", "must be an object with weights, threshold or questions, not %s", root.kind)
		return nil, &RubricError{d.problems}
	}
	d.object(root, "", fields{
		"weights":   func(n *node, p string) { r.Weights = d.weights(n, p) },
		"threshold": func(n *node, p string) { r.Threshold = int(d.number(n, p, 0, 100, true)) },
		"questions": func(n *node, p string) { r.Questions = decodeList(d, n, p, d.question) },
	})
	if len(d.problems) > 0 {
		return nil, &RubricError{d.problems}
	}
	if err := r.Validate(); err != nil {
		return nil, &RubricError{[]Problem{{Message: strings.TrimPrefix(err.Error(), "rubric: ")}}}
	}
	return r, nil
}

func (d *decoder) weights(n *node, path string) map[string]float64 {
	out := map[string]float64{}
	known := fields{}
	for _, name := range MetricNames {
		known[name] = func(n *node, p string) { out[name] = d.number(n, p, 0, math.MaxInt32, false) }
	}
	d.object(n, path, known)
	return out
}

func (d *decoder) number(n *node, path string, least, most float64, whole bool) float64 {
	if n.kind != numberNode {
		d.mismatch(n, path, "a number")
		return 0
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	switch {
	case err != nil:
		d.problem(n, path, "", "must be a number, not %s", n.text)
	case v < least || v > most:
		d.problem(n, path, "", "must be between %g and %g, not %s", least, most, n.text)
	case whole && v != math.Trunc(v):
		d.problem(n, path, "", "must be a whole number, not %s", n.text)
	default:
		return v
	}
	return 0
}

// question reads {ask, expect, severity}, or a plain text that expects a yes.
func (d *decoder) question(n *node, path string) Question {
	if n.kind == stringNode {
		return Question{Ask: n.text}
	}
	q := Question{}
	if d.object(n, path, fields{
		"ask":    func(n *node, p string) { q.Ask = d.text(n, p) },
		"expect": func(n *node, p string) { q.Expect = d.yesNo(n, p) },
		"severity": func(n *node, p string) {
			q.Severity = Severity(d.oneOf(n, p, string(Critical), string(Major), string(Minor)))
		},
	}) {
		d.required(n, path, "ask", q.Ask)
	}
	return q
}

// yesNo also takes true and false, which is what some YAML writers make of
// yes and no.
func (d *decoder) yesNo(n *node, path string) string {
	if n.kind == boolNode {
		if n.text == "true" {
			return "yes"
		}
		return "no"
	}
	s := strings.ToLower(d.text(n, path))
	if s != "" && s != "yes" && s != "no" {
		d.problem(n, path, "", "must be yes or no, not %q", n.text)
	}
	return s
}
