package main

import (
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
)

// wire is a connection to a server that can be cut.
type wire struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newWire(server string) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{listener: l, server: server, conns: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(c)
		}
	}()
	return w, nil
}

// wired leads the address of a database or a bucket through a wire. Places that
// are not on a network stay as they are.
func wired(address string) (string, *wire, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nil, err
	}
	endpoint := u
	query := u.Query()
	switch {
	case strings.HasPrefix(address, "postgres"):
	case u.Scheme == "s3":
		if endpoint, err = url.Parse(query.Get("endpoint")); err != nil {
			return "", nil, err
		}
	default:
		return address, nil, nil
	}
	w, err := newWire(endpoint.Host)
	if err != nil {
		return "", nil, err
	}
	endpoint.Host = w.listener.Addr().String()
	if endpoint != u {
		query.Set("endpoint", endpoint.String())
		query.Set("path-style", "true")
		u.RawQuery = query.Encode()
	}
	return u.String(), w, nil
}

func (w *wire) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	w.mu.Lock()
	if w.cut {
		w.mu.Unlock()
		return
	}
	w.conns[client] = true
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(server, client) // ends when either side does
		server.Close()
	}()
	_, _ = io.Copy(client, server)
	w.mu.Lock()
	delete(w.conns, client)
	w.mu.Unlock()
}

// set cuts the wire or mends it.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	for c := range w.conns {
		c.Close()
	}
}
