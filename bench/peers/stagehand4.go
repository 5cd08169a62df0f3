//go:build ignore

// Runs Stagehand 4's SDK for Go on the bench pages and prints what it measured as
// JSON. scripts/bench-peers builds it in a module of its own: ours does not require
// the SDK.
//
//	measure CHROMIUM TREES NAME=URL...
//
// TREES is where the trees are put.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	stagehand "github.com/browserbase/stagehand/packages/sdk-go/v4"
)

const runs = 7

type looked struct {
	MS    float64 `json:"ms,omitempty"`
	Error string  `json:"error,omitempty"`
}

type result struct {
	Pages   map[string]looked `json:"pages"`
	Again   float64           `json:"again"`
	Act     float64           `json:"act"`
	Extract float64           `json:"extract"`
	Step    float64           `json:"step"`
	Errors  []string          `json:"errors"`
}

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: measure CHROMIUM TREES NAME=URL...")
	}
	out, err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, chromium, trees string, pages []string) (_ *result, err error) {
	browser, err := stagehand.LaunchLocalBrowser(ctx, &stagehand.LocalBrowserLaunchOptions{
		ExecutablePath: chromium, Headless: true, Viewport: &stagehand.LocalViewport{Width: 1280, Height: 720}, Args: []string{"--no-sandbox"},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, browser.Close(ctx)) }()
	client, err := stagehand.Create(ctx, stagehand.CreateOptions{
		Browser: browser, Generate: generate, Logging: &stagehand.StagehandClientLoggingConfig{Level: stagehand.StagehandClientLogLevelOff},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close(ctx)) }()
	in, err := browser.Context()
	if err != nil {
		return nil, err
	}
	open, err := in.Pages(ctx)
	if err != nil {
		return nil, err
	}
	if len(open) == 0 {
		return nil, errors.New("its browser has no page")
	}
	page := open[0]

	measure := func(url string, times int) (float64, string, error) {
		if _, err := page.Goto(ctx, url, nil); err != nil {
			return 0, "", err
		}
		time.Sleep(500 * time.Millisecond) // every program measures a page that has come to rest
		var took []float64
		var tree string
		for range times {
			began := time.Now()
			snapshot, err := page.Snapshot(ctx, nil)
			if err != nil {
				return 0, "", err
			}
			took, tree = append(took, since(began)), snapshot.FormattedTree
		}
		return median(took), tree, nil
	}

	out := &result{Pages: map[string]looked{}}
	urls := map[string]string{}
	for _, p := range pages {
		name, url, _ := strings.Cut(p, "=")
		urls[name] = url
		took, tree, err := measure(url, runs)
		if err != nil {
			out.Pages[name] = looked{Error: err.Error()}
			continue
		}
		out.Pages[name] = looked{MS: took}
		if err := os.WriteFile(filepath.Join(trees, name+".txt"), []byte(tree), 0o600); err != nil {
			return nil, err
		}
	}
	// The large page once more, after the one with frames. Fewer times: it takes long.
	if _, _, err := measure(urls["frames"], 1); err != nil {
		return nil, err
	}
	after, _, err := measure(urls["large"], 3)
	if err != nil {
		return nil, err
	}
	if before := out.Pages["large"].MS; before > 0 {
		out.Again = after / before
	}

	if _, err := page.Goto(ctx, urls["small"], nil); err != nil {
		return nil, err
	}
	timed := func(what string, verb func() error) float64 {
		var took []float64
		for range runs {
			began := time.Now()
			if err := verb(); err != nil {
				out.Errors = append(out.Errors, what+": "+err.Error())
				return 0
			}
			took = append(took, since(began))
		}
		return median(took)
	}
	act := func() error {
		done, err := client.Act(ctx, stagehand.ActInstruction("click the first button"), nil)
		if err == nil && !done.Data.Success {
			err = errors.New(done.Data.Message)
		}
		return err
	}
	out.Act = timed("act", act)
	out.Extract = timed("extract", func() error {
		got, err := stagehand.Extract[struct {
			Extraction string `json:"extraction"`
		}](ctx, client, "the heading", nil)
		if err == nil && got.Data.Extraction == "" {
			err = errors.New("nothing was extracted")
		}
		return err
	})
	out.Step = timed("step", func() error {
		if _, err := page.Snapshot(ctx, nil); err != nil {
			return err
		}
		return act()
	})
	return out, nil
}

var firstButton = regexp.MustCompile(`\[(\d+-\d+)\] button`)

// generate is a model that answers at once: click the first button of the tree, or
// read the heading. It works on what the SDK would send to a model's server.
func generate(_ context.Context, params stagehand.LLMGenerateParams) (stagehand.LLMGenerateResult, error) {
	var answer stagehand.LLMGenerateResult
	wish, ok := params.AsStructured()
	if !ok {
		return answer, errors.New("a wish for free text")
	}
	messages, err := json.Marshal(wish.Messages)
	if err != nil {
		return answer, err
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(wish.ResponseFormat.Schema, &schema); err != nil {
		return answer, err
	}
	known := map[string]any{"twoStep": false, "extraction": "Small shop", "completed": true, "progress": ""}
	if id := firstButton.FindSubmatch(messages); id != nil {
		known["action"] = map[string]any{"elementId": string(id[1]), "description": "a button", "method": "click", "arguments": []string{}}
	}
	content := map[string]any{}
	for key := range schema.Properties {
		content[key] = known[key]
	}
	text, err := json.Marshal(content)
	if err != nil {
		return answer, err
	}
	whole, err := json.Marshal(map[string]any{
		"role": "assistant", "content": map[string]any{"type": "text", "text": string(text)}, "output_format": "json_schema", "structured_content": content,
	})
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(whole, &answer); err != nil {
		return answer, fmt.Errorf("the answer %s: %w", whole, err)
	}
	return answer, nil
}

func since(began time.Time) float64 { return time.Since(began).Seconds() * 1000 }

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
