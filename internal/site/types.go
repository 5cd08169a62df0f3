package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"strings"
)

// types are the media types of what games consist of. The operating system's
// own table is not asked: a game must not load here and fail elsewhere.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
	".wasm": "application/wasm", ".data": "application/octet-stream", ".pck": "application/octet-stream",
	".mem": "application/octet-stream", ".unityweb": "application/octet-stream", ".bin": "application/octet-stream", ".bundle": "application/octet-stream",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".avif": "image/avif", ".svg": "image/svg+xml", ".ico": "image/x-icon", ".bmp": "image/bmp",
	".ktx": "image/ktx", ".ktx2": "image/ktx2", ".basis": "application/octet-stream", ".dds": "application/octet-stream",
	".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav",
	".m4a": "audio/mp4", ".aac": "audio/aac", ".flac": "audio/flac", ".mid": "audio/midi", ".weba": "audio/webm",
	".mp4": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg",
	".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff", ".woff2": "font/woff2",
	".gltf": "model/gltf+json", ".glb": "model/gltf-binary", ".obj": "model/obj", ".mtl": "model/mtl",
	".xml": "application/xml", ".tmx": "application/xml", ".tsx": "application/xml", ".fnt": "text/plain; charset=utf-8",
	".atlas": "text/plain; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".md": "text/plain; charset=utf-8", ".glsl": "text/plain; charset=utf-8", ".vert": "text/plain; charset=utf-8",
	".frag": "text/plain; charset=utf-8", ".wgsl": "text/plain; charset=utf-8",
	".zip": "application/zip", ".gz": "application/gzip", ".swf": "application/x-shockwave-flash", ".pdf": "application/pdf",
	".vtt": "text/vtt", ".ts": "video/mp2t",
}

// typeOf is the media type by a file's name, "" when only its content can tell.
func typeOf(name string) string { return types[strings.ToLower(path.Ext(name))] }

// The content codings of files that were compressed when the game was built.
const (
	codingBrotli = "br"
	codingGzip   = "gzip"
)

// decoded are the types of files that engines ask for by their compressed name
// and expect the browser to unpack: Unity's Build/game.wasm.br. Any other .gz is
// data that the game unpacks itself.
var decoded = map[string]bool{".js": true, ".mjs": true, ".wasm": true, ".data": true, ".mem": true, ".pck": true, ".html": true, ".css": true}

// splitCoding takes the coding off the name of a file that a host would serve
// with a Content-Encoding.
func splitCoding(name string) (plain, coding string) {
	ext := path.Ext(name)
	switch strings.ToLower(ext) {
	case ".br":
		coding = codingBrotli
	case ".gz":
		coding = codingGzip
	default:
		return name, ""
	}
	plain = strings.TrimSuffix(name, ext)
	lower := strings.ToLower(plain)
	if decoded[path.Ext(lower)] || strings.HasSuffix(lower, ".symbols.json") {
		return plain, coding
	}
	return name, ""
}

func gunzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// mentionsSharedMemory reports whether a script asks for what only pages get
// that are isolated from other origins.
func mentionsSharedMemory(script []byte) bool {
	return bytes.Contains(script, []byte("SharedArrayBuffer")) || bytes.Contains(script, []byte("crossOriginIsolated"))
}
