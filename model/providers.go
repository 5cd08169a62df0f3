package model

import "sync"

// Providers is what gateways share that ask the same vendors: how each of them
// is doing, and how many calls to it are under way. The first gateway that asks
// a vendor sets the limits for all. The zero value is ready.
type Providers struct {
	mu    sync.Mutex
	links map[string]*link
}

// link is the shared part of a vendor's places in chains.
func (p *Providers) link(vendor string, opts Options) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.links[vendor]
	if l == nil {
		l = &link{breaker: newBreaker(opts.Breaker), slots: make(chan struct{}, opts.InFlight)}
		if p.links == nil {
			p.links = map[string]*link{}
		}
		p.links[vendor] = l
	}
	return l
}
