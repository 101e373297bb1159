-- Who works on which site, what is to be done there, and what has changed.

-- A site is written to by one machine at a time. Each one that takes it over counts `epoch` up, and
-- every write says which it belongs to, so that one who comes too late is refused.
CREATE TABLE site (
    site        TEXT   PRIMARY KEY,
    owner       TEXT   NOT NULL,
    lease_until BIGINT NOT NULL,
    epoch       BIGINT NOT NULL,
    changes     BIGINT NOT NULL    -- the number of its last change
);

-- Work to do: a visit to a page, its events to be tried, its versions to be cut into blocks or read
-- for records. What is done is deleted. What is in hand is so in the hands of the site's owner, and is
-- put back by the next one.
CREATE TABLE job (
    site     TEXT   NOT NULL,
    page     BIGINT NOT NULL,
    kind     TEXT   NOT NULL,              -- fetch, explore, cut, read
    host     TEXT   NOT NULL DEFAULT '',   -- whose turn it takes; empty if nobody is asked
    depth    BIGINT NOT NULL DEFAULT 0,
    rank     BIGINT NOT NULL DEFAULT 0,    -- what it promises, judged by the crawler
    ready    BIGINT NOT NULL DEFAULT 0,    -- not to be taken before this time
    held     BIGINT NOT NULL DEFAULT 0,    -- 1 while it is in hand
    attempts BIGINT NOT NULL DEFAULT 0,
    error    TEXT,                         -- why the last attempt failed
    version  BIGINT,                       -- the first that waits to be cut or read
    PRIMARY KEY (site, page, kind)
) /* clustered */;
-- Read forwards for the nearest job, backwards for the deepest. Without those in hand, so that a claim
-- reads no more than what it takes.
CREATE INDEX job_by_depth ON job (kind, site, host, depth, page) WHERE held = 0;
CREATE INDEX job_by_rank ON job (kind, site, host, rank DESC, depth, page) WHERE held = 0;
CREATE INDEX job_in_hand ON job (site) WHERE held = 1;

-- What followers of a store (an index, an export, a screen) need to look at again, in the order in
-- which it was committed.
CREATE TABLE change (
    site    TEXT   NOT NULL,
    seq     BIGINT NOT NULL,
    time    BIGINT NOT NULL,
    what    TEXT   NOT NULL,       -- version, blocks, records, merged
    page    BIGINT NOT NULL,
    version BIGINT,
    PRIMARY KEY (site, seq)
) /* clustered */;
