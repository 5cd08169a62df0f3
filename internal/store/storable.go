package store

import (
	"database/sql"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnstorable: a document cannot be written down at all.
var ErrUnstorable = errors.New("it cannot be written down")

// storable makes text that both databases take and give back as it is. Pages
// choose much of what is stored: Postgres refuses a NUL and whatever is not
// UTF-8, lone surrogates among it; SQLite takes them and confuses its readers.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// storables is the one way for arguments to reach a query.
func storables(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			args[i] = storable(v)
		case sql.NullString:
			v.String = storable(v.String)
			args[i] = v
		}
	}
	return args
}

// permanentClasses of Postgres' errors: data, integrity, syntax and rights,
// limits, what is not supported. The rest is about connections, resources and
// others who are at it, and passes.
var permanentClasses = []string{"22", "23", "42", "54", "0A"}

// permanentCodes are the same of SQLite.
var permanentCodes = []int{
	sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE,
	sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB,
}

// Permanent reports whether trying the same again is of no use: the database is
// there and refuses what it was given.
func Permanent(err error) bool {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		for _, class := range permanentClasses {
			if strings.HasPrefix(server.Code, class) {
				return true
			}
		}
		return false
	}
	var file *driver.Error
	if errors.As(err, &file) {
		for _, code := range permanentCodes {
			if file.Code()&0xff == code {
				return true
			}
		}
		return false
	}
	return errors.Is(err, ErrUnstorable)
}
