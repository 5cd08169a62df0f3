package server

import (
	"net/http"
	"slices"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Games are those that were played.
type Games struct {
	Games []PlayedGame `json:"games"`
}

// PlayedGame is a game with its last verdict.
type PlayedGame struct {
	URL  string `json:"url"`
	Runs int    `json:"runs"`
	Last Run    `json:"last"`
}

// maxGames bounds the list of games, maxHistory the history of one.
const (
	maxGames   = 200
	maxHistory = 200
)

func listGames(r *request) error {
	list, err := r.who.project.Games(r.Context(), maxGames)
	if err != nil {
		return err
	}
	out := Games{Games: []PlayedGame{}}
	for _, g := range list {
		out.Games = append(out.Games, PlayedGame{g.URL, g.Runs, shown(g.Last)})
	}
	return r.answer(http.StatusOK, out)
}

// History is the verdicts of a game over time.
type History struct {
	URL string `json:"url"`
	// Points are runs, oldest first.
	Points []store.Point `json:"points"`
	// FirstFailing is the first run of the present series of failures, LastPassing
	// the run before it; empty when the game passes, or never did.
	FirstFailing string `json:"firstFailing,omitempty"`
	LastPassing  string `json:"lastPassing,omitempty"`
}

func history(r *request) error {
	url := r.URL.Query().Get("url")
	points, err := r.who.project.History(r.Context(), url, 0, maxHistory)
	if err != nil {
		return err
	}
	if len(points) == 0 {
		return problem(http.StatusNotFound, "No run has played this game.")
	}
	slices.Reverse(points)
	out := History{URL: url, Points: points}
	for _, p := range points {
		switch p.Verdict {
		case record.Pass:
			out.LastPassing, out.FirstFailing = p.Run, ""
		case record.Fail:
			if out.FirstFailing == "" {
				out.FirstFailing = p.Run
			}
		}
	}
	if out.FirstFailing == "" {
		out.LastPassing = ""
	}
	return r.answer(http.StatusOK, out)
}

// BundledGames come with playtest.
type BundledGames struct {
	Games []Bundled `json:"games"`
}

func bundledRoute(list []Bundled) route {
	out := BundledGames{Games: append([]Bundled{}, list...)}
	return route{method: "GET", path: "/api/bundled", scope: store.ScopeRead, do: func(r *request) error { return r.answer(http.StatusOK, out) }, summary: "Games that come with playtest", gives: out}
}
