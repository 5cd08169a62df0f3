package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Webhooks are who is told of the end of runs.
type Webhooks struct {
	Webhooks []store.Webhook `json:"webhooks"`
}

// AddWebhook asks to be told.
type AddWebhook struct {
	URL string `json:"url" jsonschema:"where a message is posted to when a run has ended"`
}

// AddedWebhook is a new one, with what its messages are signed with.
type AddedWebhook struct {
	store.Webhook
	Secret string `json:"secret"`
}

// maxWebhooks bounds those of a project.
const maxWebhooks = 20

func (s *Server) webhooks(r *request) error {
	list, err := r.who.project.Webhooks(r.Context())
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, Webhooks{list})
}

func (s *Server) addWebhook(r *request) error {
	var body AddWebhook
	if err := r.read(&body); err != nil {
		return err
	}
	if err := record.ValidateURL(body.URL); err != nil {
		return problem(http.StatusUnprocessableEntity, "The address has to be an http or https address without a user name.")
	}
	list, err := r.who.project.Webhooks(r.Context())
	if err != nil {
		return err
	}
	if len(list) >= maxWebhooks {
		return problem(http.StatusTooManyRequests, fmt.Sprintf("The project has %d webhooks already.", len(list)))
	}
	w, secret, err := r.who.project.AddWebhook(r.Context(), body.URL)
	if err != nil {
		return err
	}
	if err := s.note(r, "webhook.create", w.ID, w.URL); err != nil {
		return err
	}
	return r.answer(http.StatusCreated, AddedWebhook{w, secret})
}

func (s *Server) deleteWebhook(r *request) error {
	had, err := r.who.project.DeleteWebhook(r.Context(), r.id())
	if err != nil {
		return err
	}
	if !had {
		return store.ErrNotFound
	}
	if err := s.note(r, "webhook.delete", r.id(), ""); err != nil {
		return err
	}
	r.w.WriteHeader(http.StatusNoContent)
	return nil
}

const (
	deliverEvery = time.Second
	deliverTime  = 15 * time.Second
	// deliverTries is how often a message is tried; with the waits between them,
	// for about a day.
	deliverTries = 16
)

// retryAfter is the wait after the nth try: from 2 seconds, doubling, to 6 hours.
func retryAfter(n int) time.Duration { return min(2*time.Second<<min(n-1, 20), 6*time.Hour) }

// deliver sends messages about ended runs until ctx ends. What one server leaves
// undone another takes up.
func (s *Server) deliver(ctx context.Context) {
	send := s.opts.Deliver
	if send == nil {
		send = publicClient().Do
	}
	for ctx.Err() == nil {
		d, err := s.store.TakeDelivery(ctx)
		if err == nil {
			s.deliverOne(ctx, d, send)
			continue
		}
		if !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
			s.log.Warn("look for webhooks", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(deliverEvery):
		}
	}
}

func (s *Server) deliverOne(ctx context.Context, d store.Delivery, send func(*http.Request) (*http.Response, error)) {
	err := s.post(ctx, d, send)
	if err == nil {
		s.metrics.delivered.Add(1)
		err = s.store.Delivered(ctx, d.ID)
	} else {
		s.metrics.undelivered.Add(1)
		err = s.store.Undelivered(ctx, d.ID, retryAfter(d.Attempts), d.Attempts >= deliverTries, err.Error())
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("note what became of a webhook", "error", err)
	}
}

func (s *Server) post(ctx context.Context, d store.Delivery, send func(*http.Request) (*http.Response, error)) error {
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	run, err := s.store.Get(ctx, d.Run)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"type": "run.ended", "run": shown(run)})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	// As standardwebhooks.com has it: the number tells a message that was sent
	// again, the time one that somebody replays.
	id, at := "msg_"+strconv.FormatInt(d.ID, 10), strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "playtest/"+s.opts.Version)
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", "v1,"+Sign(d.Secret, id, at, body))
	resp, err := send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the answer was %d", resp.StatusCode)
	}
	return nil
}

// Sign is the signature of a webhook's message.
func Sign(secret, id, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// publicClient reaches public addresses only, whatever names resolve to, and
// follows no redirects.
func publicClient() *http.Client {
	rules := &egress.Policy{}
	dialer := &net.Dialer{Timeout: deliverTime, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		addr, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if reason := rules.Check(addr); reason != "" {
			return &egress.RefusedError{Address: address, Reason: reason}
		}
		return nil
	}}
	return &http.Client{
		Timeout:       deliverTime,
		Transport:     &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: deliverTime, ResponseHeaderTimeout: deliverTime, MaxIdleConns: 20, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
