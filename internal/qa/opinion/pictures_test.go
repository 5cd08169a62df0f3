package opinion_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// shown is the pictures that a model is shown of a run with these ones.
func shown(t *testing.T, shots []record.Screenshot, files map[string][]byte, tokens int) []string {
	t.Helper()
	rec := healthy()
	rec.Screenshots = shots
	ok := said{Reasoning: "It loaded.", GameLoaded: yes, ControlsResponsive: yes, GameStable: yes, Metrics: marks(90, nil)}
	fake := modeltest.NewFake("test/one", nil, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
		if len(req.Messages[0].Parts) == 1 {
			ok.Metrics = nil
		}
		return modeltest.Say(ok.String(), model.Usage{}), nil
	})
	rep, err := opinion.Refine(t.Context(), rec, measured(), fake, &opinion.Options{
		Evaluator: opinion.Vision, PictureTokens: tokens,
		Pictures: func(_ context.Context, path string) ([]byte, error) {
			if data, ok := files[path]; ok {
				return data, nil
			}
			return nil, errors.New("gone")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, p := range fake.Requests()[0].Messages[0].Parts {
		if p.Image != nil {
			sent++
		}
	}
	if sent != len(rep.Opinion.Pictures) {
		t.Errorf("%d pictures were sent, the report names %v", sent, rep.Opinion.Pictures)
	}
	return rep.Opinion.Pictures
}

func TestPicturesDiffer(t *testing.T) {
	files := map[string][]byte{"broken.png": []byte("not a picture"), "far.png": drawing(t, 280)}
	shots := []record.Screenshot{
		{Stage: record.StageInitialLoad, Path: "load.png", Time: at(1)},
		{Stage: "progress", Path: "missing.png", Time: at(2)},
		{Stage: "progress", Path: "broken.png", Time: at(2)},
	}
	files["load.png"] = drawing(t, 0)
	two := [][]byte{drawing(t, 0), drawing(t, 100)}
	for i := range 100 { // a hundred pictures of two things
		name := fmt.Sprintf("same-%03d.png", i)
		files[name] = two[i%2]
		shots = append(shots, record.Screenshot{Stage: "progress", Path: name, Time: at(3 + float64(i)/50)})
	}
	shots = append(shots,
		record.Screenshot{Stage: record.StageAfterInteraction, Path: "same-001.png", Time: at(3)},
		record.Screenshot{Stage: record.StageFinalState, Path: "far.png", Time: at(9)})
	got := shown(t, shots, files, 0)
	if len(got) != 3 || got[0] != "load.png" || got[2] != "far.png" {
		t.Errorf("shown %v, want three that differ, oldest first", got)
	}
}

func TestPicturesKeepToTheirTokens(t *testing.T) {
	files := map[string][]byte{}
	var shots []record.Screenshot
	for i := range 12 {
		name := fmt.Sprintf("%02d.png", i)
		files[name] = drawing(t, 25*i)
		stage := "progress"
		if i == 6 {
			stage = record.StageAfterInteraction
		}
		shots = append(shots, record.Screenshot{Stage: stage, Path: name, Time: at(float64(i))})
	}
	// A picture of 320 by 180 counts for 10 by 6 patches and a half.
	for _, tt := range []struct{ tokens, want int }{{95, 1}, {290, 3}, {100_000, 12}, {10, 0}} {
		got := shown(t, shots, files, tt.tokens)
		if len(got) != tt.want || tt.want == 1 && got[0] != "06.png" || !slices.IsSorted(got) {
			t.Errorf("%d tokens: %v, want %d", tt.tokens, got, tt.want)
		}
	}
}

func TestLargePicturesAreShrunk(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1280, 720))); err != nil {
		t.Fatal(err)
	}
	rec := healthy()
	rec.Screenshots = []record.Screenshot{{Stage: record.StageFinalState, Path: "big.png", Time: at(5)}}
	fake := modeltest.Replies("test/one", said{Reasoning: "Black.", GameLoaded: yes, ControlsResponsive: yes, GameStable: yes, Metrics: marks(90, nil)}.String())
	_, err := opinion.Refine(t.Context(), rec, measured(), fake, &opinion.Options{
		Evaluator: opinion.Vision, Limit: time.Minute, Pictures: func(context.Context, string) ([]byte, error) { return b.Bytes(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := fake.Requests()[0].Messages[0].Parts
	if img := parts[len(parts)-1].Image; img == nil || img.Width != 1024 || img.Height != 576 {
		t.Errorf("sent %+v", img)
	}
}
