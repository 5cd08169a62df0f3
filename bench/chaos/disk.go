package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
)

// disk is a small file system of our own. One whose power can be cut is an ext4
// in a file: what the kernel has not been told to sync stays in its memory, and a
// copy of the file is what a machine finds after it lost power.
type disk struct {
	dir     string
	mount   string
	image   string // "" for one that lives in memory
	copies  int
	mounted bool
}

const (
	smallDisk = "12m"
	largeDisk = 192 << 20
)

func newDisk(dir string, durable bool) (*disk, error) {
	d := &disk{dir: dir, mount: filepath.Join(dir, "disk")}
	if err := os.Mkdir(d.mount, 0o755); err != nil {
		return nil, err
	}
	if !durable {
		if err := command("mount", "-t", "tmpfs", "-o", "size="+smallDisk, "tmpfs", d.mount); err != nil {
			return nil, err
		}
		d.mounted = true
		return d, nil
	}
	d.image = filepath.Join(dir, "image-0")
	f, err := os.Create(d.image)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(largeDisk); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if err := command("mkfs.ext4", "-q", d.image); err != nil {
		return nil, err
	}
	return d, d.attach()
}

// attach mounts the image. The kernel writes by itself every five minutes, which
// is longer than any stretch between two cuts: what is there was synced.
func (d *disk) attach() error {
	err := command("mount", "-o", "loop,commit=300", d.image, d.mount)
	d.mounted = err == nil
	return err
}

// snapshot copies what is on the disk now, without what is only in memory.
func (d *disk) snapshot() (string, error) {
	d.copies++
	name := filepath.Join(d.dir, fmt.Sprintf("image-%d", d.copies))
	return name, command("cp", "--sparse=always", d.image, name)
}

// replace throws the disk away and goes on with a snapshot.
func (d *disk) replace(image string) error {
	if err := d.detach(); err != nil {
		return err
	}
	if err := os.Remove(d.image); err != nil {
		return err
	}
	d.image = image
	return d.attach()
}

func (d *disk) detach() error {
	if !d.mounted {
		return nil
	}
	err := command("umount", d.mount)
	d.mounted = err != nil
	return err
}

func (d *disk) remove() {
	if err := d.detach(); err != nil {
		fmt.Fprintln(os.Stderr, "warning:", err)
	}
}

func command(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// losePower cuts the power again and again: the worker is gone, and so is
// whatever was not synced. What was acknowledged has to be there.
func (c *conductor) losePower(ctx context.Context, d *disk) error {
	for range c.s.power {
		if err := c.start(); err != nil {
			return err
		}
		for until := time.Now().Add(time.Second + rand.N(2*time.Second)); time.Now().Before(until); {
			if err := c.fill(ctx); err != nil {
				return err
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err := c.submit(ctx, 5); err != nil {
			return err
		}
		p := c.victim()
		c.killed[p.name] = time.Now()
		p.kill()
		image, err := d.snapshot()
		if err != nil {
			return err
		}
		c.cuts++
		// Closing the database syncs it, but that is the disk we throw away.
		c.db.Close()
		if err := d.replace(image); err != nil {
			return err
		}
		if c.db, err = store.Open(ctx, c.s.db); err != nil {
			return fmt.Errorf("after power was lost: %w", err)
		}
		if c.q, err = queue.Open(ctx, c.db, c.s.queueOptions()); err != nil {
			return err
		}
	}
	if err := c.start(); err != nil {
		return err
	}
	if err := c.wait(ctx, 0); err != nil {
		return err
	}
	// The disk goes with the experiment: what is verified is what it holds now.
	c.victim().kill()
	return nil
}

// fillDisk leaves no room on the disk below the database, again and again.
func (c *conductor) fillDisk(ctx context.Context, d *disk) error {
	if err := c.start(); err != nil {
		return err
	}
	for range c.s.full {
		if err := c.fill(ctx); err != nil {
			return err
		}
		time.Sleep(rand.N(time.Second))
		ballast := filepath.Join(d.mount, "ballast")
		full := writeUntilFull(ballast)
		c.filled++
		// Nobody is promised anything now. What is accepted all the same counts.
		_ = c.submit(ctx, 2)
		time.Sleep(time.Second + rand.N(2*time.Second))
		if err := os.Remove(ballast); err != nil || !full {
			return fmt.Errorf("the disk was not full: %v", err)
		}
	}
	return c.wait(ctx, 0)
}

// writeUntilFull fills a file until nothing more fits, and reports whether that
// came about.
func writeUntilFull(name string) bool {
	f, err := os.Create(name)
	if err != nil {
		return true // not even a name fits
	}
	defer f.Close()
	chunk := make([]byte, 4096)
	for range 1 << 20 {
		if _, err := f.Write(chunk); err != nil {
			return true
		}
	}
	return false
}
