package snapshot

import (
	"slices"
	"strings"
)

// Roles that a person acts on.
var interactiveRoles = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "listbox": true,
	"checkbox": true, "radio": true, "switch": true, "slider": true, "spinbutton": true, "option": true,
	"tab": true, "menuitem": true, "menuitemcheckbox": true, "menuitemradio": true, "treeitem": true,
	"file": true, "color": true, "date": true, "summary": true, "scrollbar": true, "clickable": true,
}

// Roles that take their name from what is in them.
var namedByContent = map[string]bool{
	"button": true, "link": true, "heading": true, "option": true, "tab": true, "menuitem": true,
	"menuitemcheckbox": true, "menuitemradio": true, "treeitem": true, "checkbox": true, "radio": true,
	"switch": true, "summary": true, "tooltip": true, "clickable": true, "columnheader": true, "rowheader": true,
}

// Roles that give the tree its shape and stay although nobody acts on them.
var structure = map[string]bool{
	"main": true, "navigation": true, "banner": true, "contentinfo": true, "complementary": true, "search": true,
	"form": true, "region": true, "dialog": true, "alertdialog": true, "alert": true, "status": true, "table": true,
	"grid": true, "treegrid": true, "row": true, "cell": true, "gridcell": true, "columnheader": true, "rowheader": true,
	"list": true, "listitem": true, "menu": true, "menubar": true, "tablist": true, "tabpanel": true, "tree": true,
	"toolbar": true, "group": true, "radiogroup": true, "listbox": true, "figure": true, "article": true,
	"heading": true, "img": true, "canvas": true, "video": true, "audio": true, "iframe": true, "progressbar": true,
	"meter": true, "timer": true, "tooltip": true, "log": true, "application": true, "separator": true,
}

// Structure that is worth a line only when it has a name.
var onlyNamed = map[string]bool{
	"region": true, "group": true, "figure": true, "article": true, "img": true, "form": true, "status": true,
	"list": true, "cell": true, "gridcell": true, "application": true, "log": true,
	"separator": true, "complementary": true, "tooltip": true, "toolbar": true,
}

var tagRoles = map[string]string{
	"button": "button", "summary": "summary", "textarea": "textbox", "option": "option",
	"nav": "navigation", "main": "main", "header": "banner", "footer": "contentinfo", "aside": "complementary",
	"form": "form", "section": "region", "dialog": "dialog", "article": "article", "search": "search",
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
	"table": "table", "tr": "row", "td": "cell", "th": "columnheader", "ul": "list", "ol": "list", "menu": "list",
	"li": "listitem", "fieldset": "group", "details": "group", "figure": "figure", "hr": "separator",
	"img": "img", "svg": "img", "canvas": "canvas", "video": "video", "audio": "audio",
	"iframe": "iframe", "frame": "iframe", "progress": "progressbar", "meter": "meter", "output": "status",
	"optgroup": "group", "embed": "iframe", "object": "iframe",
}

var inputRoles = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "checkbox": "checkbox",
	"radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox", "file": "file",
	"color": "color", "date": "date", "datetime-local": "date", "month": "date", "time": "date", "week": "date",
}

// Elements whose content is never shown as content.
var skipped = map[string]bool{
	"script": true, "style": true, "noscript": true, "template": true, "head": true, "meta": true, "link": true,
	"title": true, "base": true, "datalist": true, "source": true, "track": true, "param": true,
}

// Elements that stand in a line of text without breaking it.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true,
	"dfn": true, "em": true, "font": true, "i": true, "ins": true, "kbd": true, "mark": true, "q": true, "s": true,
	"samp": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "time": true, "tt": true,
	"u": true, "var": true, "wbr": true, "slot": true, "label": true,
}

// role is what an element is: what it says it is, else what its tag means.
func (d *document) role(n int32, tag string) string {
	for r := range strings.FieldsSeq(strings.ToLower(d.get(n, "role"))) {
		switch r {
		case "none", "presentation", "generic":
			return ""
		case "image":
			return "img"
		}
		if interactiveRoles[r] || structure[r] {
			return r
		}
	}
	switch tag {
	case "a", "area":
		if d.has(n, "href") {
			return "link"
		}
		return ""
	case "input":
		t := strings.ToLower(d.get(n, "type"))
		if t == "hidden" {
			return ""
		}
		if r, ok := inputRoles[t]; ok {
			return r
		}
		if d.has(n, "list") {
			return "combobox"
		}
		return "textbox"
	case "select":
		if d.has(n, "multiple") || (d.get(n, "size") != "" && d.get(n, "size") != "1") {
			return "listbox"
		}
		return "combobox"
	case "header", "footer":
		// Only those of the page itself are landmarks.
		for p := d.parent(n); p >= 0; p = d.parent(p) {
			if slices.Contains([]string{"article", "aside", "main", "nav", "section"}, d.tag(p)) {
				return ""
			}
		}
	}
	return tagRoles[tag]
}

// takesInput reports whether something without a telling role can be acted on.
// Listeners alone do not make it so: a page that listens on its body for
// everything is not one big button.
func (d *document) takesInput(n int32, tag, parentCursor string) bool {
	if tag == "html" || tag == "body" || tag == "label" || tag == "form" {
		return false
	}
	if ce, ok := d.attr(n, "contenteditable"); ok && ce != "false" {
		return true
	}
	if d.has(n, "onclick") || d.get(n, "draggable") == "true" {
		return true
	}
	if t := d.get(n, "tabindex"); t != "" && !strings.HasPrefix(t, "-") {
		return true
	}
	if d.clickable[n] {
		return true
	}
	cursor := d.style(n, styleCursor)
	return (cursor == "pointer" || cursor == "grab") && cursor != parentCursor
}
