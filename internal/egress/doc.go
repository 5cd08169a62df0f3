// Package egress is the only way out for a browser that plays games of
// strangers: a forward proxy on loopback that resolves every name itself, checks
// the addresses against a policy and connects to exactly the address that it
// checked.
//
//	Chromium ── HTTP, CONNECT ──► Proxy ── resolve ─► check ─► dial ──► the net
//	                                │                  │
//	                                └──── Trouble ◄────┘ refused, dns, connection, timeout
//
// A name that resolves to something harmless first and to 127.0.0.1 later gains
// nothing, since there is no later: the connection is made to the address that
// was checked. Documents, redirects, sub-resources, WebSockets and what workers
// ask for all come this way; a browser that is told of a proxy resolves no names.
//
// A refused request gets no answer, as if nobody were there, so that pages behave
// as they do without a network. Trouble tells what really happened.
package egress
