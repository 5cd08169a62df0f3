package server

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png" // what pictures of evidence are
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/image/draw"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
)

// Files are what a run has left.
type Files struct {
	Attempt int64           `json:"attempt"`
	Files   []evidence.File `json:"files"`
	Lost    []evidence.Loss `json:"lost,omitempty"`
}

// attempt is the one whose evidence is shown: the one that counts, or the one
// under way.
func attempt(run store.Run) int64 {
	if run.Evidence > 0 {
		return run.Evidence
	}
	return run.Lease
}

// exhibits shows the evidence of runs.
type exhibits struct {
	kept   evidence.Store
	thumbs thumbnails
}

func (x *exhibits) routes() []route {
	return []route{
		{method: "GET", path: "/api/runs/{id}/evidence", scope: store.ScopeRead, do: x.list, summary: "The files that a run has left", gives: Files{}},
		{method: "GET", path: "/api/runs/{id}/evidence/{name...}", scope: store.ScopeRead, do: x.file, within: fileTime, summary: "A file that a run has left; ranges can be asked for", media: "*/*"},
		{method: "GET", path: "/api/runs/{id}/picture", scope: store.ScopeRead, do: x.picture, summary: "A small picture of the game", media: "image/jpeg"},
	}
}

func (x *exhibits) list(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	out := Files{Attempt: attempt(run), Files: []evidence.File{}}
	if run.Evidence > 0 {
		m, err := evidence.ReadManifest(r.Context(), x.kept, run.ID, int(run.Evidence))
		if err != nil {
			return err
		}
		for _, e := range m.Files {
			out.Files = append(out.Files, e.File)
		}
		out.Lost = m.Lost
		return r.answer(http.StatusOK, out)
	}
	// Nothing counts yet: what is there is what the attempt has kept so far.
	all, err := x.kept.List(r.Context(), run.ID)
	if err != nil {
		return err
	}
	prefix := evidence.AttemptName(int(out.Attempt), "")
	for _, f := range all {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			f.Name = name
			out.Files = append(out.Files, f)
		}
	}
	return r.answer(http.StatusOK, out)
}

// pictures are the kinds that a browser may show in place, moving ones included. They are told by our
// own names, never by what is in them.
var pictures = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif", ".webm": "video/webm"}

// texts are downloaded as what they are.
var texts = map[string]string{".json": "application/json", ".log": "text/plain; charset=utf-8", ".har": "application/json", ".md": "text/plain; charset=utf-8"}

// fileTime is how long a client may take to fetch a file.
const fileTime = 10 * time.Minute

func (x *exhibits) file(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	if err := evidence.CheckName(name); err != nil {
		return err
	}
	file, err := x.kept.Get(r.Context(), run.ID, evidence.AttemptName(int(attempt(run)), name))
	if err != nil {
		return err
	}
	defer file.Close()
	h := r.w.Header()
	h.Set("Content-Security-Policy", evidencePolicy)
	h.Set("Cache-Control", "private, no-cache")
	if run.Status.Ended() && run.Evidence > 0 {
		h.Set("Cache-Control", "private, max-age=3600")
	}
	ext := path.Ext(name)
	switch {
	case pictures[ext] != "":
		h.Set("Content-Type", pictures[ext])
	case name == "report.html":
		// Ours, and without script: it is read in place.
		h.Set("Content-Type", "text/html; charset=utf-8")
	default:
		kind := texts[ext]
		if kind == "" {
			kind = "application/octet-stream"
		}
		h.Set("Content-Type", kind)
		h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s"`, run.ID, path.Base(name)))
	}
	_ = http.NewResponseController(r.w).SetWriteDeadline(time.Now().Add(fileTime)) // best effort: the usual one stays
	if seeker, ok := file.(io.ReadSeeker); ok {
		http.ServeContent(r.w, r.Request, "", run.Finished, seeker)
		return nil
	}
	_, _ = io.Copy(r.w, file)
	return nil
}

const (
	thumbWidth  = 480
	thumbHeight = 300
	// maxPicture and maxPixels bound a picture that is made smaller.
	maxPicture = 16 << 20
	maxPixels  = 16 << 20
	// keptThumbs bounds the small pictures in memory, about 20 KB each.
	keptThumbs = 500
)

// thumbnails are small pictures that were made before.
type thumbnails struct {
	mu    sync.Mutex
	made  map[string][]byte
	order []string
	// one picture is made at a time: they cost more memory than anything else here.
	making sync.Mutex
}

func (t *thumbnails) get(key string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.made[key]
}

func (t *thumbnails) put(key string, jpg []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made == nil {
		t.made = map[string][]byte{}
	}
	if _, ok := t.made[key]; !ok {
		t.order = append(t.order, key)
	}
	t.made[key] = jpg
	if len(t.order) > keptThumbs {
		delete(t.made, t.order[0])
		t.order = t.order[1:]
	}
}

// stages are the pictures that show a game best, in this order.
var stages = []string{"playing", "final-state", "after-interaction", "initial-load"}

func (x *exhibits) picture(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	name, size, err := x.bestPicture(r, run)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s/%d/%s/%d", run.ID, attempt(run), name, size)
	jpg := x.thumbs.get(key)
	if jpg == nil {
		if jpg, err = x.shrink(r, run, name); err != nil {
			return err
		}
		x.thumbs.put(key, jpg)
	}
	h := r.w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("Content-Security-Policy", evidencePolicy)
	h.Set("Cache-Control", "private, no-cache")
	if run.Status.Ended() {
		h.Set("Cache-Control", "private, max-age=86400")
	}
	http.ServeContent(r.w, r.Request, "", time.Time{}, bytes.NewReader(jpg))
	return nil
}

var noPicture = problem(http.StatusNotFound, "The run has no picture.")

// bestPicture names the picture that stands for a run.
func (x *exhibits) bestPicture(r *request, run store.Run) (name string, size int64, err error) {
	var files []evidence.File
	if run.Evidence > 0 {
		m, err := evidence.ReadManifest(r.Context(), x.kept, run.ID, int(run.Evidence))
		if errors.Is(err, evidence.ErrNotFound) {
			return "", 0, noPicture
		}
		if err != nil {
			return "", 0, err
		}
		for _, e := range m.Files {
			files = append(files, e.File)
		}
	} else if run.Lease > 0 {
		all, err := x.kept.List(r.Context(), run.ID)
		if err != nil {
			return "", 0, err
		}
		prefix := evidence.AttemptName(int(run.Lease), "")
		for _, f := range all {
			if rest, ok := strings.CutPrefix(f.Name, prefix); ok {
				f.Name = rest
				files = append(files, f)
			}
		}
		// While it is played, the newest says most.
		slices.SortFunc(files, func(a, b evidence.File) int { return b.Modified.Compare(a.Modified) })
	}
	files = slices.DeleteFunc(files, func(f evidence.File) bool {
		return !strings.HasPrefix(f.Name, "screenshots/") || path.Ext(f.Name) != ".png" || f.Size > maxPicture
	})
	if len(files) == 0 {
		return "", 0, noPicture
	}
	if run.Evidence > 0 {
		for _, stage := range stages {
			for _, f := range files {
				if strings.Contains(f.Name, stage) {
					return f.Name, f.Size, nil
				}
			}
		}
	}
	return files[0].Name, files[0].Size, nil
}

// shrink makes a small picture of one of the evidence.
func (x *exhibits) shrink(r *request, run store.Run, name string) ([]byte, error) {
	x.thumbs.making.Lock()
	defer x.thumbs.making.Unlock()
	file, err := x.kept.Get(r.Context(), run.ID, evidence.AttemptName(int(attempt(run)), name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPicture))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || head.Width <= 0 || head.Height <= 0 || head.Width*head.Height > maxPixels {
		return nil, noPicture
	}
	full, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, noPicture
	}
	scale := min(1, float64(thumbWidth)/float64(head.Width), float64(thumbHeight)/float64(head.Height))
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(head.Width)*scale)), max(1, int(float64(head.Height)*scale))))
	draw.CatmullRom.Scale(small, small.Bounds(), full, full.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: 82}); err != nil {
		return nil, fmt.Errorf("make a picture smaller: %w", err)
	}
	return out.Bytes(), nil
}
