package onlooker_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
	"github.com/playtest-dev/playtest/record"
)

// board is a picture with stones on the named places of a row.
func board(places ...int) *game.Picture {
	img := image.NewRGBA(image.Rect(0, 0, 240, 24))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	for _, p := range places {
		draw.Draw(img, image.Rect(p*24, 0, p*24+24, 24), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	return game.NewPicture(img)
}

// shade is a picture with one place of that colour.
func shade(grey uint8) *game.Picture {
	img := image.NewRGBA(image.Rect(0, 0, 240, 24))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, 24, 24), image.NewUniform(color.Gray{grey}), image.Point{}, draw.Src)
	return game.NewPicture(img)
}

// window is what lies between two pictures of a page that drew meanwhile.
func window(from, to *game.Picture, draws int) cause.Window {
	return cause.Window{Tiles: game.Tiles(from, to), Draws: draws, Redrawn: draws > 0}
}

func TestTally(t *testing.T) {
	still := window(board(), board(), 0)
	moving := window(board(), board(9), 1)
	for _, tt := range []struct {
		name            string
		idle            []cause.Window
		draws           int
		keyed           bool
		pictures        []*game.Picture
		effects, states int
		moves           bool
	}{
		{name: "stones that stay are effects, but for the last, which nothing followed",
			idle: []cause.Window{still, still, still, still}, draws: 1,
			pictures: []*game.Picture{board(), board(1), board(1, 2), board(1, 2, 3), board(1, 2, 3, 4)}, effects: 3, states: 4},
		{name: "what lights up under the pointer goes out again",
			idle: []cause.Window{still, still, still, still}, draws: 1,
			pictures: []*game.Picture{board(), board(1), board(1), board(2), board(2), board(3), board(4)}},
		{name: "a counter goes on and not back",
			idle: []cause.Window{still, still, still, still}, draws: 1,
			pictures: []*game.Picture{shade(255), shade(10), shade(60), shade(110), shade(160)}, effects: 3, states: 4},
		{name: "a switch goes back",
			idle: []cause.Window{still, still, still, still}, draws: 1,
			pictures: []*game.Picture{shade(255), shade(10), shade(255), shade(10), shade(255)}},
		{name: "what keys move is no such thing",
			idle: []cause.Window{still, still, still, still}, draws: 1, keyed: true,
			pictures: []*game.Picture{board(), board(1), board(2), board(3)}, effects: 3, states: 4},
		{name: "a picture that changes though the page did nothing is the browser's",
			idle:     []cause.Window{still, still, still, still},
			pictures: []*game.Picture{board(), board(1), board(1, 2), board(1, 2, 3)}},
		{name: "a game that was hardly left alone proves nothing",
			idle: []cause.Window{still, still}, draws: 1,
			pictures: []*game.Picture{board(), board(1), board(1, 2), board(1, 2, 3)}},
		{name: "nor does one that moves by itself",
			idle: []cause.Window{still, still, still, moving}, draws: 1,
			pictures: []*game.Picture{board(), board(1), board(1, 2), board(1, 2, 3)}, moves: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tally := onlooker.NewTally(record.ModeAgent)
			tally.Idle(tt.idle...)
			for i := 1; i < len(tt.pictures); i++ {
				from, to := tt.pictures[i-1], tt.pictures[i]
				tally.Turn("input", tt.keyed, window(from, to, tt.draws), tt.idle, from, to)
			}
			got := tally.Result(3, 0)
			if got.Effects != tt.effects || got.States != tt.states || got.Moves != tt.moves || got.Turns != len(tt.pictures)-1 {
				t.Errorf("got %+v", got)
			}
		})
	}
}
