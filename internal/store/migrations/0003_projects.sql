-- Everything belongs to a project. One is always there, and whoever names none works in it.
-- A limit of 0 is none. turn says which project was served last, so that they take turns.
CREATE TABLE projects (
	id                  TEXT PRIMARY KEY,
	created_at          BIGINT NOT NULL,
	max_queued          BIGINT NOT NULL DEFAULT 0,
	max_running         BIGINT NOT NULL DEFAULT 0,
	max_duration_ms     BIGINT NOT NULL DEFAULT 0,
	max_evidence_bytes  BIGINT NOT NULL DEFAULT 0,
	max_nano_per_day    BIGINT NOT NULL DEFAULT 0,
	turn                BIGINT NOT NULL DEFAULT 0
);
INSERT INTO projects (id, created_at) VALUES ('default', {now});

ALTER TABLE test_runs ADD COLUMN project TEXT NOT NULL DEFAULT 'default';
-- Keys are of a project. idempotency_key was unique by itself, which SQLite cannot take back: it stays empty from here on.
ALTER TABLE test_runs ADD COLUMN submission_key TEXT;
UPDATE test_runs SET submission_key = idempotency_key WHERE idempotency_key IS NOT NULL;
UPDATE test_runs SET idempotency_key = NULL WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX test_runs_key ON test_runs (project, submission_key);
-- What politeness goes by: the registrable domain, or the host where there is none.
ALTER TABLE test_runs ADD COLUMN site TEXT NOT NULL DEFAULT '';
UPDATE test_runs SET site = host;
DROP INDEX test_runs_running;
CREATE INDEX test_runs_running ON test_runs (site) WHERE status = 'running';
CREATE INDEX test_runs_running_project ON test_runs (project) WHERE status = 'running';
-- Runs that were submitted together.
ALTER TABLE test_runs ADD COLUMN batch TEXT;
CREATE INDEX test_runs_batch ON test_runs (project, batch, seq) WHERE batch IS NOT NULL;
-- How large the evidence of the attempt is that counts.
ALTER TABLE test_runs ADD COLUMN evidence_bytes BIGINT NOT NULL DEFAULT 0;

DROP INDEX test_runs_queue;
CREATE INDEX test_runs_queue ON test_runs (project, status, priority DESC, seq);
CREATE INDEX test_runs_project ON test_runs (project, seq);
CREATE INDEX test_runs_project_status ON test_runs (project, status, seq);
CREATE INDEX test_runs_project_host ON test_runs (project, host, seq);
CREATE INDEX test_runs_project_verdict ON test_runs (project, verdict, seq);
-- Holds all that lists of games and searches look at, so that they read no rows.
CREATE INDEX test_runs_project_url ON test_runs (project, url, seq, pruned_at);

CREATE TABLE knowledge_of_projects (
	project    TEXT NOT NULL REFERENCES projects (id),
	id         TEXT NOT NULL,
	data       BYTEA NOT NULL,
	last_used  BIGINT NOT NULL,
	PRIMARY KEY (project, id)
);
INSERT INTO knowledge_of_projects (project, id, data, last_used) SELECT 'default', id, data, last_used FROM knowledge;
DROP TABLE knowledge;
ALTER TABLE knowledge_of_projects RENAME TO knowledge;

-- Only the SHA-256 of a token is kept, in hexadecimal.
CREATE TABLE tokens (
	id          TEXT PRIMARY KEY,
	project     TEXT NOT NULL REFERENCES projects (id),
	name        TEXT NOT NULL,
	hash        TEXT NOT NULL,
	scopes      TEXT NOT NULL,
	created_at  BIGINT NOT NULL,
	expires_at  BIGINT,
	used_at     BIGINT,
	revoked_at  BIGINT
);

-- Somebody who logged in with a token in a browser. A session ends with its token.
CREATE TABLE sessions (
	hash        TEXT PRIMARY KEY,
	token_id    TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
	created_at  BIGINT NOT NULL,
	expires_at  BIGINT NOT NULL
);

CREATE TABLE audit_log (
	id       {serial},
	at       BIGINT NOT NULL,
	project  TEXT NOT NULL,
	actor    TEXT NOT NULL,
	action   TEXT NOT NULL,
	subject  TEXT NOT NULL,
	detail   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_project ON audit_log (project, id);

-- Who wants to be told of the end of runs, and what has been or is to be told. A delivery is written in the transaction that
-- ends its run, so none is lost.
CREATE TABLE webhooks (
	id          TEXT PRIMARY KEY,
	project     TEXT NOT NULL REFERENCES projects (id),
	url         TEXT NOT NULL,
	secret      TEXT NOT NULL,
	created_at  BIGINT NOT NULL
);
CREATE TABLE deliveries (
	id            {serial},
	webhook_id    TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
	run_id        TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	created_at    BIGINT NOT NULL,
	due_at        BIGINT NOT NULL,
	attempts      INTEGER NOT NULL DEFAULT 0,
	delivered_at  BIGINT,
	given_up_at   BIGINT,
	error         TEXT
);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE delivered_at IS NULL AND given_up_at IS NULL;
