package metadata

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

type nodeKind int

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	listNode
	objectNode
)

// String names the kind in the words of an error message.
func (k nodeKind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "an object"}[k]
}

// node is a value of a JSON or YAML file. Scalars keep their literal text, so
// that a key called 1 or a version 1.10 stays what the author wrote.
type node struct {
	kind   nodeKind
	line   int // 0 when it is not known
	text   string
	fields []field
	items  []*node
}

type field struct {
	name  string
	line  int
	value *node
}

// maxTreeDepth bounds nesting; metadata needs five levels.
const maxTreeDepth = 64

var errTooDeep = errors.New("is nested too deeply")

// parseTree reads JSON, or YAML where it is not JSON.
func parseTree(data []byte) (*node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, wholeFile(0, "is empty")
	}
	// A YAML flow mapping begins with a brace too, but rarely quotes its
	// names. A file that does was meant to be JSON: YAML would find a meaning
	// in some of its mistakes.
	if inside, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("{")); ok {
		inside = bytes.TrimSpace(inside)
		if len(inside) == 0 || inside[0] == '"' || inside[0] == '}' {
			return parseJSONTree(data)
		}
	}
	return parseYAMLTree(data)
}

func wholeFile(line int, format string, args ...any) *Error {
	return &Error{Problems: []Problem{{Line: line, Message: fmt.Sprintf(format, args...)}}}
}

func parseJSONTree(data []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	p := jsonTree{dec: dec, data: data}
	root, err := p.value(0)
	if err == nil {
		if _, extra := dec.Token(); extra != io.EOF {
			err = errors.New("there is something after the end of the object")
		}
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends too early")
		}
		return nil, wholeFile(p.line(), "is not valid JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return root, nil
}

type jsonTree struct {
	dec  *json.Decoder
	data []byte
}

func (p *jsonTree) line() int {
	at := min(int(p.dec.InputOffset()), len(p.data))
	return 1 + bytes.Count(p.data[:at], []byte("\n"))
}

func (p *jsonTree) value(depth int) (*node, error) {
	if depth > maxTreeDepth {
		return nil, errTooDeep
	}
	tok, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: p.line()}
	switch tok := tok.(type) {
	case nil:
		n.kind = nullNode
	case bool:
		n.kind, n.text = boolNode, fmt.Sprint(tok)
	case json.Number:
		n.kind, n.text = numberNode, tok.String()
	case string:
		n.kind, n.text = stringNode, tok
	case json.Delim:
		if tok == '[' {
			n.kind = listNode
			for p.dec.More() {
				item, err := p.value(depth + 1)
				if err != nil {
					return nil, err
				}
				n.items = append(n.items, item)
			}
		} else {
			n.kind = objectNode
			for p.dec.More() {
				if err := p.field(n, depth); err != nil {
					return nil, err
				}
			}
		}
		if _, err := p.dec.Token(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (p *jsonTree) field(object *node, depth int) error {
	tok, err := p.dec.Token()
	if err != nil {
		return err
	}
	name, ok := tok.(string)
	if !ok {
		return fmt.Errorf("a field's name is missing")
	}
	line := p.line()
	for _, f := range object.fields {
		if f.name == name {
			return fmt.Errorf("the field %q is there twice", name)
		}
	}
	value, err := p.value(depth + 1)
	if err != nil {
		return err
	}
	object.fields = append(object.fields, field{name, line, value})
	return nil
}

func parseYAMLTree(data []byte) (*node, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			line := 0
			if tok := syntax.GetToken(); tok != nil && tok.Position != nil {
				line = tok.Position.Line
			}
			return nil, wholeFile(line, "is not valid YAML: %s", syntax.GetMessage())
		}
		return nil, wholeFile(0, "is not valid YAML: %s", firstLine(err.Error()))
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, wholeFile(0, "is empty")
	case 1:
	default:
		return nil, wholeFile(yamlLine(bodies[1]), "holds more than one YAML document")
	}
	root, err := yamlTree(bodies[0], 0)
	if err != nil {
		return nil, wholeFile(0, "is not usable YAML: %s", err)
	}
	return root, nil
}

func yamlTree(n ast.Node, depth int) (*node, error) {
	if depth > maxTreeDepth {
		return nil, errTooDeep
	}
	out := &node{line: yamlLine(n)}
	switch n := n.(type) {
	case nil:
	case *ast.NullNode:
	case *ast.BoolNode:
		out.kind, out.text = boolNode, fmt.Sprint(n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		out.kind, out.text = numberNode, n.GetToken().Value
	case *ast.StringNode:
		out.kind, out.text = stringNode, n.Value
	case *ast.LiteralNode:
		out.kind, out.text = stringNode, n.Value.Value
	case *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text = stringNode, n.GetToken().Value
	case *ast.SequenceNode:
		out.kind = listNode
		for _, v := range n.Values {
			item, err := yamlTree(v, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
	case *ast.MappingNode:
		out.kind = objectNode
		for _, v := range n.Values {
			if err := yamlField(out, v, depth); err != nil {
				return nil, err
			}
		}
	case *ast.MappingValueNode:
		out.kind = objectNode
		if err := yamlField(out, n, depth); err != nil {
			return nil, err
		}
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		// A ten-line file of aliases can stand for gigabytes.
		return nil, fmt.Errorf("anchors, aliases and tags are not accepted (line %d)", out.line)
	default:
		return nil, fmt.Errorf("%s is not accepted (line %d)", strings.ToLower(n.Type().String()), out.line)
	}
	return out, nil
}

func yamlField(object *node, pair *ast.MappingValueNode, depth int) error {
	key, ok := pair.Key.(ast.ScalarNode)
	if !ok {
		return fmt.Errorf("a field's name must be plain text (line %d)", yamlLine(pair.Key))
	}
	name := key.GetToken().Value
	for _, f := range object.fields {
		if f.name == name {
			return fmt.Errorf("the field %q is there twice (line %d)", name, yamlLine(pair.Key))
		}
	}
	value, err := yamlTree(pair.Value, depth+1)
	if err != nil {
		return err
	}
	object.fields = append(object.fields, field{name, yamlLine(pair.Key), value})
	return nil
}

func yamlLine(n ast.Node) int {
	if n == nil {
		return 0
	}
	if tok := n.GetToken(); tok != nil && tok.Position != nil {
		return tok.Position.Line
	}
	return 0
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
