package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// request is one that was let in. Nobody is behind those that are for everybody.
type request struct {
	*http.Request
	who caller
	w   http.ResponseWriter
}

// id is the run that the address names.
func (r *request) id() string { return r.PathValue("id") }

// run is the run that the address names, when it is the caller's.
func (r *request) run() (store.Run, error) { return r.who.project.Get(r.Context(), r.id()) }

// route is a door of its own: who may come, what they bring and what they get.
// The OpenAPI document is made of these, and so is the test that tries every one.
type route struct {
	// method is empty for all of them.
	method, path string
	// scope is what a caller needs; none for what is there for everybody.
	scope store.Scope
	// lasting routes have no deadline: they are live.
	lasting bool
	// within bounds others, routeTime when zero.
	within time.Duration
	do     func(r *request) error

	summary string
	// query are the parameters after the question mark, with what they mean.
	query []parameter
	// takes and gives are values of the types in the bodies; nil for none.
	takes, gives any
	// status of success, 200 when zero; media of the answer, JSON when empty.
	status int
	media  string
}

type parameter struct{ name, about string }

// routeTime bounds a request that says nothing else.
const routeTime = 30 * time.Second

// mux leads requests to their routes.
func mux(d *door, list []route) http.Handler {
	m := http.NewServeMux()
	for _, rt := range list {
		m.HandleFunc(strings.TrimSpace(rt.method+" "+rt.path), func(w http.ResponseWriter, r *http.Request) { d.enter(rt, w, r) })
	}
	return m
}

// answer writes a value as JSON.
func (r *request) answer(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	h := r.w.Header()
	h.Set("Content-Type", "application/json")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	r.w.WriteHeader(status)
	_, _ = r.w.Write(append(body, '\n')) // the client is gone when this fails
	return nil
}

// note keeps in the project's log what the caller did.
func (r *request) note(action, subject, detail string) error {
	return r.who.project.Note(r.Context(), store.Audit{Actor: r.who.actor(), Action: action, Subject: subject, Detail: detail})
}

// number reads a parameter that is a number between two, or not there.
func (r *request) number(name string, least, most, otherwise int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, problem(http.StatusBadRequest, fmt.Sprintf("%s is not a number between %d and %d.", name, least, most))
	}
	return n, nil
}

// read decodes a body that must be one JSON value without anything unknown in it.
func (r *request) read(into any) error {
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return problem(http.StatusUnsupportedMediaType, "The body has to be JSON, with Content-Type: application/json.")
	}
	dec := json.NewDecoder(http.MaxBytesReader(r.w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = errors.New("there is something after the JSON value")
		}
	}
	var large *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return err
	case errors.As(err, &kind):
		return problem(http.StatusBadRequest, fmt.Sprintf("The field %q cannot be a %s.", strings.TrimPrefix(kind.Field, "Game."), kind.Value))
	case errors.Is(err, io.EOF):
		return problem(http.StatusBadRequest, "The body is empty.")
	}
	return problem(http.StatusBadRequest, "The body cannot be read: "+strings.TrimPrefix(err.Error(), "json: ")+".")
}
