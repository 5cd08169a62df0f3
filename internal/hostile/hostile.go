// Package hostile has pages that fight back, and a server for them. Whoever
// plays games that strangers wrote meets pages like these: they flood, they
// hang, they lie about time, they say things that no report can hold. Most of
// them hold a small game that is healthy underneath.
package hostile

import (
	"embed"
	"io/fs"
	"net/http"

	"github.com/playtest-dev/playtest/record"
)

//go:embed pages
var files embed.FS

// Page is a hostile page.
type Page struct {
	// Path below the server's address.
	Path string
	// Never is a verdict that would be wrong, empty where any is right as long as
	// it has a reason.
	Never record.Verdict
	// Everyday pages are played by the everyday tests, the others on demand.
	Everyday bool
}

// Pages are all of them.
var Pages = []Page{
	// The page gets in the way of whoever watches it.
	{"attacks.html", record.Fail, false},
	{"builtins.html", record.Fail, false},
	{"pollution.html", record.Fail, false},
	{"getters.html", "", false},
	{"answers.html", "", false},
	{"clocks.html", "", false},
	{"debugger.html", record.Fail, false},
	{"csp.html", record.Fail, true},
	{"listens.html", record.Fail, false},

	// It does not stay.
	{"leaves.html", record.Pass, false},
	{"redirects/", record.Pass, true},
	{"moving.html", record.Pass, false},
	{"reloads.html", "", false},
	{"unload.html", record.Fail, false},
	{"history.html", record.Fail, false},
	{"back.html", record.Fail, false},
	{"quits.html", record.Fail, false},
	{"wipes.html", "", false},
	{"rebuilds.html", record.Fail, false},
	{"emptied.html", record.Pass, false},

	// It hangs, or keeps the machine busy.
	{"hangs.html", record.Pass, false},
	{"waits.html", "", false},
	{"alerts.html", "", true},
	{"announces.html", record.Fail, false},
	{"traps.html", record.Fail, false},
	{"prints.html", "", false},
	{"permissions.html", "", false},
	{"popups.html", record.Fail, false},
	{"burns.html", "", false},
	{"shaders.html", "", false},
	{"heavy.html", "", false},
	{"mutates.html", "", false},
	{"scrolls.html", "", false},
	{"sounds.html", record.Fail, false},

	// It takes all the memory it can get, of the browser or of us.
	{"memory.html", "", false},
	{"greed.html", record.Pass, false},
	{"wasm.html", "", false},
	{"canvas.html", "", false},
	{"console.html", record.Fail, false},
	{"shouts.html", "", false},
	{"objects.html", "", false},
	{"errors.html", "", false},
	{"rejections.html", "", false},
	{"elements.html", record.Fail, false},
	{"deep.html", "", false},
	{"shadows.html", "", false},
	{"texts.html", "", false},
	{"attributes.html", "", false},
	{"titles.html", "", false},
	{"images.html", "", false},
	{"painted.html", "", false},
	{"listeners.html", record.Fail, false},
	{"functions.html", "", false},
	{"scripts.html", "", false},
	{"evals.html", "", false},
	{"workers.html", "", false},
	{"frames.html", record.Fail, false},
	{"downloads.html", record.Fail, false},
	{"stores.html", "", false},
	{Floods, "", false},

	// It, or its server, misuses the network.
	{"requests.html", "", false},
	{"headers.html", "", false},
	{"sockets.html", "", false},
	{"chains.html", "", false},
	{"reaches.html", "", false},
	{"serverless.html", record.Pass, false},
	{"bomb.html", "", false},
	{"endless.html", "", false},
	{"truncated.html", "", false},
	{"garbage.html", record.Pass, false},
	{"replaced.html", "", false},

	// It is built in an unusual way, or says what nobody can write down.
	{"sandbox.html", record.Fail, false},
	{"blob.html", record.Fail, false},
	{"modules.html", record.Fail, false},
	{"words.html", "", false},
}

// Floods is the path of the page that does everything at once that takes memory
// of whoever watches it.
const Floods = "floods.html"

// Healthy is the path of the game that most of the pages hold, with nothing
// around it.
const Healthy = "healthy.html"

// Handler serves the pages and whatever they ask for.
func Handler() http.Handler {
	mux := http.NewServeMux()
	pages, err := fs.Sub(files, "pages")
	if err != nil {
		panic(err) // the name is a constant
	}
	static := http.FileServerFS(pages)
	mux.Handle("/", static)
	mux.HandleFunc("/csp.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-game'; require-trusted-types-for 'script'; form-action 'none'; base-uri 'none'")
		static.ServeHTTP(w, r)
	})
	mux.HandleFunc("/redirects/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"on/", http.StatusFound)
	})
	mux.HandleFunc("/"+Healthy, func(w http.ResponseWriter, r *http.Request) { game(w) })
	mux.HandleFunc("/tiny", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/never", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/headers", headers)
	mux.HandleFunc("/long.js", longScript)
	mux.HandleFunc("/socket", echo)
	mux.HandleFunc("/bomb.html", bomb)
	mux.HandleFunc("/endless.html", endless)
	mux.HandleFunc("/truncated.html", truncated)
	mux.HandleFunc("/garbage.html", garbage)
	mux.HandleFunc("/replaced.html", replaced)
	return mux
}
