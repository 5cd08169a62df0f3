// Login fills in a password that no model sees, and keeps the login in a file.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/login")
	defer stop()
	// The password is typed into this site and no other, whatever a page says.
	st, err := stage.Open(ctx, url, setup.Model(), &stage.OpenOptions{Options: stage.Options{Origins: map[string][]string{"password": {site(url)}}}})
	setup.Must(err)
	defer st.Close()
	secret := &stage.ActOptions{Variables: map[string]string{"password": "correct horse"}}
	_, err = st.Act(ctx, "fill in %password%", secret)
	setup.Must(err)
	setup.Must(st.Page().Locator("#in").Click(ctx, nil))
	setup.Must(st.Page().WaitForText(ctx, "Welcome"))

	state, err := st.Page().Context().StorageState(ctx)
	setup.Must(err)
	file := filepath.Join(os.TempDir(), "playtest-example-state.json")
	setup.Must(state.SaveTo(file))
	defer os.Remove(file)
	kept, err := browser.LoadStorageState(file)
	setup.Must(err)
	again, err := stage.Open(ctx, url, nil, &stage.OpenOptions{Context: &browser.ContextOptions{Storage: kept}})
	setup.Must(err)
	defer again.Close()
	text, err := again.Text(ctx)
	setup.Must(err)
	fmt.Print(text)
}

// site is the origin of an address.
func site(address string) string {
	for i, slashes := 0, 0; i < len(address); i++ {
		if address[i] == '/' {
			if slashes++; slashes == 3 {
				return address[:i]
			}
		}
	}
	return address
}
