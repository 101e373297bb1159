-- Blocks of a page that ended long ago, as one value: JSON, an object of lists, one for each column of `block` and
-- its content, as `docs/format.md` says.
CREATE TABLE old_blocks (
    site       TEXT   NOT NULL,
    page       BIGINT NOT NULL,
    last_block BIGINT NOT NULL,    -- the highest number of these
    last       BIGINT NOT NULL,    -- the last version that shows one of them
    blocks     BIGINT NOT NULL,    -- how many they are
    data       BIGINT NOT NULL,
    PRIMARY KEY (site, page, last_block)
) /* clustered */;
