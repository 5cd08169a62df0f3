-- What somebody who watches a run sees of it, one row for a run that is watched. wanted_until is the watchers' mark: the worker
-- takes pictures only while it is ahead. Nothing of it is worth keeping over a crash.
CREATE {unlogged} TABLE run_glimpses (
	run_id        TEXT PRIMARY KEY REFERENCES test_runs (id) ON DELETE CASCADE,
	wanted_until  BIGINT NOT NULL,
	number        BIGINT NOT NULL DEFAULT 0,
	body          BYTEA
);
