package report

import (
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

// maxInside bounds the video that is put into a page that stands alone. A larger one
// is represented by its thumbnail.
const maxInside = 3 << 20

// filmView is the video at the top of a page.
type filmView struct {
	Src           template.URL // empty when there is only the thumbnail
	Poster        string
	Thumbnail     string
	Width, Height int
	Links         []string // to what lies beside the page
}

// viewFilm is nil where there is no video, or none that could be shown.
func viewFilm(v *record.Video, poster string, opts *PageOptions) *filmView {
	if v == nil {
		return nil
	}
	film := &filmView{Poster: poster, Width: max(v.Width, 0), Height: max(v.Height, 0)}
	path, thumbnail := picture(v.Path), picture(v.Thumbnail)
	if opts.Files != nil {
		path, thumbnail = found(opts.Files, path), found(opts.Files, thumbnail)
	}
	film.Thumbnail = thumbnail
	switch {
	case path != "" && !opts.Single:
		film.Src = template.URL(pathURL(path))
	case path != "" && opts.Files != nil:
		film.Src = inside(opts.Files, path)
	}
	if film.Src == "" && thumbnail == "" {
		return nil
	}
	if !opts.Single {
		film.Links = nonEmpty(path, thumbnail)
	}
	return film
}

// found is the name of a file that is there and not empty.
func found(files fs.FS, name string) string {
	if name == "" {
		return ""
	}
	if info, err := fs.Stat(files, name); err != nil || info.Size() == 0 {
		return ""
	}
	return name
}

// inside is a video as an address that holds it; empty when it is too large.
func inside(files fs.FS, name string) template.URL {
	f, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInside+1))
	if err != nil || len(data) > maxInside {
		return ""
	}
	return template.URL("data:video/webm;base64," + base64.StdEncoding.EncodeToString(data))
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}
