package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/model"
)

const (
	scheme   = "playtest://runs/"
	guideURI = "playtest://guide"
	// maxResource is how much text a resource gives.
	maxResource = 512 << 10
)

// shrink is what a conversation can take: a picture that a model can read.
var shrink = model.ImageLimits{Long: 1024, Bytes: 400 << 10, Types: []string{"image/png", "image/jpeg"}}

// address is that of a file of a run.
func address(run, file string) string { return scheme + run + "/" + file }

func parseAddress(uri string) (run, file string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", false
	}
	run, file, ok = strings.Cut(rest, "/")
	return run, file, ok
}

func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{URI: guideURI, Name: "guide", Title: "How to use what playtest finds", MIMEType: "text/markdown",
		Description: "How an agent goes from a verdict to a game that passes"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: guideURI, MIMEType: "text/markdown", Text: guide}}}, nil
		})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scheme + "{run}/{+file}", Name: "evidence", Title: "Evidence of a run",
		Description: "A file of a run: report.json, console.log, network.log, agent-decisions.log, screenshots/NAME.png"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c, err := s.evidence(req.Params.URI)
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
		})
}

// evidence is a file of a run, pictures scaled and texts bounded.
func (s *Server) evidence(uri string) (*mcp.ResourceContents, error) {
	run, file, ok := parseAddress(uri)
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	dir, err := s.jobs.dir(run)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if path.Ext(file) == ".png" {
		c, err := picture(dir, file)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		return &mcp.ResourceContents{URI: uri, MIMEType: c.MIMEType, Blob: c.Data}, nil
	}
	data, err := readBounded(dir, file, maxResource)
	switch {
	case errors.Is(err, errTooLong):
		return nil, fmt.Errorf("%s is longer than %d bytes; playtest_report gives it in pieces", file, maxResource)
	case err != nil:
		return nil, mcp.ResourceNotFoundError(uri)
	}
	kind := "text/plain"
	switch path.Ext(file) {
	case ".json", ".har":
		kind = "application/json"
	case ".html":
		kind = "text/html"
	}
	return &mcp.ResourceContents{URI: uri, MIMEType: kind, Text: strings.ToValidUTF8(string(data), "\uFFFD")}, nil
}

// picture is a picture of a run, scaled for a model.
func picture(dir, file string) (*mcp.ImageContent, error) {
	data, err := readBounded(dir, file, 32<<20)
	if err != nil {
		return nil, errors.New("the picture is not there")
	}
	return scaled(data)
}

func scaled(data []byte) (*mcp.ImageContent, error) {
	img, err := model.NewImage(data)
	if err != nil {
		return nil, err
	}
	img, _, err = model.Fit(img, shrink)
	if err != nil {
		return nil, err
	}
	return &mcp.ImageContent{Data: img.Data, MIMEType: img.MediaType}, nil
}

var errTooLong = errors.New("too long")

// readBounded reads a file of a run and of nothing else.
func readBounded(dir, file string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLong
	}
	return data, err
}

func mustSchema[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic("mcpserver: " + err.Error()) // types do not change after the build
	}
	return s
}
