// Package server is the door to runs for people and programs: an API under
// /api, live progress over WebSocket or server-sent events, and a dashboard.
//
//	request ── host, address, origin ── token or session ── scope ── handler ── store, queue, evidence
//	           └────────────────────── door ─────────────────────┘    intake, results, exhibits, live, monitor
//
// Handlers see the store as a project sees it (store.Project), so none can
// answer for another. Nothing here knows a browser: what is played is stored, and
// workers take it up, in this process or elsewhere. What is shown live is read
// from the store, so it makes no difference which worker plays a run, and no
// reader can make one wait.
package server
