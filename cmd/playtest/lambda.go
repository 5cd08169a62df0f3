package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	runtime "github.com/aws/aws-lambda-go/lambda"
	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/lambda"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// runtimeAPI is where a function asks for its invocations.
const runtimeAPI = "AWS_LAMBDA_RUNTIME_API"

// lambdaSettings are the flags of playtest lambda.
type lambdaSettings struct {
	play    settings
	storage storage
	sandbox bool
	reserve time.Duration
}

func newLambda() *cobra.Command {
	var l lambdaSettings
	cmd := &cobra.Command{
		Use:   "lambda",
		Short: "Play games as an AWS Lambda function",
		Long: `Lambda takes invocations from the runtime of AWS Lambda: {"gameUrl": "https://..."},
with metadata and config where they are known, directly, through API Gateway or
through a function URL. It answers with {"statusCode", "body"}; the body is the
report as JSON. A run ends in time for the function's deadline, with what was found
until then. The browser is kept for the next invocation.

With $PLAYTEST_EVIDENCE, such as s3://bucket/prefix, pictures and logs are kept
there. docs/lambda.md has the image and a template.`,
		Example: `  playtest lambda
  PLAYTEST_EVIDENCE=s3://games/evidence playtest lambda`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&l.play.browser, "browser", "auto", "auto, or the `PATH` of a Chromium (also $PLAYTEST_BROWSER)")
	f.BoolVar(&l.sandbox, "sandbox", false, "use Chromium's own sandbox, which the kernel of AWS Lambda does not let it have")
	f.DurationVar(&l.reserve, "reserve", 20*time.Second, "time before the deadline that is kept back for judging and for evidence")
	f.StringVar(&l.storage.evidence, "evidence", "", "where pictures and logs are kept: s3://bucket/prefix or a `FOLDER` (also $PLAYTEST_EVIDENCE; default nowhere)")
	l.play.reach.register(cmd, allowLocalWorker)
	return cmd
}

func (l *lambdaSettings) run(cmd *cobra.Command) error {
	if os.Getenv(runtimeAPI) == "" {
		return hint(usage(cmd, "$%s is not set: this is no Lambda function", runtimeAPI), "AWS Lambda sets it; docs/lambda.md says how to try it on your machine")
	}
	if l.reserve < time.Second {
		return usage(cmd, "--reserve %s is shorter than a second", l.reserve)
	}
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	browsers := pool.New(&pool.Options{Browsers: 1, PerBrowser: 1, Log: log, Launch: func(ctx context.Context) (*browser.Browser, error) {
		opts := l.play.reach.launch(&browser.LaunchOptions{Log: log, StillImages: true})
		if !l.sandbox {
			opts.Args = append(opts.Args, "--no-sandbox", "--no-zygote")
		}
		began := time.Now()
		b, err := openBrowser(ctx, l.play.browserChoice(), opts)
		if err == nil {
			log.Info("launched", "browser", b.Version(), "seconds", time.Since(began).Seconds())
		}
		return b, err
	}})
	defer browsers.Close()
	h, err := lambda.New(lambda.Options{Play: l.player(browsers, log), Admit: l.admit, Reserve: l.reserve, Log: log})
	if err != nil {
		return err
	}
	// The loop never returns. A function that is not wanted any more is told, and
	// killed half a second later.
	runtime.StartWithOptions(h, runtime.WithContext(context.WithoutCancel(cmd.Context())), runtime.WithEnableSIGTERM(func() {
		browsers.Close()
		os.Exit(0)
	}))
	return nil
}

// policy lets games reach what is public, and never the runtime that feeds us nor
// our bucket.
func (l *lambdaSettings) policy(ctx context.Context) *egress.Policy {
	p := &egress.Policy{Local: l.play.reach.allowLocal()}
	p.Own(ctx, nil, append(l.storage.servers(), os.Getenv(runtimeAPI))...)
	return p
}

func (l *lambdaSettings) admit(ctx context.Context, address string) error {
	if reason := l.policy(ctx).CheckURL(ctx, address, nil); reason != "" {
		return fmt.Errorf("playtest refused the game's address: it is %s", reason)
	}
	return nil
}

func (l *lambdaSettings) player(browsers *pool.Pool, log *slog.Logger) func(context.Context, record.Target) (*lambda.Played, error) {
	return func(ctx context.Context, target record.Target) (*lambda.Played, error) {
		began := time.Now()
		proxy, err := egress.Listen(l.policy(ctx), &egress.Options{Upstream: http.ProxyFromEnvironment, Log: log})
		if err != nil {
			return nil, err
		}
		defer proxy.Close()
		b, release, err := browsers.Borrow(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		// What it took to have a browser is not there for playing.
		target.MaxDuration = max(time.Second, target.MaxDuration-time.Since(began))
		id := qa.NewRunID()
		opts := &qa.Options{RunID: id, Version: record.Version, Log: log}
		out := &lambda.Played{}
		files, closeFiles := l.evidence(id, out, log)
		if files != nil {
			opts.Evidence = files
		}
		rec, rep, err := qa.Run(browser.WithProxy(ctx, proxy), b, target, opts)
		if err != nil {
			return nil, errors.Join(err, closeFiles(ctx))
		}
		out.Report = rep
		if files != nil {
			if err := errors.Join(keepReport(files, rec, rep), closeFiles(ctx)); err != nil {
				log.Warn("keep the evidence", "run", id, "error", err)
				out.Evidence, out.Lost = "", oneLine(err.Error())
			}
		}
		return out, nil
	}
}

// evidence opens the place for pictures and logs. A place that cannot be used costs
// the evidence and not the run.
func (l *lambdaSettings) evidence(id string, out *lambda.Played, log *slog.Logger) (*evidence.Writer, func(context.Context) error) {
	address := l.storage.evidenceAddress()
	none := func(context.Context) error { return nil }
	if address == "" {
		return nil, none
	}
	store, err := evidence.Open(address, nil)
	if err != nil {
		out.Lost = oneLine(err.Error())
		return nil, none
	}
	files, err := evidence.NewWriter(store, id, &evidence.WriterOptions{Secrets: l.storage.secrets(), Note: func(text string) { log.Warn(text) }})
	if err != nil {
		out.Lost = oneLine(errors.Join(err, store.Close()).Error())
		return nil, none
	}
	out.Evidence = address + " (run " + id + ")"
	return files, func(ctx context.Context) error {
		// A bucket that takes nothing is not waited for until the function's deadline.
		if files.Refusal() != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, l.reserve)
			defer cancel()
		}
		_, err := files.Close(ctx)
		return errors.Join(err, store.Close())
	}
}

// keepReport puts the report beside the pictures.
func keepReport(files *evidence.Writer, rec *record.Record, rep *record.Report) error {
	for name, value := range map[string]any{"record.json": rec, "report.json": rep} {
		data, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if err := files.File(name, data); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := report.HTML(&page, rep, rec); err != nil {
		return err
	}
	return files.File("report.html", page.Bytes())
}
