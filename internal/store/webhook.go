package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Webhook is an address that is told of the end of a project's runs.
type Webhook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Created time.Time `json:"created"`
}

// AddWebhook keeps an address and returns the secret that its messages are
// signed with. It is told once.
func (p *Project) AddWebhook(ctx context.Context, address string) (w Webhook, secret string, err error) {
	w = Webhook{ID: randomHex(8), URL: address, Created: time.Now().UTC()}
	secret = "whsec_" + randomText()
	err = p.s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "webhook_insert", w.ID, p.id, w.URL, secret)
		return err
	})
	return w, secret, err
}

// Webhooks lists a project's.
func (p *Project) Webhooks(ctx context.Context) ([]Webhook, error) {
	return rows(ctx, p.s, func(row scanner) (Webhook, error) {
		var w Webhook
		var ms sql.NullInt64
		err := row.Scan(&w.ID, &w.URL, &ms)
		w.Created = at(ms)
		return w, err
	}, "webhook_list", p.id)
}

// DeleteWebhook forgets an address with what it was still to be told, and
// reports whether it was there.
func (p *Project) DeleteWebhook(ctx context.Context, id string) (had bool, err error) {
	err = p.s.Update(ctx, func(t *Tx) error {
		n, err := t.exec(ctx, "webhook_delete", id, p.id)
		had = n > 0
		return err
	})
	return had, err
}

// notify writes down whom the end of a run is to be told.
func (t *Tx) notify(ctx context.Context, run string) error {
	_, err := t.exec(ctx, "webhook_notify", run)
	return err
}

// Delivery is a message that is to be sent.
type Delivery struct {
	ID       int64
	Run      string
	Attempts int
	URL      string
	Secret   string
}

// TakeDelivery takes the one that has been due longest. Unless its end is told,
// it is due again in a minute. ErrNotFound says that none is due.
func (s *Store) TakeDelivery(ctx context.Context) (d Delivery, err error) {
	err = s.Update(ctx, func(t *Tx) error {
		err := t.row(ctx, "delivery_take").Scan(&d.ID, &d.Run, &d.Attempts, &d.URL, &d.Secret)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("take a delivery: %w", err)
		}
		return nil
	})
	return d, err
}

// Delivered ends a delivery.
func (s *Store) Delivered(ctx context.Context, id int64) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "delivery_done", id)
		return err
	})
}

// Undelivered puts a delivery off, or gives it up.
func (s *Store) Undelivered(ctx context.Context, id int64, again time.Duration, giveUp bool, why string) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "delivery_failed", id, again.Milliseconds(), why, flag(giveUp))
		return err
	})
}
