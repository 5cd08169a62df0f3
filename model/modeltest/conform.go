package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/model"
)

// Subject is an adapter under test, and the stand-in for its vendor.
type Subject struct {
	Server func(testing.TB) *Server
	// Model is the adapter, speaking to the stand-in with that key.
	Model func(t testing.TB, s *Server, key model.Secret) model.Model
	// Thinks is set when thoughts are shown and must come back with tool
	// results.
	Thinks bool
	// TextArgs is set when the vendor sends arguments as a string, which can
	// be broken JSON.
	TextArgs bool
	// NoRefusal is set when the vendor has no refusals, only filters.
	NoRefusal bool
	// RefusalOnly is set when the vendor has no filters, only refusals.
	RefusalOnly bool
	// CacheWrites is set when the vendor counts tokens written to its cache.
	CacheWrites bool
}

// way is how the answer is asked for; both must give the same.
type way struct {
	name   string
	stream bool
}

var ways = []way{{"whole", false}, {"stream", true}}

func (w way) ask(ctx context.Context, m model.Model, req *model.Request) (*model.Response, error) {
	if !w.stream {
		return m.Generate(ctx, req)
	}
	var resp *model.Response
	var said string
	for chunk, err := range m.(model.Streamer).Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		said += chunk.Text
		if chunk.Response != nil {
			resp = chunk.Response
		}
	}
	if resp == nil {
		return nil, errors.New("the stream ended without a response")
	}
	if said != resp.Text() {
		return nil, fmt.Errorf("the chunks say %q, the response %q", said, resp.Text())
	}
	return resp, nil
}

// patience is long: machines that run tests are loaded.
const patience = 30 * time.Second

// Conform runs the suite that every adapter has to pass.
func Conform(t *testing.T, subject Subject) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			for _, tc := range []struct {
				name string
				run  func(*testing.T, *bench)
			}{
				{"text", testText},
				{"image", testImage},
				{"large image", testLargeImage},
				{"structured", testStructured},
				{"tool round trip", testTools},
				{"parallel tool calls", testParallelTools},
				{"tool choice", testToolChoice},
				{"invalid arguments", testInvalidArguments},
				{"temperature", testTemperature},
				{"stops", testStops},
				{"errors", testErrors},
				{"faults", testFaults},
				{"timeout", testTimeout},
				{"cancel", testCancel},
			} {
				t.Run(tc.name, func(t *testing.T) { tc.run(t, newBench(t, subject, w)) })
			}
		})
	}
	// What a gateway mends is not mended in a stream.
	for _, tc := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"schemas", testSchemas},
		{"thinking", testThinking},
		{"another vendor's calls", testForeignCalls},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.run(t, newBench(t, subject, ways[0])) })
	}
	t.Run("no key leaks", func(t *testing.T) { testNoLeak(t, subject) })
}

// bench is one test's model and stand-in.
type bench struct {
	Subject
	way    way
	server *Server
	model  model.Model
}

func newBench(t *testing.T, s Subject, w way) *bench {
	server := s.Server(t)
	return &bench{Subject: s, way: w, server: server, model: s.Model(t, server, server.Key)}
}

func (b *bench) ask(t *testing.T, req *model.Request) *model.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	resp, err := b.way.ask(ctx, b.model, req)
	if err != nil {
		t.Fatalf("ask: %v", err)
	}
	return resp
}

// fails expects a failure of a kind, and that the key is not in it.
func (b *bench) fails(t *testing.T, req *model.Request, want error) *model.Error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := b.way.ask(ctx, b.model, req)
	e := model.AsError(err)
	if e == nil || !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
	b.clean(t, err)
	return e
}

func (b *bench) clean(t *testing.T, err error) {
	t.Helper()
	text := fmt.Sprintf("%v %+v %#v %s", err, err, err, model.AsError(err).Message)
	if strings.Contains(text, b.server.Key.Reveal()) {
		t.Errorf("the key is in the error: %s", text)
	}
}

func question(text string) *model.Request {
	return &model.Request{System: "You test games.", Messages: []model.Message{model.UserText(text)}, MaxTokens: 1000}
}

func testText(t *testing.T, b *bench) {
	usage := model.Usage{Input: 100, CacheRead: 40, Output: 12, Thinking: 30}
	if b.CacheWrites {
		usage.CacheWrite = 7
	}
	b.server.Script(Reply{Text: "The space bar jumps. ✓", Usage: usage})
	resp := b.ask(t, question("Which key jumps?"))
	if got := resp.Text(); got != "The space bar jumps. ✓" {
		t.Errorf("text is %q", got)
	}
	if resp.Usage != usage {
		t.Errorf("usage is %+v, want %+v", resp.Usage, usage)
	}
	if resp.Stop != model.StopEnd || resp.Version == "" || resp.RequestID == "" || resp.Model != b.model.Name() {
		t.Errorf("response is %+v", resp)
	}
	// A second turn must be accepted too.
	b.server.Script(Reply{Text: "Yes."})
	b.ask(t, &model.Request{Messages: []model.Message{model.UserText("Which key jumps?"), resp.Message, model.UserText("Sure?")}})
}

// Picture is a w x h picture with some structure, as PNG.
func Picture(w, h int) *model.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(x ^ y), 255})
		}
	}
	return encoded(img)
}

// Noise is a picture that does not compress.
func Noise(w, h int) *model.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32())
	}
	return encoded(img)
}

func encoded(img image.Image) *model.Image {
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, img); err != nil {
		panic(err) // memory does not fail to be written to
	}
	out, err := model.NewImage(buf.Bytes())
	if err != nil {
		panic(err)
	}
	return out
}

func testImage(t *testing.T, b *bench) {
	b.server.Script(Reply{Text: "A game."})
	resp := b.ask(t, &model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text("What is it?"), model.Picture(Picture(640, 360))}}}})
	if len(resp.Pictures) != 1 || resp.Pictures[0].ScaleX != 1 || resp.Pictures[0].Width != 640 {
		t.Errorf("pictures are %+v, want one as it was", resp.Pictures)
	}
}

func testLargeImage(t *testing.T, b *bench) {
	limits := model.Describe(b.model).ImageLimits
	b.server.Script(Reply{Text: "A gradient."})
	resp := b.ask(t, &model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Picture(Picture(3600, 100))}}}})
	if len(resp.Pictures) != 1 {
		t.Fatalf("pictures are %+v", resp.Pictures)
	}
	sent := resp.Pictures[0]
	if limits.Long > 0 && sent.Width > limits.Long || limits.Pixels > 0 && sent.Width*sent.Height > limits.Pixels {
		t.Errorf("%dx%d was sent, the limits are %+v", sent.Width, sent.Height, limits)
	}
	if x, y := sent.Original(float64(sent.Width), float64(sent.Height)); x < 3599 || x > 3601 || y < 99 || y > 101 {
		t.Errorf("the far corner comes back as %v,%v", x, y)
	}
}

// verdict has everything that dialects differ about: optional fields, numbers
// with bounds, lists, choices.
var verdict = &model.Schema{Name: "verdict", JSON: json.RawMessage(`{
	"type": "object",
	"properties": {
		"pass": {"type": "boolean"},
		"score": {"type": "integer", "minimum": 0, "maximum": 100},
		"kind": {"type": "string", "enum": ["dom", "canvas"]},
		"note": {"type": "string", "minLength": 1},
		"issues": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}, "at": {"type": "number"}}, "required": ["text"]}}
	},
	"required": ["pass", "score"]
}`)}

func testStructured(t *testing.T, b *bench) {
	gateway, err := model.NewGateway([]model.Model{b.model}, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := gateway.Run(nil)
	req := question("Does it pass?")
	req.Schema = verdict
	b.server.Script(Reply{Text: `{"pass": true, "score": 70, "kind": null, "note": null, "issues": [{"text": "slow", "at": null}]}`})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var resp *model.Response
	if b.way.stream {
		for chunk, err := range run.Stream(ctx, req) {
			if err != nil {
				t.Fatal(err)
			}
			resp = chunk.Response
		}
	} else if resp, err = run.Generate(ctx, req); err != nil {
		t.Fatal(err)
	}
	var got, want any
	_ = json.Unmarshal([]byte(resp.Text()), &got)
	_ = json.Unmarshal([]byte(`{"pass": true, "score": 70, "issues": [{"text": "slow"}]}`), &want)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("answer is %v, want %v", got, want)
	}
	if b.way.stream {
		return
	}
	// One repair, with what was wrong in it.
	b.server.Script(Reply{Text: `{"pass": true, "score": 700}`}, Reply{Text: `{"pass": true, "score": 7}`})
	resp, err = run.Generate(ctx, req)
	if err != nil || resp.Text() != `{"pass": true, "score": 7}` {
		t.Fatalf("after repair: %v, %v", resp, err)
	}
	// And no more than one.
	b.server.Script(Reply{Text: `no`}, Reply{Text: `no, again`})
	if _, err = run.Generate(ctx, req); !errors.Is(err, model.ErrSchema) {
		t.Errorf("error is %v, want %v", err, model.ErrSchema)
	}
	// Cut off is asked for once more with a larger bound, and not repaired.
	b.server.Script(Reply{Text: `{"pass": tr`, Stop: model.StopLength}, Reply{Text: `{"pass": true, "sc`, Stop: model.StopLength})
	if _, err = run.Generate(ctx, req); !errors.Is(err, model.ErrLength) {
		t.Errorf("error is %v, want %v", err, model.ErrLength)
	}
	requests := b.server.Requests()
	small, large := b.server.vendor.bound(requests[len(requests)-2].Body), b.server.vendor.bound(requests[len(requests)-1].Body)
	if small <= 0 || large <= small {
		t.Errorf("a cut answer was asked for with %d and then with %d tokens", small, large)
	}
}
