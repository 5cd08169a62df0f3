// Download keeps a file that a page offers, up to a size.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	dir, err := os.MkdirTemp("", "")
	setup.Must(err)
	defer os.RemoveAll(dir)
	st, err := stage.Open(ctx, url, nil, &stage.OpenOptions{Context: &browser.ContextOptions{
		Downloads: &browser.DownloadOptions{Dir: dir, MaxBytes: 1 << 20},
	}})
	setup.Must(err)
	defer st.Close()
	page := st.Page()
	file, err := page.WaitForDownload(ctx, func(ctx context.Context) error { return page.Locator("text=Price list").Click(ctx, nil) })
	setup.Must(err)
	fmt.Println(filepath.Base(file.Path), file.Bytes, "bytes")
}
