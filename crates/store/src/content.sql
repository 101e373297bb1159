-- What blocks of a site hold and are called: once, however many pages and versions show it (seed 003's Volumes).
CREATE TABLE content (
    site     TEXT   NOT NULL,
    content  BIGINT NOT NULL,      -- a digest of all that is in it, its label and its topic, as `content.rs` makes it
    text_len BIGINT NOT NULL,      -- characters
    label    TEXT   NOT NULL,
    topic    TEXT   NOT NULL,
    PRIMARY KEY (site, content)
) /* clustered */;
