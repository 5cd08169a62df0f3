-- Times are milliseconds since 1970 by the database's clock, unless a column says otherwise.
-- {serial} is the one thing that the two dialects spell differently.

CREATE TABLE test_runs (
	seq                {serial},
	id                 TEXT NOT NULL UNIQUE,
	status             TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'parked')),
	url                TEXT NOT NULL,
	host               TEXT NOT NULL,
	mode               TEXT NOT NULL,
	config             TEXT NOT NULL,
	priority           INTEGER NOT NULL DEFAULT 0,
	idempotency_key    TEXT UNIQUE,
	attempts           INTEGER NOT NULL DEFAULT 0,
	max_attempts       INTEGER NOT NULL,
	lease              BIGINT NOT NULL DEFAULT 0,
	worker             TEXT,
	phase              TEXT,
	cancel_requested   INTEGER NOT NULL DEFAULT 0,
	created_at         BIGINT NOT NULL,
	run_after          BIGINT NOT NULL,
	started_at         BIGINT,
	heartbeat_at       BIGINT,
	finished_at        BIGINT,
	verdict            TEXT,
	playability_score  INTEGER,
	overall_score      DOUBLE PRECISION,
	confidence         DOUBLE PRECISION,
	summary            TEXT,
	error_message      TEXT,
	pruned_at          BIGINT
);
-- Claiming, politeness and rescue look at few rows however many there are.
CREATE INDEX test_runs_queue ON test_runs (status, priority DESC, seq);
CREATE INDEX test_runs_running ON test_runs (host) WHERE status = 'running';
CREATE INDEX test_runs_by_status ON test_runs (status, seq);
CREATE INDEX test_runs_by_host ON test_runs (host, seq);
CREATE INDEX test_runs_pruned ON test_runs (pruned_at) WHERE pruned_at IS NOT NULL;

-- One row for each time that a worker took the run up.
CREATE TABLE run_attempts (
	run_id      TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	lease       BIGINT NOT NULL,
	worker      TEXT NOT NULL,
	started_at  BIGINT NOT NULL,
	ended_at    BIGINT,
	outcome     TEXT,
	phase       TEXT,
	error       TEXT,
	PRIMARY KEY (run_id, lease)
);

CREATE TABLE phase_checkpoints (
	run_id      TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	lease       BIGINT NOT NULL,
	phase       TEXT NOT NULL,
	reached_at  BIGINT NOT NULL,
	PRIMARY KEY (run_id, lease, phase)
);

-- Documents are gzipped JSON, apart from test_runs so that lists stay small.
CREATE TABLE run_records (
	run_id     TEXT PRIMARY KEY REFERENCES test_runs (id) ON DELETE CASCADE,
	lease      BIGINT NOT NULL,
	-- Nothing is left but to judge it.
	complete   INTEGER NOT NULL,
	body       BYTEA NOT NULL,
	saved_at   BIGINT NOT NULL
);

-- A run has one report: the key refuses a second evaluation.
CREATE TABLE run_reports (
	run_id     TEXT PRIMARY KEY REFERENCES test_runs (id) ON DELETE CASCADE,
	lease      BIGINT NOT NULL,
	body       BYTEA NOT NULL,
	saved_at   BIGINT NOT NULL
);

CREATE TABLE test_events (
	id           {serial},
	run_id       TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	lease        BIGINT NOT NULL,
	phase        TEXT NOT NULL,
	event_type   TEXT NOT NULL,
	description  TEXT NOT NULL,
	done         INTEGER NOT NULL DEFAULT 0,
	total        INTEGER NOT NULL DEFAULT 0,
	-- By the clock of the worker.
	timestamp    BIGINT NOT NULL
);
CREATE INDEX test_events_by_run ON test_events (run_id, id);

CREATE TABLE evaluation_scores (
	run_id         TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	metric_name    TEXT NOT NULL,
	score          DOUBLE PRECISION NOT NULL,
	weight         DOUBLE PRECISION NOT NULL,
	justification  TEXT NOT NULL,
	created_at     BIGINT NOT NULL,
	PRIMARY KEY (run_id, metric_name)
);

-- The times of these three are by the clock of the worker.
CREATE TABLE agent_actions (
	id         {serial},
	run_id     TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	timestamp  BIGINT NOT NULL,
	phase      TEXT NOT NULL,
	action     TEXT NOT NULL,
	target     TEXT NOT NULL,
	reasoning  TEXT NOT NULL,
	outcome    TEXT,
	success    INTEGER NOT NULL,
	took_ms    BIGINT NOT NULL
);
CREATE INDEX agent_actions_by_run ON agent_actions (run_id, id);

CREATE TABLE control_discoveries (
	id                {serial},
	run_id            TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	control_id        TEXT NOT NULL,
	element_selector  TEXT NOT NULL,
	action_type       TEXT NOT NULL,
	description       TEXT NOT NULL,
	confidence        DOUBLE PRECISION NOT NULL,
	outcome           TEXT,
	discovered_at     BIGINT NOT NULL
);
CREATE INDEX control_discoveries_by_run ON control_discoveries (run_id, id);

CREATE TABLE decision_log (
	id          {serial},
	run_id      TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	timestamp   BIGINT NOT NULL,
	phase       TEXT NOT NULL,
	decision    TEXT NOT NULL,
	context     TEXT NOT NULL,
	layer       TEXT,
	confidence  DOUBLE PRECISION NOT NULL,
	threshold   DOUBLE PRECISION NOT NULL,
	ai_model    TEXT
);
CREATE INDEX decision_log_by_run ON decision_log (run_id, id);

-- What models cost a run, one row a call. Costs are billionths of a dollar, null when nobody knows.
CREATE TABLE ledger (
	id             {serial},
	run_id         TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
	timestamp      BIGINT NOT NULL,
	purpose        TEXT NOT NULL,
	model          TEXT NOT NULL,
	input_tokens   BIGINT NOT NULL,
	output_tokens  BIGINT NOT NULL,
	cost_nano      BIGINT,
	latency_ms     BIGINT NOT NULL,
	error          TEXT
);
CREATE INDEX ledger_by_run ON ledger (run_id, id);

-- What worked on which kind of game: fingerprint, habits, how often each worked, when it was last used, as JSON. Not of a run:
-- it outlives them. Who writes it keeps it bounded.
CREATE TABLE knowledge (
	id         TEXT PRIMARY KEY,
	data       BYTEA NOT NULL,
	last_used  BIGINT NOT NULL
);
