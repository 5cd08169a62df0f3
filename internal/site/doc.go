// Package site serves a local build of a game, a folder or a zip file, the way
// the hosts do that games are published on: types that browsers insist on,
// files that Unity and Godot exports compressed beforehand, and the headers
// without which a page gets no SharedArrayBuffer. It listens on the loopback
// interface only.
package site
