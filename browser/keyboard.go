package browser

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/playtest-dev/playtest/browser/cdp"
)

const (
	repeatDelay = 500 * time.Millisecond
	repeatEvery = 33 * time.Millisecond
)

// Keyboard is the page's keyboard. Keys go to what has the focus, in whatever
// frame it lies. They are named as in LookupKey.
type Keyboard struct {
	page *Page

	mu   sync.Mutex
	held map[string]bool // codes of the keys that are down
	bits int64
	// typing counts texts that are being typed, whose keys are told to nobody.
	typing int
}

func (k *Keyboard) modifiers() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bits
}

// Down presses a key. A key that is already down repeats.
func (k *Keyboard) Down(ctx context.Context, key string) error {
	r, err := k.down(key)
	if err == nil {
		err = r.Wait(ctx, nil)
	}
	if err != nil {
		return fmt.Errorf("pressing %s: %w", key, err)
	}
	return nil
}

// Up releases a key.
func (k *Keyboard) Up(ctx context.Context, key string) error {
	r, err := k.up(key)
	if err == nil {
		err = r.Wait(ctx, nil)
	}
	if err != nil {
		return fmt.Errorf("releasing %s: %w", key, err)
	}
	return nil
}

// Press presses a key, holds it and releases it.
func (k *Keyboard) Press(ctx context.Context, key string, hold time.Duration) error {
	return k.Chord(ctx, []string{key}, hold)
}

// Chord presses keys one after the other, holds them together and releases them
// in the reverse order. Whatever happens, none stays down.
func (k *Keyboard) Chord(ctx context.Context, keys []string, hold time.Duration) error {
	return k.chord(ctx, keys, func() error { return pause(ctx, hold) })
}

// HoldRepeat presses a key, repeats it as a keyboard does while it is held, and
// releases it.
func (k *Keyboard) HoldRepeat(ctx context.Context, key string, hold time.Duration) error {
	return k.chord(ctx, []string{key}, func() error {
		end := time.Now().Add(hold)
		wait := repeatDelay
		for left := time.Until(end); left > wait; left = time.Until(end) {
			if err := pause(ctx, wait); err != nil {
				return err
			}
			if err := k.Down(ctx, key); err != nil {
				return err
			}
			wait = repeatEvery
		}
		return pause(ctx, time.Until(end))
	})
}

func (k *Keyboard) chord(ctx context.Context, keys []string, hold func() error) error {
	for _, key := range keys {
		if _, ok := LookupKey(key); !ok {
			return fmt.Errorf("pressing %q: no such key", key)
		}
	}
	var replies []*cdp.Reply
	for _, key := range keys {
		r, err := k.down(key)
		if err != nil {
			return fmt.Errorf("pressing %s: %w", key, err)
		}
		replies = append(replies, r)
	}
	err := hold()
	for i := len(keys) - 1; i >= 0; i-- {
		if r, uerr := k.up(keys[i]); uerr == nil {
			replies = append(replies, r)
		}
	}
	for _, r := range replies {
		if err == nil {
			err = r.Wait(ctx, nil)
		}
	}
	if err != nil {
		return fmt.Errorf("pressing %v: %w", keys, err)
	}
	return nil
}

// Type types text with key events for each character, as a person would.
// Characters that no key types are inserted.
func (k *Keyboard) Type(ctx context.Context, text string) error {
	k.types(1)
	defer k.types(-1)
	for _, c := range text {
		name := string(c)
		if c == '\n' {
			name = "Enter"
		}
		if c == '\t' {
			name = "Tab"
		}
		key, ok := keysByKey[name]
		var err error
		switch {
		case !ok:
			err = k.Insert(ctx, name)
		case key.Shift:
			err = k.Chord(ctx, []string{"ShiftLeft", key.Code}, 0)
		default:
			err = k.Press(ctx, key.Code, 0)
		}
		if err != nil {
			return fmt.Errorf("typing: %w", err)
		}
	}
	return nil
}

// types notes that a text begins or ends.
func (k *Keyboard) types(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.typing += n; n > 0 {
		k.page.sent.add(Sent{})
	}
}

// Insert puts text in at the caret without key events, as an input method does.
func (k *Keyboard) Insert(ctx context.Context, text string) error {
	if err := k.page.root.Call(ctx, input.CommandInsertText, input.InsertTextParams{Text: text}, nil); err != nil {
		return fmt.Errorf("inserting text: %w", err)
	}
	return nil
}

func (k *Keyboard) down(name string) (*cdp.Reply, error) {
	key, ok := LookupKey(name)
	if !ok {
		return nil, fmt.Errorf("no such key")
	}
	k.mu.Lock()
	k.bits |= modifierBits[key.Key]
	bits := k.bits
	repeat := k.held[key.Code]
	k.held[key.Code] = true
	typing := k.typing > 0
	k.mu.Unlock()
	if !typing && !repeat {
		k.page.sent.add(Sent{Key: key.Code})
	}
	if shifted, ok := shiftedText[key.Code]; ok && bits&modifierBits["Shift"] != 0 {
		key = shifted
	}
	p := keyParams(input.DispatchKeyEventTypeRawKeyDown, key, bits)
	// With Control, Alt or Meta a key is a command and types nothing.
	if key.Text != "" && bits&^modifierBits["Shift"] == 0 {
		p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, key.Text, key.Text
	}
	if repeat {
		p.AutoRepeat = ptr(true)
	}
	return k.page.root.Start(input.CommandDispatchKeyEvent, p), nil
}

func (k *Keyboard) up(name string) (*cdp.Reply, error) {
	key, ok := LookupKey(name)
	if !ok {
		return nil, fmt.Errorf("no such key")
	}
	k.mu.Lock()
	shifted, isShifted := shiftedText[key.Code]
	if isShifted && k.bits&modifierBits["Shift"] != 0 {
		key = shifted
	}
	k.bits &^= modifierBits[key.Key]
	bits := k.bits
	delete(k.held, key.Code)
	k.mu.Unlock()
	return k.page.root.Start(input.CommandDispatchKeyEvent, keyParams(input.DispatchKeyEventTypeKeyUp, key, bits)), nil
}

func keyParams(kind input.DispatchKeyEventType, key Key, modifiers int64) input.DispatchKeyEventParams {
	p := input.DispatchKeyEventParams{
		Type: kind, Key: key.Key, Code: key.Code, Modifiers: modifiers,
		WindowsVirtualKeyCode: int64(key.KeyCode), NativeVirtualKeyCode: int64(key.KeyCode),
	}
	if key.Location == 3 {
		p.IsKeypad = ptr(true) // the protocol's location knows left and right only
	} else {
		p.Location = int64(key.Location)
	}
	return p
}
