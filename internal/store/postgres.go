package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// connectLimit bounds waiting for a server that does not answer.
const connectLimit = 10 * time.Second

// idleLimit is how long a transaction may wait for its client, in milliseconds. A worker
// that was suspended in the middle of one would keep what it locked from all others.
const idleLimit = "10000"

func openPostgres(ctx context.Context, address string) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		// The parser's own error may repeat the address, and with it a password.
		return nil, errors.New("the address of the Postgres database cannot be read: it looks like postgres://user@host:5432/name")
	}
	config.ConnConfig.ConnectTimeout = connectLimit
	config.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = idleLimit
	maps.Copy(config.ConnConfig.RuntimeParams, serverParameters)
	config.MaxConns = max(config.MaxConns, 8)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	asking, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	if err := pool.Ping(asking); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the Postgres server at %s:%d: %w", config.ConnConfig.Host, config.ConnConfig.Port, err)
	}
	db := stdlib.OpenDBFromPool(pool)
	return &Store{dialect: postgres, write: db, read: db, pool: pool}, nil
}

// Servers are the host:port of every server that the address of a Postgres
// database names, whatever way it names them; none for a SQLite file.
func Servers(address string) []string {
	if !IsPostgres(address) {
		return nil
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil // opening it says why
	}
	var servers []string
	add := func(host string, port uint16) {
		server := net.JoinHostPort(host, strconv.Itoa(int(port)))
		if !strings.HasPrefix(host, "/") && !slices.Contains(servers, server) { // not a socket in the file system
			servers = append(servers, server)
		}
	}
	add(config.Host, config.Port)
	for _, f := range config.Fallbacks {
		add(f.Host, f.Port)
	}
	return servers
}

// underTx is the connection below a transaction of database/sql, as a
// transaction of pgx. Who began the transaction ends it.
type underTx struct{ *connection }

// connection gives the embedded field another name than the method Conn.
type connection = pgx.Conn

var errNotOurs = errors.New("the transaction is ended by whoever began it")

func (t underTx) Commit(context.Context) error   { return errNotOurs }
func (t underTx) Rollback(context.Context) error { return errNotOurs }
func (t underTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }
func (t underTx) Conn() *pgx.Conn                { return t.connection }

// Pgx calls do with the transaction as pgx knows it, for what must be written
// together with a run but not through database/sql. Postgres only.
func (t *Tx) Pgx(do func(pgx.Tx) error) error {
	return t.conn.Raw(func(driver any) error {
		c, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the database is not Postgres but %T", driver)
		}
		return do(underTx{c.Conn()})
	})
}

// lockClaims makes claims wait for each other: they count what is running, and
// two that count at once would both find room.
func (t *Tx) lockClaims(ctx context.Context) error {
	if t.s.pool == nil {
		return nil
	}
	_, err := t.tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(claimLock))
	return err
}

// Keys of advisory locks, "ptst" and a number.
const (
	claimLock   = 0x70747374_00000001
	migrateLock = 0x70747374_00000002
)

// Exclusively runs do while no other process, on any machine, does so on this
// database. For what changes tables.
func (s *Store) Exclusively(ctx context.Context, do func() error) error {
	if s.pool == nil {
		unlock, err := lockFile(s.path+".lock", true)
		if err != nil {
			return err
		}
		defer unlock()
		return do()
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrateLock)); err != nil {
		return err
	}
	defer func() {
		// Closing the connection would release it, too, but it goes back to the pool.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrateLock))
	}()
	return do()
}
