package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Bucket is a store in an S3-compatible bucket, under prefix/run/name.
type Bucket struct {
	client    *minio.Client
	transport *http.Transport
	bucket    string
	prefix    string // "" or ends with a slash
}

const (
	// partSize is what is sent at a time and held in memory meanwhile.
	partSize = 8 << 20
	// tries of one request. A Writer has its own patience on top.
	tries = 4
	// answerLimit is for a server that takes a request and says nothing.
	answerLimit = 30 * time.Second
	// longestLink is what S3 allows.
	longestLink = 7 * 24 * time.Hour
)

func openBucket(p bucketPlace, keys *Credentials) (*Bucket, error) {
	transport, err := minio.DefaultTransport(p.secure)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", p.bucket, err)
	}
	transport.ResponseHeaderTimeout = answerLimit
	lookup := minio.BucketLookupAuto
	if p.pathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(p.host, &minio.Options{
		Creds: credentialsFor(p, keys), Secure: p.secure, Region: p.region, Transport: transport, BucketLookup: lookup, MaxRetries: tries, TrailingHeaders: true,
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", p.bucket, err)
	}
	b := &Bucket{client: client, transport: transport, bucket: p.bucket}
	if p.prefix != "" {
		b.prefix = p.prefix + "/"
	}
	return b, nil
}

// credentialsFor are the keys that were given, or those found where S3 clients
// look. Only Amazon's machines have roles to ask for; elsewhere asking would
// cost every request some seconds.
func credentialsFor(p bucketPlace, keys *Credentials) *credentials.Credentials {
	if keys != nil {
		return credentials.NewStaticV4(keys.AccessKey, keys.SecretKey, keys.SessionToken)
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{}}
	if p.host == amazon {
		chain = append(chain, &credentials.IAM{Client: &http.Client{Timeout: 5 * time.Second}})
	}
	return credentials.NewChainCredentials(chain)
}

// Close drops idle connections.
func (b *Bucket) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

func (b *Bucket) key(run, name string) string { return b.prefix + run + "/" + name }

// Put sends a small file in one request and a large one in parts, each with a
// checksum that the server verifies.
func (b *Bucket) Put(ctx context.Context, run, name string, r io.Reader) (File, error) {
	if err := check(run, name); err != nil {
		return File{}, err
	}
	hash, counted := sha256.New(), &counter{}
	r = io.TeeReader(&cancelled{ctx, r}, io.MultiWriter(hash, counted))
	head, err := io.ReadAll(io.LimitReader(r, partSize))
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	opts := minio.PutObjectOptions{ContentType: contentType(name), PartSize: partSize, NumThreads: 1, AutoChecksum: minio.ChecksumCRC32C}
	var sent minio.UploadInfo
	if len(head) < partSize {
		sent, err = b.client.PutObject(ctx, b.bucket, b.key(run, name), bytes.NewReader(head), int64(len(head)), opts)
	} else {
		sent, err = b.client.PutObject(ctx, b.bucket, b.key(run, name), io.MultiReader(bytes.NewReader(head), r), -1, opts)
	}
	if err == nil && sent.Size != counted.n {
		err = fmt.Errorf("%d bytes were sent, %d arrived", counted.n, sent.Size)
	}
	if err != nil {
		return File{}, fmt.Errorf("keep %s: %w", name, err)
	}
	return File{Name: name, Size: counted.n, SHA256: hex.EncodeToString(hash.Sum(nil)), Modified: time.Now()}, nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// contentType is what a browser is told when it follows a link.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".webm":
		return "video/webm"
	case ".mp4":
		return "video/mp4"
	case ".json", ".har":
		return "application/json"
	case ".html":
		return "text/html; charset=utf-8"
	case ".log", ".txt", ".md":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// Get opens an object. The request is made here, so that a missing one is told
// here and not at the first read.
func (b *Bucket) Get(ctx context.Context, run, name string) (io.ReadCloser, error) {
	if err := check(run, name); err != nil {
		return nil, err
	}
	object, err := b.client.GetObject(ctx, b.bucket, b.key(run, name), minio.GetObjectOptions{})
	if err == nil {
		if _, err = object.Stat(); err == nil {
			return object, nil
		}
		object.Close()
	}
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil, fmt.Errorf("%s of run %s: %w", name, run, ErrNotFound)
	}
	return nil, fmt.Errorf("read %s: %w", name, err)
}

// List asks for the objects of a run.
func (b *Bucket) List(ctx context.Context, run string) ([]File, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx) // the client's iterators end with their context
	defer cancel()
	var files []File
	under := b.key(run, "")
	for o := range b.client.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: under, Recursive: true}) {
		if o.Err != nil {
			return nil, fmt.Errorf("list the evidence of run %s: %w", run, o.Err)
		}
		if name := strings.TrimPrefix(o.Key, under); CheckName(name) == nil {
			files = append(files, File{Name: name, Size: o.Size, Modified: o.LastModified})
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("list the evidence of run %s: %w", run, context.Cause(ctx))
	}
	sortByName(files)
	return files, nil
}

func sortByName(files []File) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
}

// Delete removes the objects of a run and ends uploads that were left halfway.
func (b *Bucket) Delete(ctx context.Context, run string) error {
	if err := CheckRun(run); err != nil {
		return err
	}
	files, err := b.List(ctx, run)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	objects := func(yield func(minio.ObjectInfo) bool) {
		for _, f := range files {
			if !yield(minio.ObjectInfo{Key: b.key(run, f.Name)}) {
				return
			}
		}
	}
	failed, err := b.client.RemoveObjectsWithIter(ctx, b.bucket, objects, minio.RemoveObjectsOptions{})
	if err != nil {
		return fmt.Errorf("delete the evidence of run %s: %w", run, err)
	}
	var errs []error
	for f := range failed {
		if f.Err != nil && minio.ToErrorResponse(f.Err).Code != minio.NoSuchKey {
			errs = append(errs, fmt.Errorf("delete %s: %w", path.Base(f.ObjectName), f.Err))
		}
	}
	for upload := range b.client.ListIncompleteUploads(ctx, b.bucket, b.key(run, ""), true) {
		err := upload.Err
		if err == nil {
			err = b.client.RemoveIncompleteUpload(ctx, b.bucket, upload.Key)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("end an upload of run %s: %w", run, err))
		}
	}
	return errors.Join(errs...)
}

// Runs asks for what lies directly under the prefix.
func (b *Bucket) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for o := range b.client.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix}) {
			if o.Err != nil {
				yield("", fmt.Errorf("list the runs with evidence: %w", o.Err))
				return
			}
			run, folder := strings.CutSuffix(strings.TrimPrefix(o.Key, b.prefix), "/")
			if folder && plain(run) && !yield(run, nil) {
				return
			}
		}
		if ctx.Err() != nil {
			yield("", fmt.Errorf("list the runs with evidence: %w", context.Cause(ctx)))
		}
	}
}

// Link signs an address. Nothing is sent.
func (b *Bucket) Link(ctx context.Context, run, name string, valid time.Duration) (string, error) {
	if err := check(run, name); err != nil {
		return "", err
	}
	u, err := b.client.PresignedGetObject(ctx, b.bucket, b.key(run, name), min(max(valid, time.Second), longestLink), nil)
	if err != nil {
		return "", fmt.Errorf("make a link to %s: %w", name, err)
	}
	return u.String(), nil
}
