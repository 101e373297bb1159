-- Where links stand, as XPaths without numbers: a site has few.
CREATE TABLE place (
    site  TEXT   NOT NULL,
    place BIGINT NOT NULL,
    xpath TEXT   NOT NULL,
    PRIMARY KEY (site, place)
) /* clustered */;
CREATE UNIQUE INDEX place_by_xpath ON place (site, xpath);
