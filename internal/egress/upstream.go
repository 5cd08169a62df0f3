package egress

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// upstream is the proxy that an address has to be reached through, nil for none.
func (p *Proxy) upstream(address string) (*url.URL, error) {
	if p.opts.Upstream == nil {
		return nil, nil
	}
	u := &url.URL{Scheme: "http", Host: address}
	if _, port, err := net.SplitHostPort(address); err == nil && port != "80" {
		u.Scheme = "https" // the variable that names the proxy for tunnels
	}
	return p.opts.Upstream(&http.Request{URL: u})
}

// dialThrough connects through another proxy.
func dialThrough(ctx context.Context, proxy *url.URL, address string) (net.Conn, error) {
	if proxy.Scheme != "http" {
		return nil, fmt.Errorf("the network's own proxy speaks %s: only http is known here", proxy.Scheme)
	}
	at := proxy.Host
	if proxy.Port() == "" {
		at = net.JoinHostPort(proxy.Hostname(), "80")
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: make(http.Header)}
	if user := proxy.User; user != nil {
		password, _ := user.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := req.Write(conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	// Nothing comes after the answer before we have spoken, so no byte is lost
	// in the reader.
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the network's own proxy answered %s", resp.Status)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}
