-- Changes that became values: JSON Lines, each [milliseconds since the one before (the first: since 1970), what,
-- page, version], numbered from `first` to `last`.
CREATE TABLE old_change (
    site  TEXT   NOT NULL,
    last  BIGINT NOT NULL,
    first BIGINT NOT NULL,
    data  BIGINT NOT NULL,
    PRIMARY KEY (site, last)
) /* clustered */;

-- Editions before the latest of their records, as values: JSON Lines, each [record, edition, page, version,
-- time, edited, confidence, proofs, what it said]. Of two with one number, the later value counts.
CREATE TABLE old_edition (
    site   TEXT   NOT NULL,
    number BIGINT NOT NULL,
    first  BIGINT NOT NULL,        -- the lowest number of their records
    last   BIGINT NOT NULL,        -- the highest
    data   BIGINT NOT NULL,
    PRIMARY KEY (site, number)
) /* clustered */;
