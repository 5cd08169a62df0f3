package report

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// The parts of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool            `json:"tool"`
		Automation  sarifAutomation      `json:"automationDetails"`
		Bases       map[string]sarifBase `json:"originalUriBaseIds,omitempty"`
		Results     []sarifResult        `json:"results"`
		Invocations []sarifInvocation    `json:"invocations"`
		ColumnKind  string               `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifBase struct {
		URI string `json:"uri"`
	}
	sarifInvocation struct {
		Successful bool   `json:"executionSuccessful"`
		Started    string `json:"startTimeUtc,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifGame   = "GAME" // the base of addresses: where the game is
)

// Case is a report with the record behind it, which may be nil.
type Case struct {
	Report *record.Report
	Record *record.Record
}

// SARIF writes what is wrong with games in the form that code hosts show beside
// the code: one run a game, one result for each thing to mend. A game that could
// not be judged is a run that was not successful.
func SARIF(w io.Writer, cases ...Case) error {
	log := sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{}}
	for _, c := range cases {
		log.Runs = append(log.Runs, sarifOf(c))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return fmt.Errorf("writing the report as SARIF: %w", err)
	}
	return nil
}

func sarifOf(c Case) sarifRun {
	rep := c.Report
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "playtest", Version: rep.Metadata.Environment.Playtest, Rules: []sarifRule{}}},
		Automation:  sarifAutomation{"playtest/" + rep.Metadata.GameURL},
		Results:     []sarifResult{},
		Invocations: []sarifInvocation{{Successful: rep.Status != record.VerdictError}},
		ColumnKind:  "utf16CodeUnits",
	}
	base := gameBase(rep.Metadata.GameURL)
	if base != "" {
		run.Bases = map[string]sarifBase{sarifGame: {base}}
	}
	for _, r := range Roots(rep, c.Record) {
		run.Results = append(run.Results, sarifResult{
			RuleID: r.Kind, RuleIndex: ruleIndex(&run.Tool.Driver, r.Kind), Level: level(r.Severity), Message: sarifText{message(r)},
			Locations: []sarifLocation{{sarifPlace(base, r)}}, Fingerprints: map[string]string{"playtest/v1": Fingerprint(r)},
		})
	}
	return run
}

func ruleIndex(d *sarifDriver, kind string) int {
	if i := slices.IndexFunc(d.Rules, func(r sarifRule) bool { return r.ID == kind }); i >= 0 {
		return i
	}
	d.Rules = append(d.Rules, sarifRule{kind, sarifText{strings.ReplaceAll(kind, "_", " ")}})
	return len(d.Rules) - 1
}

func level(s record.Severity) string {
	switch s {
	case record.Critical:
		return "error"
	case record.Major:
		return "warning"
	}
	return "note"
}

// message is everything about a root in plain text.
func message(r Root) string {
	var b strings.Builder
	b.WriteString(Plain(r.Description))
	for _, c := range r.Consequences {
		b.WriteString(" Follows from it: " + Plain(c.Description))
	}
	if r.Suggestion != "" {
		b.WriteString(" " + r.Suggestion)
	}
	return b.String()
}

// gameBase is the folder of the game's page, "" for a game without an address.
func gameBase(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	u.RawQuery, u.Fragment = "", ""
	if i := strings.LastIndexByte(u.Path, '/'); i >= 0 {
		u.Path = u.Path[:i+1]
	} else {
		u.Path = "/"
	}
	u.RawPath = ""
	return u.String()
}

func sarifPlace(base string, r Root) sarifPhysical {
	file, relative := relativeTo(base, r.File)
	p := sarifPhysical{Artifact: sarifArtifact{URI: file}}
	if relative && base != "" {
		p.Artifact.Base = sarifGame
	}
	if r.Line > 0 {
		p.Region = &sarifRegion{r.Line}
	}
	return p
}

// relativeTo is a file's address from the folder of the game, the game's page
// where no file is known.
func relativeTo(base, file string) (address string, relative bool) {
	if file == "" {
		return "index.html", true
	}
	u, err := url.Parse(file)
	if err != nil {
		return url.PathEscape(file), true
	}
	u.RawQuery, u.Fragment = "", ""
	if rest, ok := strings.CutPrefix(u.String(), base); ok && base != "" {
		if rest == "" {
			rest = "index.html"
		}
		return rest, true
	}
	if u.Scheme == "" {
		return u.EscapedPath(), true
	}
	return u.String(), false
}

var (
	digits = regexp.MustCompile(`\d+`)
	origin = regexp.MustCompile(`https?://[^/\s]+`)
)

// Fingerprint names a root in a way that stays the same from run to run, though
// times, counts and the port of the server differ.
func Fingerprint(r Root) string {
	text := Plain(r.Description)
	text = digits.ReplaceAllString(origin.ReplaceAllString(text, ""), "0")
	hash := fnv.New64a()
	io.WriteString(hash, r.Kind+"\n"+text)
	return fmt.Sprintf("%016x", hash.Sum64())
}
