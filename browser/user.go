package browser

import (
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// AnyUser has a browser that root launches run as [Nobody] where that works, and
// as root where it does not.
const AnyUser = "auto"

// Nobody is the user that AnyUser tries.
const Nobody = "nobody"

// account is another user that a browser runs as.
type account struct {
	name     string
	uid, gid uint32
}

// accountOf looks up the user of LaunchOptions, nil for ourselves. Only root can
// become somebody else.
func accountOf(name string) (*account, error) {
	if name == AnyUser {
		name = Nobody
		if os.Geteuid() != 0 {
			return nil, nil
		}
	}
	if name == "" {
		return nil, nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("the browser's user: %w", err)
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("the browser's user %s has no number", name)
	}
	if int(uid) == os.Geteuid() {
		return nil, nil
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("only root can start a browser as %s", name)
	}
	return &account{name: name, uid: uint32(uid), gid: uint32(gid)}, nil
}

// root reports whether a browser of this account runs as root, for whom
// Chromium's sandbox does not work.
func (a *account) root() bool {
	if a == nil {
		return os.Geteuid() == 0
	}
	return a.uid == 0
}

// credential makes a process the account's, nil for ourselves.
func (a *account) credential() *syscall.Credential {
	if a == nil {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// own gives a folder to the account.
func (a *account) own(dir string) error {
	if a == nil {
		return nil
	}
	return os.Chown(dir, int(a.uid), int(a.gid))
}

// Sandbox says whether pages are kept in Chromium's sandbox: "on", with the
// user it runs as where that is not ours, "off" with the reason, or "unknown"
// for a browser that somebody else started.
func (b *Browser) Sandbox() string { return b.sandbox }

func sandboxOf(a *account, args []string) string {
	switch {
	case has(args, "--no-sandbox") && a.root():
		return "off: Chromium runs as root"
	case has(args, "--no-sandbox"):
		return "off: --no-sandbox was given"
	case a != nil:
		return "on, as " + a.name
	}
	return "on"
}

// warnOfRoot says loudly what it means to go on.
func warnOfRoot(log *slog.Logger) {
	log.Warn("running as root: Chromium runs without its sandbox, so a page that breaks out of it is root on this machine")
}
