package fault

import (
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/record"
)

//go:embed scripts/*.js
var scripts embed.FS

// readScripts reads every fault that is a script and nothing else.
func readScripts(fsys fs.FS) ([]Fault, error) {
	files, err := fs.Glob(fsys, "scripts/*.js")
	if err != nil {
		return nil, fmt.Errorf("look for scripts: %w", err)
	}
	var all []Fault
	for _, file := range files {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		f, err := parseScript(strings.TrimSuffix(path.Base(file), ".js"), string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// parseScript reads a script with its leading comment:
//
//	/*
//	title: All keys are swallowed
//	kind: fault
//	checks: controlsResponsive
//	needs: keys
//	shows: deaf
//
//	What it does, in a sentence or two.
//	*/
func parseScript(name, text string) (Fault, error) {
	head, body, ok := strings.Cut(strings.TrimPrefix(text, "/*\n"), "\n*/\n")
	if !ok || !strings.HasPrefix(text, "/*\n") {
		return Fault{}, fmt.Errorf("does not begin with a comment that describes the fault")
	}
	f := Fault{Name: name, Script: body}
	fields, prose, _ := strings.Cut(head, "\n\n")
	f.Describe = strings.Join(strings.Fields(prose), " ")
	for i, line := range strings.Split(fields, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return Fault{}, fmt.Errorf("line %d: %q is no field", i+2, line)
		}
		value = strings.TrimSpace(value)
		switch key {
		case "title":
			f.Title = value
		case "kind":
			f.Kind = Kind(value)
		case "checks":
			for _, word := range strings.Fields(value) {
				f.Checks = append(f.Checks, record.CheckName(word))
			}
		case "needs":
			f.Needs = strings.Fields(value)
		case "shows":
			f.Shows = strings.Fields(value)
		case "mentions":
			f.Mentions = strings.Fields(value)
		case "within":
			seconds, err := strconv.Atoi(value)
			if err != nil || seconds < 1 {
				return Fault{}, fmt.Errorf("line %d: %q is no number of seconds", i+2, value)
			}
			f.Within = time.Duration(seconds) * time.Second
		default:
			return Fault{}, fmt.Errorf("line %d: %q is not one of title, kind, checks, needs, shows, mentions, within", i+2, key)
		}
	}
	if f.Kind != Broken && f.Shows == nil {
		f.Shows = []string{"playable"}
	}
	return f, f.validate()
}

// validate reports the first thing that makes a fault unusable.
func (f Fault) validate() error {
	switch {
	case f.Title == "":
		return fmt.Errorf("%s: title is missing", f.Name)
	case f.Describe == "":
		return fmt.Errorf("%s: the description is missing", f.Name)
	case f.Kind != Broken && f.Kind != Blemish && f.Kind != Trap:
		return fmt.Errorf("%s: kind %q is not one of fault, issue, trap", f.Name, f.Kind)
	case (f.Kind == Broken) != (len(f.Checks) > 0):
		return fmt.Errorf("%s: checks belong to the kind fault, and to no other", f.Name)
	case len(f.Shows) == 0:
		return fmt.Errorf("%s: nobody could tell that it is there, shows is missing", f.Name)
	case (f.Kind == Blemish) != (len(f.Mentions) > 0):
		return fmt.Errorf("%s: mentions belong to the kind issue, and to no other", f.Name)
	}
	for _, c := range f.Checks {
		if _, ok := record.Points[c]; !ok {
			return fmt.Errorf("%s: %q is not a check", f.Name, c)
		}
	}
	for _, n := range f.Needs {
		if _, ok := needs[n]; !ok {
			return fmt.Errorf("%s: nobody knows what it means to need %q", f.Name, n)
		}
	}
	return nil
}

// spread is a number from 0 to 1 that differs well between small seeds.
func spread(name string, seed int64) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	const golden = 0.6180339887498949
	x := float64(h.Sum32()%1000)/1000 + float64(seed%100000)*golden
	return x - float64(int64(x))
}

// source is the script as a page gets it: alone in a function, with what it may know. It leaves no element behind.
func (f Fault) source(g games.Game, seed int64) string {
	if f.Script == "" {
		return ""
	}
	about, err := json.Marshal(map[string]any{
		"name": f.Name, "seed": seed, "spread": spread(f.Name, seed),
		"game": map[string]any{"kind": g.Kind, "start": g.Start, "keys": g.Keys(), "spareKeys": spareKeys(g), "ends": g.Ends},
	})
	if err != nil {
		panic("fault: " + err.Error()) // strings and numbers only
	}
	return "(() => { const fault = " + string(about) + ";\n" +
		"fault.pick = (low, high) => low + Math.round(fault.spread * (high - low));\n" +
		"if (self.document && document.currentScript) document.currentScript.remove();\n" +
		f.Script + "})();\n"
}
