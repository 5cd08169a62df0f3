package decide_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// photo is a picture of half the viewport's size.
func photo(t *testing.T) *model.Image {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewRGBA(image.Rect(0, 0, 640, 360))); err != nil {
		t.Fatal(err)
	}
	img, err := model.NewImage(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func seen(t *testing.T) *decide.State {
	return &decide.State{
		Turn: 4, Viewport: viewport, Game: viewport, Picture: photo(t), Genre: decide.Puzzle,
		Metadata: &metadata.Metadata{TestingStrategy: &metadata.TestingStrategy{Instructions: "mind the cat"}},
		Goals:    []string{"put the lanterns out"}, Tree: "7 button \"lamp\"", Changes: "+ 8 text \"Level 2\"",
		Controls: keys("ArrowUp"), Proven: map[string]bool{"key:ArrowUp": true},
		Items:    []decide.Item{button("lamp", 100, 100, 50, 50)},
		Progress: []record.Progress{{What: "level", To: "level 2"}},
		History:  []decide.Turn{{Action: decide.Action{Kind: decide.Keypress, Keys: []string{"ArrowUp"}}, Effect: "the cat moved"}, {Action: decide.Action{Kind: decide.Complete}, Note: "not believed"}},
	}
}

func look(t *testing.T, m model.Model, s *decide.State) (decide.Decision, error) {
	t.Helper()
	v, err := decide.NewVision(m)
	if err != nil {
		t.Fatal(err)
	}
	return decide.New([]decide.Layer{v}, nil).Next(t.Context(), s)
}

func TestVision(t *testing.T) {
	tests := []struct {
		name  string
		reply string
		want  string // the action, "" for a crash
		wrong string // part of the crash
	}{
		{"a place on the picture", `{"seen":"s","action":"click","x":320,"y":180,"reasoning":"r","confidence":71}`, "click at 640,360", ""},
		{"an element of the page", `{"seen":"s","action":"click","element":"lamp","reasoning":"r","confidence":90}`, `click "lamp" at 125,125`, ""},
		{"an element in brackets", `{"seen":"s","action":"click","element":"[lamp]","reasoning":"r","confidence":90}`, `click "lamp" at 125,125`, ""},
		{"a share instead of percent", `{"seen":"s","action":"keypress","keys":["Space"],"reasoning":"r","confidence":0.9}`, "keypress Space", ""},
		{"keys by other names", `{"seen":"s","action":"keypress","keys":["left","a"],"reasoning":"r","confidence":90}`, "chord ArrowLeft+KeyA", ""},
		{"a drag", `{"seen":"s","action":"drag","x":10,"y":10,"toX":20,"toY":20,"reasoning":"r","confidence":90}`, "drag from 20,20 to 40,40", ""},
		{"usual lengths", `{"seen":"s","action":"sequence","steps":[{"action":"hold","keys":["Space"]},{"action":"wait"}],"reasoning":"r","confidence":90}`, "sequence: hold Space for 300ms, wait 1s", ""},
		{"a repeat", `{"seen":"s","action":"repeat","element":"lamp","reasoning":"r","confidence":90}`, `repeat click "lamp" at 125,125 up to 8 times until something changes`, ""},
		{"typing", `{"seen":"s","action":"type","text":"moth","reasoning":"r","confidence":90}`, `type "moth"`, ""},

		{"exactly 70", `{"seen":"s","action":"keypress","keys":["Space"],"reasoning":"r","confidence":70}`, "", "sure by 70"},
		{"coordinates outside the picture", `{"seen":"s","action":"click","x":900,"y":10,"reasoning":"r","confidence":99}`, "", "outside the picture"},
		{"negative coordinates", `{"seen":"s","action":"click","x":-5,"y":10,"reasoning":"r","confidence":99}`, "", "outside the picture"},
		{"a click without a place", `{"seen":"s","action":"click","reasoning":"r","confidence":99}`, "", "no place"},
		{"a key that does not exist", `{"seen":"s","action":"keypress","keys":["JumpButton"],"reasoning":"r","confidence":99}`, "", `"JumpButton"`},
		{"an id that was made up", `{"seen":"s","action":"click","element":"99","reasoning":"r","confidence":99}`, "", `"99"`},
		{"half a drag", `{"seen":"s","action":"drag","x":1,"y":1,"reasoning":"r","confidence":99}`, "", "no end"},
		{"an action nobody knows", `{"seen":"s","action":"hack","reasoning":"r","confidence":99}`, "", "no kind of action"},
		{"a wrong step", `{"seen":"s","action":"sequence","steps":[{"action":"keypress","keys":["Nope"]}],"reasoning":"r","confidence":99}`, "", "step 1"},
		{"more than sure", `{"seen":"s","action":"keypress","keys":["Space"],"reasoning":"r","confidence":250}`, "", "not between 0 and 100"},
		{"contradicting itself", `{"seen":"s","action":"keypress","x":4,"y":4,"reasoning":"click there","confidence":99}`, "", "keys can be pressed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := look(t, modeltest.Replies("stand-in/eye", tt.reply), seen(t))
			if tt.want == "" {
				if !errors.Is(err, decide.ErrGameCrash) || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("the error is %v, want a crash with %q in it", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Action.String(); got != tt.want || d.Layer != decide.Sight {
				t.Errorf("decided %q by %s, want %q by vision", got, d.Layer, tt.want)
			}
		})
	}
}

// What a model saw is told beside its answer, also where that cannot be carried out.
func TestVisionTellsWhatItSaw(t *testing.T) {
	for name, reply := range map[string]string{
		"taken":   `{"seen":" A lamp and a cat. ","action":"wait","reasoning":"r","confidence":90}`,
		"unsure":  `{"seen":"A lamp and a cat.","action":"wait","reasoning":"r","confidence":10}`,
		"useless": `{"seen":"A lamp and a cat.","action":"hack","reasoning":"r","confidence":90}`,
	} {
		t.Run(name, func(t *testing.T) {
			d, err := look(t, modeltest.Replies("stand-in/eye", reply), seen(t))
			said := d.Said
			var crash *decide.CrashError
			if errors.As(err, &crash) {
				said = crash.Said
			}
			if len(said) != 1 || said[0].Saw != "A lamp and a cat." {
				t.Errorf("told %+v", said)
			}
		})
	}
}

func TestVisionAlternatives(t *testing.T) {
	d, err := look(t, modeltest.Replies("stand-in/eye", `{"seen":"s","action":"wait","reasoning":"r","confidence":90,
		"alternatives":[{"action":"keypress","keys":["Enter"],"reasoning":"or enter","confidence":0.6},{"action":"keypress","keys":["Nope"],"reasoning":"?","confidence":60}]}`), seen(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Alternatives) != 1 || d.Alternatives[0].Action.String() != "keypress Enter" || d.Alternatives[0].Confidence != 60 {
		t.Errorf("the alternatives are %v, want Enter by 60", d.Alternatives)
	}
}

// The model is told everything that is known, and shown the picture.
func TestVisionContext(t *testing.T) {
	m := modeltest.Replies("stand-in/eye", `{"seen":"s","action":"wait","reasoning":"r","confidence":90}`)
	if _, err := look(t, m, seen(t)); err != nil {
		t.Fatal(err)
	}
	req := m.Requests()[0]
	text := req.System + req.Messages[0].Text()
	for _, want := range []string{
		"640 x 360", "Turn 4", "put the lanterns out", "puzzle", "the key ArrowUp (the game answers to it)", "level level 2", "mind the cat",
		"1. keypress ArrowUp: the cat moved", "2. complete: not believed", `+ 8 text "Level 2"`, `7 button "lamp"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the model is not told %q", want)
		}
	}
	if req.Messages[0].Parts[1].Image == nil || req.Purpose != "decision" {
		t.Error("the model is shown no picture, or for another purpose")
	}
	if strings.Contains(text, "{{") {
		t.Errorf("a placeholder was left in %q", text)
	}
}

func TestVisionFailures(t *testing.T) {
	good := `{"seen":"s","action":"wait","reasoning":"r","confidence":90}`
	tests := []struct {
		name  string
		first error
		calls int
		taken bool
	}{
		{"overloaded is retried", &model.Error{Kind: model.ErrOverloaded}, 2, true},
		{"a broken connection is retried", &model.Error{Kind: model.ErrBroken}, 2, true},
		{"a wrong key is not", &model.Error{Kind: model.ErrAuth}, 1, false},
		{"a refusal is not", &model.Error{Kind: model.ErrRefusal}, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := modeltest.NewFake("stand-in/eye", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
				if n == 1 {
					return nil, tt.first
				}
				return modeltest.Say(good, model.Usage{}), nil
			})
			_, err := look(t, m, seen(t))
			if got := len(m.Requests()); got != tt.calls {
				t.Errorf("%d calls, want %d", got, tt.calls)
			}
			if tt.taken != (err == nil) || !tt.taken && !errors.Is(err, decide.ErrGameCrash) {
				t.Errorf("the error is %v, want the answer taken: %v", err, tt.taken)
			}
		})
	}
	t.Run("no picture", func(t *testing.T) {
		s := seen(t)
		s.Picture = nil
		if _, err := look(t, modeltest.Replies("stand-in/eye"), s); !errors.Is(err, decide.ErrNoPicture) {
			t.Errorf("the error is %v, want that there is no picture", err)
		}
	})
	t.Run("a model without a vendor", func(t *testing.T) {
		if _, err := decide.NewVision(modeltest.Replies("eye")); err == nil {
			t.Error("a model without a vendor was taken")
		}
	})
	t.Run("no tree and no goal", func(t *testing.T) {
		m := modeltest.Replies("stand-in/eye", good)
		if _, err := look(t, m, &decide.State{Viewport: viewport, Picture: photo(t)}); err != nil {
			t.Fatal(err)
		}
		if text := m.Requests()[0].Messages[0].Text(); !strings.Contains(text, "play on and get further") {
			t.Errorf("without a goal the model is told %q", text)
		}
	})
}
