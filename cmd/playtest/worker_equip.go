package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/playtest-dev/playtest/agent/computer/choose"
	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/config/provider"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// equipment is what a worker gives to its runs. The gateways to models are
// opened once and shared by all runs of the process, and so is what they know of
// the vendors: a vendor that is down for one run is left alone by the others.
type equipment struct {
	db    *store.Store
	chain string   // for runs that name none
	most  *float64 // for every run; nil for the configuration's
	log   *slog.Logger

	mu       sync.Mutex
	config   *config.Config
	vendors  model.Providers
	gateways map[string]*model.Gateway
}

func newEquipment(db *store.Store, chain string, most *float64, log *slog.Logger) *equipment {
	return &equipment{db: db, chain: chain, most: most, log: log, gateways: map[string]*model.Gateway{}}
}

// gateway is the one for a chain of models, the configuration's if empty.
func (e *equipment) gateway(chain string) (*model.Gateway, *config.Config, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.config == nil {
		c, err := config.Load(nil)
		if err != nil {
			return nil, nil, err
		}
		e.config = c
	}
	g := e.gateways[chain]
	if g == nil {
		var err error
		if g, err = provider.Gateway(e.config, chain, &model.Options{Providers: &e.vendors, Logger: e.log}); err != nil {
			return nil, nil, err
		}
		e.gateways[chain] = g
	}
	return g, e.config, nil
}

// equip is a worker.Equip: it does for a queued run what the flags of playtest
// run do.
func (e *equipment) equip(ctx context.Context, h *queue.Held, warn func(string), opts *qa.Options) error {
	with := h.Settings
	if !with.NoMemory {
		opts.Book = knowledge.Open(e.db.Project(h.Run.Project), nil)
	}
	mode := h.Target.Mode
	if with.Evaluator != "" && with.Evaluator != evaluate.Heuristic {
		opts.Evaluator = with.Evaluator
	}
	questions := len(h.Target.Rubric.Resolved().Questions)
	if questions > 0 && opts.Evaluator == "" {
		warn(fmt.Sprintf("the rubric's questions (%d) are not asked: they need a model, and the evaluator data or vision", questions))
	}
	standard := mode == record.ModeStandard || mode == ""
	if standard && opts.Evaluator == "" && with.Model == "" {
		return nil
	}
	chain := with.Model
	if chain == "" {
		chain = e.chain
	}
	g, c, err := e.gateway(chain)
	if errors.Is(err, model.ErrNoModel) {
		if mode == record.ModeAgent {
			return &queue.Permanent{Err: fmt.Errorf("an agent needs a model, and this worker has none: %s", oneLine(err.Error()))}
		}
		// The evaluator stays: without a model it says in the report what was not asked.
		warn(fmt.Sprintf("%s; the run does without a model", oneLine(err.Error())))
		return nil
	}
	if err != nil {
		return &queue.Permanent{Err: err}
	}
	account := worker.NewAccount(h, e.limit(with, c), e.log)
	left, err := account.Left(ctx)
	if err != nil {
		return err
	}
	books := &model.RunOptions{Account: account}
	if left != nil {
		books.Budgets = []*model.Budget{model.NewBudget(*left)}
	}
	run := g.Run(books)
	opts.Model, opts.Budget = run, left
	if mode == record.ModeAgent {
		servers, err := configuredServers(c)
		if err != nil {
			return &queue.Permanent{Err: err}
		}
		if servers != nil {
			opts.Tools = openTools(servers, warn)
		}
	}
	if mode == record.ModeAgent && with.Agent == "computer" {
		if opts.Computer, err = choose.Driver(run); err != nil {
			return &queue.Permanent{Err: err}
		}
	}
	return nil
}

// limit is what a run may spend over all its attempts, nil for as much as it
// likes: what it was submitted with, but no more than the worker allows.
func (e *equipment) limit(with store.Settings, c *config.Config) *model.Money {
	dollars := e.most
	if dollars == nil && c.Budget > 0 {
		dollars = &c.Budget
	}
	if with.Budget != nil && (dollars == nil || e.most == nil || *with.Budget < *dollars) {
		dollars = with.Budget
	}
	if dollars == nil {
		return nil
	}
	limit := model.Dollars(*dollars)
	return &limit
}
