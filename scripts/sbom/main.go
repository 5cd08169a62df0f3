// Command sbom writes what a program was built from as a CycloneDX document: the
// modules that are linked into it, from the program itself, with their licences,
// from the notices. Equal programs give equal documents.
//
//	go run ./scripts/sbom bin/playtest THIRD_PARTY_NOTICES.md >bin/playtest.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sort"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM NOTICES")
		os.Exit(64)
	}
	if err := run(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, program, notices string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read what %s was built from: %w", program, err)
	}
	text, err := os.ReadFile(notices)
	if err != nil {
		return err
	}
	sum, err := fileSum(program)
	if err != nil {
		return err
	}
	doc, err := describe(info, sum, licences(string(text)))
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// The parts of CycloneDX 1.6 that are used.
type (
	document struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version,omitempty"`
		PURL     string    `json:"purl,omitempty"`
		Hashes   []hash    `json:"hashes,omitempty"`
		Licences []licence `json:"licenses,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
)

// describe makes the document. licences are SPDX names by "path version".
func describe(info *debug.BuildInfo, sum string, licences map[string][]string) (*document, error) {
	main := component{Type: "application", Ref: info.Main.Path, Name: info.Main.Path, Hashes: []hash{{"SHA-256", sum}}}
	if info.Main.Version != "(devel)" {
		main.Version = info.Main.Version
	}
	doc := &document{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{main}}
	used := dependency{Ref: main.Ref}
	var errs []error
	for _, m := range append([]*debug.Module{{Path: "std", Version: info.GoVersion}}, info.Deps...) {
		for m.Replace != nil {
			m = m.Replace
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version}
		c.Ref = c.PURL
		if h1, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
			raw, err := base64.StdEncoding.DecodeString(h1)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s has a sum that cannot be read: %w", m.Path, err))
			}
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
		}
		names := licences[m.Path+" "+m.Version]
		if m.Path == "std" {
			names = []string{"BSD-3-Clause"}
		}
		if len(names) == 0 {
			errs = append(errs, fmt.Errorf("%s %s has no licence that is known: run scripts/notices", m.Path, m.Version))
		}
		for _, id := range names {
			var l licence
			l.Licence.ID = id
			c.Licences = append(c.Licences, l)
		}
		doc.Components = append(doc.Components, c)
		used.On = append(used.On, c.Ref)
	}
	doc.Dependencies = []dependency{used}
	// A name that follows from the program: nothing here depends on the moment.
	id := sha256.Sum256([]byte(sum))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	doc.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
	return doc, errors.Join(errs...)
}

// licences reads the notices: under "## path version" the texts of a module.
func licences(notices string) map[string][]string {
	out := map[string][]string{}
	for _, section := range strings.Split(notices, "\n## ")[1:] {
		module, text, _ := strings.Cut(section, "\n")
		if path, version, ok := strings.Cut(module, " "); !ok || !strings.Contains(path, ".") || !strings.HasPrefix(version, "v") {
			continue // a heading within a licence
		}
		found := map[string]bool{}
		for i, block := range strings.Split(text, "```") {
			if id := recognise(block); i%2 == 1 && id != "" {
				found[id] = true
			}
		}
		var names []string
		for id := range found {
			names = append(names, id)
		}
		sort.Strings(names)
		out[strings.TrimSpace(module)] = names
	}
	return out
}

// recognise tells a licence by the words that only it has.
func recognise(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(words string) bool { return strings.Contains(text, words) }
	switch {
	case has("mozilla public license") && has("2.0"):
		return "MPL-2.0"
	case has("apache license") && has("version 2.0"):
		return "Apache-2.0"
	case has("permission is hereby granted, free of charge"):
		return "MIT"
	case has("permission to use, copy, modify, and/or distribute"), has("permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	case has("redistribution and use in source and binary forms") && (has("neither the name") || has("names of its contributors") || has("name of the copyright holder")):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}
