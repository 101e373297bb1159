-- Seed 004's records. One is the same wherever in its site it is shown; numbers count within the site.
CREATE TABLE record (
    site       TEXT   NOT NULL,
    record     BIGINT NOT NULL,
    kind       TEXT   NOT NULL,    -- thread, post, item
    name       TEXT   NOT NULL,    -- what it is found again by, in the words of whoever reads pages
    series     TEXT   NOT NULL,    -- the thread or list that it belongs to, likewise
    edition    BIGINT NOT NULL,    -- the latest
    first_seen BIGINT NOT NULL,
    missed     BIGINT,             -- when a page was found without it between the same neighbours
    deleted    BIGINT,             -- the same, when it is nowhere else either
    moment     TEXT,               -- when it was written, as exactly as any version tells it: JSON
    named      BIGINT NOT NULL DEFAULT 0, -- a digest of its kind and name, as `record.rs` makes it
    PRIMARY KEY (site, record)
) /* clustered */;
CREATE INDEX record_by_name ON record (site, named);
CREATE INDEX record_by_series ON record (site, series);
CREATE INDEX record_by_miss ON record (site, missed) WHERE missed IS NOT NULL;

-- What a record said, and since when: a row for each content, never a row a version.
CREATE TABLE edition (
    site       TEXT   NOT NULL,
    record     BIGINT NOT NULL,
    edition    BIGINT NOT NULL,    -- from 1
    page       BIGINT NOT NULL,    -- the page and version that first showed it
    version    BIGINT NOT NULL,
    time       BIGINT NOT NULL,    -- of that version
    edited     BIGINT,             -- when its author's own words last changed, up to this edition
    digest     BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    proofs     TEXT   NOT NULL,    -- JSON
    body       BIGINT NOT NULL,    -- JSON
    PRIMARY KEY (site, record, edition)
) /* clustered */;

-- Where a record is shown: the page's versions from the first to the last that show it.
CREATE TABLE sighting (
    site   TEXT   NOT NULL,
    page   BIGINT NOT NULL,
    record BIGINT NOT NULL,
    nth    BIGINT NOT NULL,        -- its place among the records of the last of these
    first  BIGINT NOT NULL,
    last   BIGINT NOT NULL,
    PRIMARY KEY (site, page, record)
) /* clustered */;
CREATE INDEX sighting_by_record ON sighting (site, record);
