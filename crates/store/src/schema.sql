-- The catalog; the tables of records are in `record.sql`. Written in the subset that SQLite and
-- PostgreSQL share, and keyed by site so that a cluster can spread it. Times are milliseconds since
-- 1970 in UTC.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- A page has a number that never changes and is the only foreign key. `path` is the JSON list of
-- events that lead from `url` to an event-only state, NULL for a page that its URL reaches.
CREATE TABLE page (
    site        TEXT   NOT NULL,
    page        BIGINT NOT NULL,
    url         TEXT   NOT NULL,
    path        TEXT,
    origin      BIGINT,
    depth       BIGINT NOT NULL,
    found_by    TEXT,              -- class of the edge that first led here, named by the crawler
    status      TEXT   NOT NULL,   -- queued, captured, redirect, failed, merged, held
    http_status BIGINT,
    via         TEXT,              -- http, browser, form
    title       TEXT,
    page_type   TEXT,
    state       BYTEA,             -- identity of its latest version
    merged_into BIGINT,
    error       TEXT,
    first_seen  BIGINT NOT NULL,
    last_seen   BIGINT NOT NULL,
    PRIMARY KEY (site, page)
);
CREATE UNIQUE INDEX page_by_number ON page (page);
-- A document and the states that events reach under it.
CREATE INDEX page_by_url ON page (site, url);
CREATE INDEX page_by_merger ON page (site, merged_into) WHERE merged_into IS NOT NULL;

-- The first key of a page stays primary; the others are aliases that every command resolves.
CREATE TABLE page_key (
    site    TEXT   NOT NULL,
    key     TEXT   NOT NULL,
    page    BIGINT NOT NULL,
    is_main BIGINT NOT NULL,
    PRIMARY KEY (site, key)
) /* clustered */;
CREATE INDEX key_by_page ON page_key (page);

-- Seed 001's phTable: which page owns a content identity.
CREATE TABLE state (
    site TEXT   NOT NULL,
    hash BYTEA  NOT NULL,
    page BIGINT NOT NULL,
    PRIMARY KEY (site, hash)
) /* clustered */;
CREATE INDEX state_by_page ON state (site, page);

CREATE TABLE version (
    site     TEXT   NOT NULL,
    page     BIGINT NOT NULL,
    version  BIGINT NOT NULL,
    time     BIGINT NOT NULL,
    state    BYTEA  NOT NULL,
    snapshot BIGINT,              -- NULL where the body is the snapshot's source
    body     BIGINT,
    drift_ms BIGINT NOT NULL,     -- how far the tab's clock ran ahead when it was taken
    content_type TEXT,            -- the header: what a body without a snapshot is read by
    http_status  BIGINT,
    via      TEXT   NOT NULL,
    run      BIGINT,
    looks    BIGINT,              -- how a rendered page's elements look
    links    BYTEA,               -- places and targets of its links, as `links.rs` says
    truncated TEXT,               -- why a part is missing; such a version is compared with nothing
    -- From here on: what cutting it into blocks gave. NULL until then, and for what has no tree.
    level    BIGINT,
    layout   BIGINT,              -- how it is cut, and the lineages of its blocks in order
    layout_changed BIGINT,        -- 1 if what is left over without the blocks differs
    meta     BIGINT,              -- metadata, as JSON
    counts   BIGINT,              -- 1 if something differs that is no noise, as in a first version
    PRIMARY KEY (site, page, version)
) /* clustered */;

-- Blocks are lifetimes: a row for each content of a lineage, never a row a version. Numbers count
-- within a page; the first block of a lineage gives it its number.
CREATE TABLE block (
    site     TEXT   NOT NULL,
    page     BIGINT NOT NULL,
    block    BIGINT NOT NULL,
    lineage  BIGINT NOT NULL,
    first    BIGINT NOT NULL,      -- version
    last     BIGINT,               -- NULL while the latest version shows it
    began    TEXT   NOT NULL,      -- added, recut, or the kind of change that made it
    ended    TEXT,                 -- changed, removed, recut
    share    BIGINT NOT NULL,      -- how much of its text is new in it, in thousandths
    numbers  BIGINT NOT NULL,      -- 1 if nothing but numbers in its text is
    level    BIGINT NOT NULL,
    content  BIGINT NOT NULL,
    PRIMARY KEY (site, page, block)
) /* clustered */;

-- What wrote versions: the program and its settings, so that each can be told how it came about.
CREATE TABLE run (
    run      INTEGER PRIMARY KEY,
    time     BIGINT NOT NULL,
    program  TEXT   NOT NULL,
    settings TEXT   NOT NULL
);

-- Every look at a page. One that found nothing new points at the version it found again.
CREATE TABLE visit (
    site        TEXT   NOT NULL,
    page        BIGINT NOT NULL,
    time        BIGINT NOT NULL,
    http_status BIGINT,
    version     BIGINT,
    PRIMARY KEY (site, page, time)
) /* clustered */;

-- What was fired or refused on a page and what came of it; plain links are a value of the version: the state-transition graph of seed 000, and the
-- memory of which events were fired, so that an interrupted exploration goes on where it stopped.
-- `target` is 0 where it leads to no page, and part of the key: an event that gave several answers
-- in one round is fickle and has a row for each.
CREATE TABLE edge (
    site            TEXT   NOT NULL,
    page            BIGINT NOT NULL,
    event           TEXT   NOT NULL,
    xpath           TEXT   NOT NULL,
    target          BIGINT NOT NULL,
    outcome         TEXT   NOT NULL,  -- link, page, same, reveal, refused, lost, known, skipped
    element_id      TEXT,
    text            TEXT,
    instruction     TEXT,
    refused_because TEXT,
    note            TEXT,             -- why it was skipped
    cost_ms         BIGINT,           -- what firing it takes, the last times weighing most
    fickle          BIGINT NOT NULL DEFAULT 0,
    time            BIGINT NOT NULL,
    class           TEXT,             -- of what was fired or deferred, named by the crawler
    filled          TEXT,             -- controls and values that went with it, as JSON
    PRIMARY KEY (site, page, event, xpath, target)
) /* clustered */;
-- Most edges lead nowhere; those are not in it.
CREATE INDEX edge_by_target ON edge (site, target) WHERE target <> 0;

-- What went over the wire: headers as sent and received, bodies after decoding.
CREATE TABLE exchange (
    site             TEXT   NOT NULL,
    page             BIGINT NOT NULL,
    seq              BIGINT NOT NULL,
    time             BIGINT NOT NULL,
    cause            TEXT   NOT NULL,  -- load, event
    resource         TEXT   NOT NULL,
    method           TEXT   NOT NULL,
    url              TEXT   NOT NULL,
    request_headers  TEXT   NOT NULL,
    request_body     BIGINT,
    status           BIGINT,
    response_headers TEXT   NOT NULL,
    response_body    BIGINT,
    sent             BIGINT,           -- when this request left; `time` is that of the whole visit
    remote_address   TEXT,             -- address and port of the server that answered
    http_version     TEXT,             -- http/1.0, http/1.1, h2, h3
    failure          TEXT,             -- why there was no answer
    truncated        TEXT,             -- why the body is not whole, or was not kept
    PRIMARY KEY (site, page, seq)
);

-- Attributes and regions of a document that differ from load to load (DESIGN: volatile regions).
CREATE TABLE mask (
    site TEXT NOT NULL,
    url  TEXT NOT NULL,
    rule TEXT NOT NULL,
    PRIMARY KEY (site, url, rule)
) /* clustered */;

-- What the crawler learned about a site (page types, patterns, traps, ...), as JSON of its own.
CREATE TABLE learned (
    site  TEXT NOT NULL,
    what  TEXT NOT NULL,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (site, what, name)
);

CREATE TABLE counter (
    site  TEXT   NOT NULL,
    name  TEXT   NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (site, name)
) /* clustered */;

-- Blobs are found by hash and referred to by number. The number is the row id: keyed by hash, inserts were six
-- times slower. A negative number is a member of a group: it has no row of its own, and is the group's number
-- times 4096 plus its place in it, negated.
CREATE TABLE blob (
    blob     INTEGER PRIMARY KEY,
    hash     BYTEA  NOT NULL,
    codec    BIGINT NOT NULL,     -- 0 as it is, 1 zstd, 2 zstd with a prefix, 3 moved, 4 a group
    base     BIGINT,              -- the blob that it was packed with, or that it has moved to
    raw_size BIGINT NOT NULL,     -- of a group: of the bodies and trees in it
    data     BYTEA  NOT NULL,     -- empty where it lies outside of the catalog
    stored   BIGINT               -- how many bytes do so; NULL for the others
);
CREATE UNIQUE INDEX blob_by_hash ON blob (hash);
-- What was sealed and is still referred to by its own number.
CREATE INDEX blob_moved ON blob (blob) WHERE codec = 3;
