-- What blocks of a site hold and are called: once, however many pages and versions show it (seed 003's Volumes).
CREATE TABLE content (
    site     TEXT   NOT NULL,
    content  BIGINT NOT NULL,      -- a digest of its hash, label and topic, as `content.rs` makes it
    hash     BIGINT NOT NULL,      -- of all that is in it
    text_len BIGINT NOT NULL,      -- characters
    label    TEXT   NOT NULL,
    topic    TEXT   NOT NULL,
    PRIMARY KEY (site, content)
) /* clustered */;
