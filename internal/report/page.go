package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	_ "image/gif" // what thumbnails of videos are
	"image/jpeg"
	_ "image/png" // what screenshots are
	"io"
	"io/fs"
	"net/http"
	"net/url"

	"github.com/playtest-dev/playtest/record"
)

// PageOptions are what a page may have besides the report; nil has nothing.
type PageOptions struct {
	// Files is the results folder: the logs of the page and of the network are read
	// from it, and pictures that are missing or damaged are left out.
	Files fs.FS
	// Single puts the pictures into the page, to be sent around as one file.
	Single bool
}

// Bounds of what is put into a page that stands alone.
const (
	maxPicture  = 8 << 20
	maxPixels   = 40_000_000
	largePNG    = 120 << 10 // from here on a picture is packed again
	jpegQuality = 82
)

// Page writes the report as one page: with its pictures beside it, or inside. It
// has no script, and loads nothing from elsewhere. The record adds what happened
// in between; it may be nil.
func Page(w io.Writer, rep *record.Report, rec *record.Record, opts *PageOptions) error {
	if rec == nil {
		rec = &record.Record{}
	}
	if opts == nil {
		opts = &PageOptions{}
	}
	t, err := page.Clone()
	if err != nil {
		return fmt.Errorf("writing the report's page: %w", err)
	}
	album := &album{opts: *opts, known: map[string]shown{}}
	t.Funcs(template.FuncMap{"image": album.image})
	if err := t.Execute(w, newView(rep, rec, opts)); err != nil {
		return fmt.Errorf("writing the report's page: %w", err)
	}
	return nil
}

// HTML writes the page with its pictures beside it and without the logs.
func HTML(w io.Writer, rep *record.Report, rec *record.Record) error { return Page(w, rep, rec, nil) }

// shown is a picture as the page shows it. Src is empty when there is none.
type shown struct {
	Src  template.URL
	Href string // to look at it in full; empty inside a page that stands alone
}

// album finds the pictures of a page.
type album struct {
	opts  PageOptions
	known map[string]shown
}

// image is the picture at a path within the results, or nil.
func (a *album) image(name string) *shown {
	name = picture(name)
	if name == "" {
		return nil
	}
	i, ok := a.known[name]
	if !ok {
		i = a.find(name)
		a.known[name] = i
	}
	if i.Src == "" {
		return nil
	}
	return &i
}

func (a *album) find(name string) shown {
	if a.opts.Files == nil {
		return shown{template.URL(pathURL(name)), name}
	}
	data := a.read(name)
	if data == nil {
		return shown{}
	}
	if !a.opts.Single {
		return shown{template.URL(pathURL(name)), name}
	}
	kind := http.DetectContentType(data)
	return shown{Src: template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))}
}

// read is a picture's data, nil when there is no picture that could be shown.
func (a *album) read(name string) []byte {
	f, err := a.opts.Files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
	if err != nil || len(data) > maxPicture {
		return nil
	}
	size, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width == 0 || size.Height == 0 || size.Width*size.Height > maxPixels {
		return nil
	}
	if !a.opts.Single || kind != "png" || len(data) < largePNG {
		return data
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	var packed bytes.Buffer
	if err := jpeg.Encode(&packed, img, &jpeg.Options{Quality: jpegQuality}); err != nil || packed.Len() > len(data) {
		return data
	}
	return packed.Bytes()
}

// pathURL is a relative path as an address: what means something in one is escaped.
func pathURL(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// Inside is a picture of a results folder as an address that holds it; empty when
// there is none that could be shown.
func Inside(files fs.FS, name string) template.URL {
	if files == nil {
		return ""
	}
	a := &album{opts: PageOptions{Files: files, Single: true}, known: map[string]shown{}}
	if i := a.image(name); i != nil {
		return i.Src
	}
	return ""
}

// Style is what the pages of reports have in common.
func Style() string { return pageStyle }
