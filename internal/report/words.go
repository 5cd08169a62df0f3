package report

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// keycap returns what is printed on the key with that code.
func keycap(code string) string {
	switch code {
	case "ArrowLeft":
		return "←"
	case "ArrowRight":
		return "→"
	case "ArrowUp":
		return "↑"
	case "ArrowDown":
		return "↓"
	case "ShiftLeft", "ShiftRight":
		return "Shift"
	case "ControlLeft", "ControlRight":
		return "Ctrl"
	case "AltLeft", "AltRight":
		return "Alt"
	case "Escape":
		return "Esc"
	}
	for _, prefix := range []string{"Key", "Digit"} {
		if rest, ok := strings.CutPrefix(code, prefix); ok && len(rest) == 1 {
			return rest
		}
	}
	return code
}

// number writes a reading with as many digits as a person compares.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a != 0 && a < 0.001:
		return strconv.FormatFloat(v, 'e', 1, 64)
	case a < 1:
		return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
	case a < 100:
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
}

func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

func secondsOf(s float64) string { return seconds(time.Duration(s * float64(time.Second))) }

// place writes a piece of code as "jump (main.js:12)".
func place(c record.CodePlace) string {
	file := c.URL
	if u, err := url.Parse(c.URL); err == nil && u.Path != "" {
		file = path.Base(u.Path)
		if file == "/" || file == "." {
			file = u.Host
		}
	}
	if c.Line > 0 {
		file = fmt.Sprintf("%s:%d", file, c.Line)
	}
	name := c.Function
	if name == "" {
		name = "(anonymous)"
	}
	if file == "" {
		return name
	}
	return name + " · " + file
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// since tells when something happened in a run.
func since(d time.Duration) string {
	if d <= 0 {
		return "at the beginning"
	}
	return "after " + seconds(d)
}

// weight writes a metric's weight, which may be a share or a percentage.
func weight(w float64) string {
	if w > 0 && w <= 1 {
		w *= 100
	}
	return number(w) + " %"
}

// Cost says what the models of a run came to, "" when none was asked.
func Cost(rep *record.Report) string {
	m := rep.Metadata
	switch {
	case m.UnpricedCalls > 0 && m.EstimatedCost > 0:
		return fmt.Sprintf("at least $%.4f: the price of some calls (%d) is not known", m.EstimatedCost, m.UnpricedCalls)
	case m.UnpricedCalls > 0, rep.Opinion != nil && rep.Opinion.Cost == nil:
		return "not known: the model's price is not"
	case m.EstimatedCost > 0 || rep.Opinion != nil:
		return fmt.Sprintf("$%.4f", m.EstimatedCost)
	}
	return ""
}

// Promised says how many indicators of the metadata were met, "" when it has
// none.
func Promised(rep *record.Report) string {
	if len(rep.Indicators) == 0 {
		return ""
	}
	met := 0
	for _, in := range rep.Indicators {
		if in.Met {
			met++
		}
	}
	return fmt.Sprintf("%d of %d met", met, len(rep.Indicators))
}
