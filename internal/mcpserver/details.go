package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

//go:embed report.md
var reportText string

type reportArgs struct {
	Run    string `json:"run" jsonschema:"the run"`
	Part   string `json:"part" jsonschema:"issues, controls, metrics, console, network, decisions or pictures"`
	Offset int    `json:"offset,omitempty" jsonschema:"where to go on, from nextOffset of the answer before"`
}

// Part is a piece of a report.
type Part struct {
	Run  string `json:"run"`
	Part string `json:"part"`
	// Text is cut at piece; Next is where it goes on, 0 at the end. Pictures are
	// counted one by one.
	Text  string `json:"text,omitempty"`
	Next  int    `json:"nextOffset,omitempty" jsonschema:"call again with this offset for more"`
	Total int    `json:"total" jsonschema:"bytes of text, or pictures, in all"`
}

// A piece of text or pictures.
const (
	piece       = 8000
	pieceImages = 3
)

func (s *Server) addReport() {
	schema := mustSchema[reportArgs]()
	schema.Properties["part"].Enum = []any{"issues", "controls", "metrics", "console", "network", "decisions", "pictures"}
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "playtest_report", Title: "Details of a run", Description: reportText, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: ptr(false)},
	}, func(ctx context.Context, req *mcp.CallToolRequest, in reportArgs) (*mcp.CallToolResult, *Part, error) {
		if in.Offset < 0 {
			return nil, nil, errors.New("offset is negative")
		}
		if _, err := s.jobs.result(in.Run); err != nil {
			return nil, nil, err
		}
		dir, err := s.jobs.dir(in.Run)
		if err != nil {
			return nil, nil, err
		}
		if in.Part == "pictures" {
			return showPictures(dir, in)
		}
		text, err := partOf(dir, in.Part)
		if err != nil {
			return nil, nil, err
		}
		p := &Part{Run: in.Run, Part: in.Part, Total: len(text)}
		p.Text, p.Next = cutPiece(text, in.Offset)
		shown := p.Text
		if shown == "" {
			shown = "Nothing."
		}
		if p.Next > 0 {
			shown += fmt.Sprintf("\n(%d of %d bytes; call again with offset %d)", p.Next, p.Total, p.Next)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shown}}}, p, nil
	})
}

// cutPiece is what begins at an offset, whole lines where they are short enough.
func cutPiece(text string, offset int) (part string, next int) {
	if offset >= len(text) {
		return "", 0
	}
	for offset > 0 && !utf8.RuneStart(text[offset]) {
		offset--
	}
	text = text[offset:]
	if len(text) <= piece {
		return text, 0
	}
	end := piece
	if nl := strings.LastIndexByte(text[:end], '\n'); nl > piece/2 {
		end = nl + 1
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], offset + end
}

// logs are the parts that are files of the evidence.
var logs = map[string]string{"console": "console.log", "network": "network.log", "decisions": "agent-decisions.log"}

// maxLog is how much of a log is looked at.
const maxLog = 4 << 20

func partOf(dir, part string) (string, error) {
	if file := logs[part]; file != "" {
		data, err := readBounded(dir, file, maxLog)
		if err != nil {
			return "", nil // a run that logged nothing left no log
		}
		var b strings.Builder
		for line := range strings.Lines(string(data)) {
			fmt.Fprintln(&b, clip(line, 1000))
		}
		return b.String(), nil
	}
	rep, err := readReport(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	switch part {
	case "issues":
		for _, i := range rep.Issues {
			fmt.Fprintf(&b, "%s: %s", i.Severity, clip(i.Description, 1000))
			if i.Evidence != "" {
				fmt.Fprintf(&b, " [%s]", clip(i.Evidence, 500))
			}
			b.WriteByte('\n')
		}
	case "controls":
		for _, c := range rep.Controls {
			fmt.Fprintf(&b, "%s: %s. %s\n", clip(c.Control.Description, 200), c.Trial.Outcome, clip(c.Trial.Reason, 500))
		}
	case "metrics":
		for _, m := range rep.Metrics {
			fmt.Fprintf(&b, "%s: %d of 100, weight %.2f. %s\n", m.Name, m.Score, m.Weight, clip(m.Justification, 500))
		}
	default:
		return "", fmt.Errorf("part %q is not one of issues, controls, metrics, console, network, decisions, pictures", clip(part, 40))
	}
	return b.String(), nil
}

func showPictures(dir string, in reportArgs) (*mcp.CallToolResult, *Part, error) {
	rep, err := readReport(dir)
	if err != nil {
		return nil, nil, err
	}
	p := &Part{Run: in.Run, Part: in.Part, Total: len(rep.Screenshots)}
	res := &mcp.CallToolResult{}
	for i := in.Offset; i < len(rep.Screenshots); i++ {
		if i == in.Offset+pieceImages {
			p.Next = i
			break
		}
		shot := rep.Screenshots[i]
		label := report.Plain(fmt.Sprintf("%s %s (%s)", shot.Stage, shot.Note, address(in.Run, shot.Path)))
		p.Text += label + "\n"
		c, err := picture(dir, shot.Path)
		if err != nil {
			label += ": " + err.Error()
		}
		res.Content = append(res.Content, &mcp.TextContent{Text: label})
		if err == nil {
			res.Content = append(res.Content, c)
		}
	}
	if len(res.Content) == 0 {
		res.Content = []mcp.Content{&mcp.TextContent{Text: "No more pictures."}}
	}
	return res, p, nil
}

func readReport(dir string) (*record.Report, error) {
	data, err := readBounded(dir, "report.json", 32<<20)
	if err != nil {
		return nil, errors.New("the run has no report")
	}
	rep := &record.Report{}
	if err := json.Unmarshal(data, rep); err != nil {
		return nil, fmt.Errorf("the run's report cannot be read: %w", err)
	}
	return rep, nil
}
