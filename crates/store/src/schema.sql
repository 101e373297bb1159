-- The catalog, version 1. Written in the subset that SQLite and PostgreSQL share, and keyed by site
-- so that a cluster can spread it. Times are milliseconds since 1970 in UTC.

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
    status      TEXT   NOT NULL,   -- queued, captured, redirect, failed, merged
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

-- The first key of a page stays primary; the others are aliases that every command resolves.
CREATE TABLE page_key (
    site    TEXT   NOT NULL,
    key     TEXT   NOT NULL,
    page    BIGINT NOT NULL,
    is_main BIGINT NOT NULL,
    PRIMARY KEY (site, key)
);
CREATE INDEX key_by_page ON page_key (page);

-- Seed 001's phTable: which page owns a content identity.
CREATE TABLE state (
    site TEXT   NOT NULL,
    hash BYTEA  NOT NULL,
    page BIGINT NOT NULL,
    PRIMARY KEY (site, hash)
);

CREATE TABLE version (
    site     TEXT   NOT NULL,
    page     BIGINT NOT NULL,
    version  BIGINT NOT NULL,
    time     BIGINT NOT NULL,
    state    BYTEA  NOT NULL,
    snapshot BIGINT,              -- NULL where the body is the snapshot's source
    body     BIGINT,
    drift_ms BIGINT NOT NULL,     -- how far the tab's clock ran ahead when it was taken
    PRIMARY KEY (site, page, version)
);

-- Every look at a page. One that found nothing new points at the version it found again.
CREATE TABLE visit (
    site        TEXT   NOT NULL,
    page        BIGINT NOT NULL,
    time        BIGINT NOT NULL,
    http_status BIGINT,
    version     BIGINT,
    PRIMARY KEY (site, page, time)
);

-- What can be done on a page and what came of it: the state-transition graph of seed 000, and the
-- memory of which events were fired, so that an interrupted exploration goes on where it stopped.
CREATE TABLE edge (
    site            TEXT   NOT NULL,
    page            BIGINT NOT NULL,
    event           TEXT   NOT NULL,
    xpath           TEXT   NOT NULL,
    target          BIGINT,
    outcome         TEXT   NOT NULL,  -- link, page, same, reveal, refused, lost
    element_id      TEXT,
    text            TEXT,
    instruction     TEXT,
    refused_because TEXT,
    time            BIGINT NOT NULL,
    PRIMARY KEY (site, page, event, xpath)
);
CREATE INDEX edge_by_target ON edge (target);

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
    PRIMARY KEY (site, page, seq)
);

-- Work to do. A claim is a lease; what is done is deleted.
CREATE TABLE task (
    site        TEXT   NOT NULL,
    page        BIGINT NOT NULL,
    kind        TEXT   NOT NULL,   -- fetch, explore
    depth       BIGINT NOT NULL,
    attempts    BIGINT NOT NULL,
    owner       TEXT,
    lease_until BIGINT NOT NULL,   -- not to be claimed before this time
    PRIMARY KEY (site, page, kind)
);
CREATE INDEX task_order ON task (site, depth, page);

-- Attributes and regions of a document that differ from load to load (DESIGN: volatile regions).
CREATE TABLE mask (
    site TEXT NOT NULL,
    url  TEXT NOT NULL,
    rule TEXT NOT NULL,
    PRIMARY KEY (site, url, rule)
);

CREATE TABLE counter (
    site  TEXT   NOT NULL,
    name  TEXT   NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (site, name)
);

-- Blobs are found by hash and referred to by number; `codec` and `base` let colder tiers come
-- without a migration. The number is the row id: keyed by hash, inserts were six times slower.
CREATE TABLE blob (
    blob     INTEGER PRIMARY KEY,
    hash     BYTEA  NOT NULL,
    codec    BIGINT NOT NULL,
    base     BIGINT,
    raw_size BIGINT NOT NULL,
    data     BYTEA  NOT NULL
);
CREATE UNIQUE INDEX blob_by_hash ON blob (hash);
