-- Blocks of a page that ended long ago, as one value: JSON, a list of lists with the columns of `block` from
-- `block` to `level`, and those of its content: label, topic, text_len, hash.
CREATE TABLE old_blocks (
    site       TEXT   NOT NULL,
    page       BIGINT NOT NULL,
    last_block BIGINT NOT NULL,    -- the highest number of these
    last       BIGINT NOT NULL,    -- the last version that shows one of them
    blocks     BIGINT NOT NULL,    -- how many they are
    data       BIGINT NOT NULL,
    PRIMARY KEY (site, page, last_block)
) /* clustered */;
