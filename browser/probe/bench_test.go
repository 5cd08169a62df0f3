package probe_test

import (
	"fmt"
	"sort"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
)

// BenchmarkCost plays busy pages bare, under the probe and under code
// coverage, and compares the script time of a frame. The three take turns, so
// that a machine that slows down slows all of them.
func BenchmarkCost(b *testing.B) {
	for _, page := range []string{"busy2d.html", "busygl.html", "busydom.html"} {
		b.Run(page, func(b *testing.B) {
			url := server(b, nil).URL + "/" + page
			kinds := []string{"bare", "probe", "coverage"}
			times := map[string][]float64{}
			for range b.N {
				for _, kind := range kinds {
					times[kind] = append(times[kind], frameTime(b, url, kind))
				}
			}
			bare := median(times["bare"])
			for _, kind := range kinds {
				m := median(times[kind])
				b.ReportMetric(m, kind+"-ms/frame")
				if kind != "bare" {
					b.ReportMetric(100*(m-bare)/bare, kind+"-%-of-script")
					b.ReportMetric(100*(m-bare)/(1000.0/60), kind+"-%-of-frame")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// frameTime is the median time of the page's own frame function.
func frameTime(b *testing.B, url, kind string) float64 {
	ctx := timeout(b)
	var scripts []browser.InitScript
	if kind == "probe" {
		scripts = append(scripts, probe.New().Script())
	}
	page := newPage(b, nil, scripts...)
	if kind == "coverage" {
		r, err := coverage.Start(ctx, page)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Stop(ctx)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		b.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Interactive); err != nil {
		b.Fatal(err)
	}
	var times []float64
	if err := page.Evaluate(cdp.WithTimeout(ctx, patience), fmt.Sprintf("measured(%d)", 90), &times); err != nil {
		b.Fatal(err)
	}
	if err := page.Close(ctx); err != nil {
		b.Fatal(err)
	}
	return median(times)
}

func median(v []float64) float64 {
	v = append([]float64(nil), v...)
	sort.Float64s(v)
	return v[len(v)/2]
}
