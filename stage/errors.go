package stage

import (
	"errors"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/variable"
)

// What can go wrong with an action, to be told apart with errors.Is.
var (
	// ErrNotFound is an instruction that nothing on the page fits.
	ErrNotFound = errors.New("nothing on the page fits the instruction")
	// ErrUnknownID is an id that is not on the page.
	ErrUnknownID = errors.New("there is no such element on the page")
	// ErrGone is an element that has left the page.
	ErrGone = browser.ErrGone
	// ErrHidden is an element that takes no room on the page.
	ErrHidden = browser.ErrHidden
	// ErrCovered is an element with something else on top of it.
	ErrCovered = browser.ErrCovered
	// ErrDisabled is a control that is switched off.
	ErrDisabled = browser.ErrDisabled
	// ErrMethod is an action that nobody knows, or not on such an element.
	ErrMethod = errors.New("the action does not fit the element")
	// ErrArgument is an action with arguments missing or wrong.
	ErrArgument = errors.New("the action's arguments do not fit")
	// ErrVariable is a variable that was not given, or whose name is none.
	ErrVariable = variable.ErrName
	// ErrOrigin is a variable that was to be typed into a page of another site
	// than those it is meant for.
	ErrOrigin = variable.ErrOrigin
	// ErrTab is an action that wanted a new tab and got none. Tabs are allowed
	// by browser.ContextOptions.Tabs, or OpenOptions.Tabs.
	ErrTab = errors.New("the page wanted to open a tab, and tabs are not allowed")
	// ErrReply is an answer of the model that could not be used, after one
	// repair.
	ErrReply = errors.New("the model's answer could not be used")
	// ErrSchema is a schema that is none, or that cannot be asked for.
	ErrSchema = errors.New("the schema cannot be used")
)

// ActError is an action that failed.
type ActError struct {
	Action Action
	// Sent is true when input had gone to the page before it failed. It may
	// have had its effect, so the action must not simply be tried again.
	Sent bool
	// By names what covers the element, for ErrCovered.
	By  string
	Err error
}

func (e *ActError) Error() string {
	what := e.Action.Method
	if e.Action.Description != "" {
		what += " on " + e.Action.Description
	}
	msg := fmt.Sprintf("%s: %v", what, e.Err)
	if e.By != "" {
		msg += " by " + e.By
	}
	if e.Sent {
		msg += " (input had been sent)"
	}
	return msg
}

func (e *ActError) Unwrap() error { return e.Err }

// sent reports whether an error came after input had gone to the page.
func sent(err error) bool {
	var a *ActError
	return errors.As(err, &a) && a.Sent
}
