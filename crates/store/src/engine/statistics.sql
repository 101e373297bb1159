-- What SQLite is to expect of a store, told instead of measured so that a statement has one plan on every
-- machine: ten sites with 100,000 pages each. Without it SQLite takes a site for ten rows, and reads all
-- of a site where another index leads to one row. Each line has the rows of an index, and how many of them
-- agree in its first column, in its first two, and so on.
ANALYZE sqlite_schema;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('meta',     'sqlite_autoindex_meta_1',     '5 1'),
    ('page',     'sqlite_autoindex_page_1',     '1000000 100000 1'),
    ('page',     'page_by_number',              '1000000 1'),
    ('page',     'page_by_url',                 '1000000 100000 5'),
    ('page',     'page_by_merger',              '10000 1000 2'),
    ('page_key', 'page_key',                    '2000000 200000 1'),
    ('page_key', 'key_by_page',                 '2000000 2'),
    ('state',    'state',                       '2000000 200000 1'),
    ('state',    'state_by_page',               '2000000 200000 2'),
    ('version',  'version',                     '3000000 300000 3 1'),
    ('block',    'block',                       '100000000 10000000 100 1'),
    ('content',  'content',                     '5000000 500000 1'),
    ('old_blocks', 'old_blocks',                '100000 10000 2 1'),
    ('old_change', 'old_change',                '10000 1000 1'),
    ('old_edition', 'old_edition',              '100000 10000 1'),
    ('visit',    'visit',                       '5000000 500000 5 1'),
    ('edge',     'edge',                        '20000000 2000000 20 15 2 1'),
    ('edge',     'edge_by_target',              '2000000 200000 5'),
    ('exchange', 'sqlite_autoindex_exchange_1', '5000000 500000 5 1'),
    ('mask',     'mask',                        '100000 10000 5 1'),
    ('learned',  'sqlite_autoindex_learned_1',  '10000 1000 100 1'),
    ('counter',  'counter',                     '100 10 1'),
    ('blob',     'blob_by_hash',                '10000000 1'),
    ('blob',     'blob_moved',                  '1000 1'),
    ('record',   'record',                      '5000000 500000 1'),
    ('record',   'record_by_name',              '5000000 500000 1'),
    ('record',   'record_by_series',            '5000000 500000 50'),
    ('record',   'record_by_miss',              '100000 10000 100'),
    ('edition',  'edition',                     '6000000 600000 2 1'),
    ('sighting', 'sighting',                    '6000000 600000 20 1'),
    ('sighting', 'sighting_by_record',          '6000000 600000 2'),
    ('place',    'place',                       '10000 1000 1'),
    ('place',    'place_by_xpath',              '10000 1000 1'),
    ('site',     'sqlite_autoindex_site_1',     '10 1'),
    ('job',      'job',                         '1000000 100000 2 1'),
    ('job',      'job_by_depth',                '1000000 500000 50000 50000 5000 1'),
    ('job',      'job_by_rank',                 '1000000 500000 50000 50000 1000 500 1'),
    ('job',      'job_in_hand',                 '100 10'),
    ('change',   'change',                      '20000000 2000000 1');
ANALYZE sqlite_schema;
