package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

func runFacts(rep *record.Report, rec *record.Record) []fact {
	m, env := rep.Metadata, rep.Metadata.Environment
	kind := m.GameType
	if rec.Load.Inside != "" {
		kind += " around " + rec.Load.Inside
	}
	engine := strings.TrimSpace(m.Engine.Name + " " + m.Engine.Version)
	reach := ""
	if m.Reach.Functions > 0 {
		reach = fmt.Sprintf("%d of %d functions of the game's own code", m.Reach.Executed, m.Reach.Functions)
	}
	started := ""
	switch s := rec.Explore.Start; {
	case s.Dead != "":
		started = "no: " + s.Dead + " did nothing"
	case s.Started && !s.Auto:
		started = "by hand"
		if did := s.Gestures(); len(did) > 0 {
			started = strings.Join(did[:min(len(did), gesturesShown)], ", then ")
		}
	case s.Auto && rep.Check(record.ControlsResponsive).State == record.Disproven:
		// Nobody knows whether it would have to be started.
	case s.Auto:
		started = "by itself"
	case s.Needed:
		started = "no way to start it was found"
	}
	size := ""
	if env.Width > 0 {
		size = fmt.Sprintf("%d × %d", env.Width, env.Height)
	}
	webgl := env.WebGL
	if webgl == "" && env.Browser != "" {
		webgl = "none"
	}
	cost := Cost(rep)
	if cost == "" {
		cost = "free, no model was asked"
	}
	all := []fact{
		{"Address", m.GameURL}, {"Kind", kind}, {"Engine", engine}, {"Started", started},
		{"How it is played", rec.Discover.Hypothesis}, {"Code reached", reach},
		{"Run", m.SessionID}, {"Mode", string(m.Mode)}, {"Seed", fmt.Sprint(m.Seed)},
		{"Played", playedFor(rep.Play)}, {"Achieved", achievedBy(rec.Explore.Achieved)}, {"Took", seconds(time.Duration(m.Duration * float64(time.Second)))}, {"Cost", cost},
		{"Browser", env.Browser}, {"Viewport", size}, {"WebGL", webgl}, {"Cores", cores(env)}, {"The machine lacked", strings.Join(lacks(env), "; ")}, {"Session", env.Session}, {"playtest", env.Playtest},
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}

func cores(env record.Environment) string {
	if env.Cores == 0 {
		return ""
	}
	return fmt.Sprint(env.Cores)
}

// lacks is what players may have and the machine that played had not.
func lacks(env record.Environment) []string {
	if env.Browser == "" {
		return nil
	}
	var out []string
	switch {
	case env.WebGL == "":
		out = append(out, "WebGL")
	case strings.Contains(env.WebGL, "SwiftShader") || strings.Contains(env.WebGL, "llvmpipe"):
		out = append(out, "a graphics card (WebGL is drawn by the processor, many times slower)")
	}
	if !env.WebGPU {
		out = append(out, "WebGPU")
	}
	return out
}

// playedFor says how much the game was played, "" when it was not.
func playedFor(p *record.Play) string {
	if p == nil {
		return ""
	}
	if p.Presses == 0 {
		return number(p.Seconds) + " s, without a control that works"
	}
	text := fmt.Sprintf("%s s, %s of %s", number(p.Seconds), plural(p.Presses, "press", "presses"), plural(len(p.Controls), "control", "controls"))
	if p.States > 0 {
		text += ", " + plural(p.States, "state", "states")
	}
	if p.Progress > 0 {
		text += ", " + plural(p.Progress, "sign of progress", "signs of progress")
	}
	return text
}

// achievedBy says what the play of a model brought about, "" when none played.
func achievedBy(a *record.Achieved) string {
	if a == nil {
		return ""
	}
	if a.Moves {
		return fmt.Sprintf("%s; the picture changes by itself, so that none of them proves anything", plural(a.Turns, "turn", "turns"))
	}
	text := fmt.Sprintf("%s, %d of them with a lasting effect that %s without an input did not show, %s",
		plural(a.Turns, "turn", "turns"), a.Effects, plural(a.Idle, "look", "looks"), plural(a.States, "state", "states"))
	if a.Indicators > 0 {
		text += ", " + plural(a.Indicators, "success indicator met", "success indicators met")
	}
	return text
}
