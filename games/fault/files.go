package fault

import (
	"hash/fnv"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

var _ = register(Fault{
	Name: "script-mime", Title: "The main script has the wrong type", Kind: Broken, Checks: dead, Shows: []string{"deaf", "stuck"}, Needs: []string{"script"},
	Describe: "The last script of every document arrives as plain text, which the browser is told to believe.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return breakScript(next, last, func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&plainText{ResponseWriter: w}, r)
		})
	},
})

// plainText answers as plain text, whatever the server says.
type plainText struct{ http.ResponseWriter }

func (t *plainText) WriteHeader(status int) {
	t.label()
	t.ResponseWriter.WriteHeader(status)
}

func (t *plainText) Write(data []byte) (int, error) {
	t.label()
	return t.ResponseWriter.Write(data)
}

func (t *plainText) label() {
	t.Header().Set("Content-Type", "text/plain; charset=utf-8")
	t.Header().Set("X-Content-Type-Options", "nosniff")
}

// spoiled are the checks of a page that lacks some of what it needs: it may be dead, or stop
// later.
var spoiled = []record.CheckName{record.GameLoaded, record.ControlsResponsive, record.GameStable}

var _ = register(Fault{
	Name: "script-cut", Title: "The main script is cut off", Kind: Broken, Checks: dead, Shows: []string{"deaf", "stuck"}, Needs: []string{"script"},
	Describe: "The last script of every document arrives with a tenth to nine tenths of its text.",
	Wrap: func(next http.Handler, seed int64) http.Handler {
		return breakScript(next, last, func(w http.ResponseWriter, r *http.Request) {
			held := &heldResponse{header: w.Header(), status: http.StatusOK}
			next.ServeHTTP(held, whole(r))
			text, err := held.plain()
			if err != nil {
				http.Error(w, "the fault could not read the game's script", http.StatusBadGateway)
				return
			}
			text = text[:int(float64(len(text))*(0.1+0.8*spread("script-cut", seed)))]
			w.Header().Del("Etag")
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			w.WriteHeader(held.status)
			_, _ = w.Write(text)
		})
	},
})

var _ = register(Fault{
	Name: "library-missing", Title: "A library is missing", Kind: Broken, Checks: spoiled, Shows: []string{"deaf", "stuck"},
	Describe: "One of the scripts before the main one, another for each seed, answers 404.",
	Wrap: func(next http.Handler, seed int64) http.Handler {
		return breakScript(next, func(sources []string) string {
			if len(sources) < 2 {
				return ""
			}
			return sources[int(uint64(seed)%uint64(len(sources)-1))]
		}, http.NotFound)
	},
})

var _ = register(Fault{
	Name: "assets-partly", Title: "Some files are missing", Kind: Broken, Needs: []string{"asset"},
	Checks: spoiled, Shows: []string{"deaf", "stuck"},
	Describe: "Every second file that the game's code asks for (data and pictures) answers 404, others for each seed.",
	Wrap: func(next http.Handler, seed int64) http.Handler {
		return answer(next, func(r *http.Request) bool { return asset(r) && odd(r.URL.Path, seed) }, http.NotFound)
	},
})

// odd is true of every second name, of others with another seed.
func odd(name string, seed int64) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name + strconv.FormatInt(seed, 10)))
	return h.Sum32()>>7%2 == 1
}

var _ = register(Fault{
	Name: "names-case", Title: "Upper and lower case differ", Kind: Broken,
	Checks: spoiled, Shows: []string{"deaf", "stuck"},
	Describe: "The server tells upper from lower case: whatever has a capital letter in its name answers 404.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return answer(next, func(r *http.Request) bool {
			name := path.Base(r.URL.Path)
			return kindOf(r) != document && name != strings.ToLower(name)
		}, http.NotFound)
	},
})

var _ = register(Fault{
	Name: "content-blocked", Title: "Mixed content is blocked", Kind: Broken, Needs: []string{"asset"},
	Checks: spoiled, Shows: []string{"deaf", "stuck"},
	Describe: "The browser blocks every picture, sound and data file, as it does with those of an insecure address.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return withPolicy(next, "img-src data: blob:; connect-src 'none'; media-src 'none'")
	},
})
