package snapshot

import "strings"

// maxName bounds the names that are kept; a link around a whole article is not
// made easier to find by more of it.
const maxName = 400

// name is what an element is called, by the order of the accessible name
// computation as far as pages use it.
func (d *document) name(n int32, tag, role string) string {
	if ids := d.get(n, "aria-labelledby"); ids != "" {
		var parts []string
		for id := range strings.FieldsSeq(ids) {
			if e := d.element(n, id); e >= 0 {
				parts = append(parts, d.textBelow(e))
			}
		}
		if s := clean(strings.Join(parts, " ")); s != "" {
			return s
		}
	}
	if s := clean(d.get(n, "aria-label")); s != "" {
		return s
	}
	if s := d.nativeName(n, tag); s != "" {
		return s
	}
	if namedByContent[role] {
		if s := clean(d.textBelow(n)); s != "" {
			return s
		}
	}
	return clean(d.get(n, "title"))
}

func (d *document) nativeName(n int32, tag string) string {
	switch tag {
	case "input", "textarea", "select", "meter", "progress", "output":
		switch strings.ToLower(d.get(n, "type")) {
		case "submit", "reset", "button":
			if v := clean(d.get(n, "value")); v != "" {
				return v
			}
			if t := strings.ToLower(d.get(n, "type")); t != "button" && tag == "input" {
				return map[string]string{"submit": "Submit", "reset": "Reset"}[t]
			}
		case "image":
			if v := clean(d.get(n, "alt")); v != "" {
				return v
			}
		}
		return d.label(n)
	case "img", "area":
		return clean(d.get(n, "alt"))
	case "fieldset":
		return d.childText(n, "legend")
	case "table":
		return d.childText(n, "caption")
	case "figure":
		return d.childText(n, "figcaption")
	case "svg":
		return d.childText(n, "title")
	case "optgroup":
		return clean(d.get(n, "label"))
	case "details", "canvas":
		return ""
	}
	return ""
}

// label is the text of the label that belongs to a field.
func (d *document) label(n int32) string {
	if l := d.labelFor(n, d.get(n, "id")); l >= 0 {
		if s := clean(d.textBelow(l)); s != "" {
			return s
		}
	}
	for p := d.parent(n); p >= 0; p = d.parent(p) {
		if d.tag(p) == "label" {
			return clean(d.textBelow(p))
		}
	}
	return ""
}

func (d *document) childText(n int32, tag string) string {
	for c := d.first[n]; c >= 0; c = d.next[c] {
		if d.kind(c) == typeElement && d.tag(c) == tag {
			return clean(d.textBelow(c))
		}
	}
	return ""
}

// contentText writes the text below a node, as a name: rendered text, the words of
// pictures, and nothing that is hidden from assistive technology.
func (d *document) contentText(b *strings.Builder, n int32) {
	if b.Len() > maxName {
		return
	}
	switch d.kind(n) {
	case typeText:
		if d.rendered(n) || d.parent(n) >= 0 && !d.rendered(d.parent(n)) {
			b.WriteString(d.value(n))
		}
		return
	case typeElement:
		tag := d.tag(n)
		if d.ignored[n] || skipped[tag] && tag != "title" || d.get(n, "aria-hidden") == "true" || tag == "select" || tag == "textarea" {
			return
		}
		if s := d.get(n, "aria-label"); s != "" {
			b.WriteString(" " + s + " ")
			return
		}
		if tag == "img" {
			b.WriteString(" " + d.get(n, "alt") + " ")
			return
		}
		if !inline[tag] {
			b.WriteByte(' ')
			defer b.WriteByte(' ')
		}
	}
	if root := d.shadowRoot(n); root >= 0 {
		d.contentText(b, root)
	}
	for c := d.first[n]; c >= 0; c = d.next[c] {
		if !d.isShadow(c) {
			d.contentText(b, c)
		}
	}
}

func (d *document) textBelow(n int32) string {
	var b strings.Builder
	d.contentText(&b, n)
	return b.String()
}

// textInside is the text below an element, whatever the element is called.
func (d *document) textInside(n int32) string {
	var b strings.Builder
	for c := d.first[n]; c >= 0; c = d.next[c] {
		if !d.isShadow(c) {
			d.contentText(&b, c)
		}
	}
	return b.String()
}
