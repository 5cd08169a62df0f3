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
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
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

// webhookRoutes say who is told of the end of runs.
func webhookRoutes() []route {
	return []route{
		{method: "GET", path: "/api/webhooks", scope: store.ScopeAdmin, do: listWebhooks, summary: "Who is told of the end of runs", gives: Webhooks{}},
		{method: "POST", path: "/api/webhooks", scope: store.ScopeAdmin, do: addWebhook, summary: "Be told of the end of runs; the secret for the signatures is given once", takes: AddWebhook{}, gives: AddedWebhook{}, status: http.StatusCreated},
		{method: "DELETE", path: "/api/webhooks/{id}", scope: store.ScopeAdmin, do: deleteWebhook, summary: "Be told no more", status: http.StatusNoContent},
	}
}

func listWebhooks(r *request) error {
	list, err := r.who.project.Webhooks(r.Context())
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, Webhooks{list})
}

func addWebhook(r *request) error {
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
	if err := r.note("webhook.create", w.ID, w.URL); err != nil {
		return err
	}
	return r.answer(http.StatusCreated, AddedWebhook{w, secret})
}

func deleteWebhook(r *request) error {
	had, err := r.who.project.DeleteWebhook(r.Context(), r.id())
	if err != nil {
		return err
	}
	if !had {
		return store.ErrNotFound
	}
	if err := r.note("webhook.delete", r.id(), ""); err != nil {
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
	// deliverAtOnce is how many are on their way, so that somebody who takes long
	// to answer does not hold up the others.
	deliverAtOnce = 16
)

// retryAfter is the wait after the nth try: from 2 seconds, doubling, to 6 hours.
func retryAfter(n int) time.Duration { return min(2*time.Second<<min(n-1, 20), 6*time.Hour) }

// courier brings messages about ended runs to whoever asked for them.
type courier struct {
	outbox  outbox
	send    func(*http.Request) (*http.Response, error)
	version string
	counts  *metrics
	log     *slog.Logger
}

// outbox is what the courier asks of the store.
type outbox interface {
	TakeDelivery(ctx context.Context) (store.Delivery, error)
	Delivered(ctx context.Context, id int64) error
	Undelivered(ctx context.Context, id int64, again time.Duration, giveUp bool, why string) error
	Get(ctx context.Context, id string) (store.Run, error)
}

// deliver sends messages about ended runs until ctx ends. What one server leaves
// undone another takes up.
func (c *courier) deliver(ctx context.Context) {
	var underway sync.WaitGroup
	defer underway.Wait()
	room := make(chan struct{}, deliverAtOnce)
	for {
		select {
		case <-ctx.Done():
			return
		case room <- struct{}{}:
		}
		d, err := c.outbox.TakeDelivery(ctx)
		if err == nil {
			underway.Go(func() {
				defer func() { <-room }()
				c.deliverOne(ctx, d)
			})
			continue
		}
		<-room
		if !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
			c.log.Warn("look for webhooks", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(deliverEvery):
		}
	}
}

func (c *courier) deliverOne(ctx context.Context, d store.Delivery) {
	err := c.post(ctx, d)
	if err == nil {
		c.counts.delivered.Add(1)
		err = c.outbox.Delivered(ctx, d.ID)
	} else {
		c.counts.undelivered.Add(1)
		err = c.outbox.Undelivered(ctx, d.ID, retryAfter(d.Attempts), d.Attempts >= deliverTries, err.Error())
	}
	if err != nil && ctx.Err() == nil {
		c.log.Warn("note what became of a webhook", "error", err)
	}
}

func (c *courier) post(ctx context.Context, d store.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	run, err := c.outbox.Get(ctx, d.Run)
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
	req.Header.Set("User-Agent", "playtest/"+c.version)
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", "v1,"+Sign(d.Secret, id, at, body))
	resp, err := c.send(req)
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
