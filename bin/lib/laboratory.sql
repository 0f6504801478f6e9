-- Four tables of one bucket each: no changelog, lookup, lookup without unchanged rows, lookup over a sum
CREATE TABLE cl_none (k integer, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1);
CREATE TABLE cl_lookup (k integer, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup');
CREATE TABLE cl_dedup (k integer, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup', changelog_producer_row_deduplicate = true);
CREATE TABLE cl_agg (k integer, total integer) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup', merge_engine = 'aggregation', options = ARRAY['fields.total.aggregate-function=sum']);

-- First write: three new keys, two in the table of sums
INSERT INTO cl_none VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO cl_lookup VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO cl_dedup VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO cl_agg VALUES (1, 10), (2, 20);

-- The only run went straight to the highest level
SELECT level, record_count FROM "cl_lookup$files" ORDER BY level DESC;

-- Second write: key 1 gets another value, key 2 the value that it has; 5 more in the table of sums
INSERT INTO cl_none VALUES (1, 'A'), (2, 'b');
INSERT INTO cl_lookup VALUES (1, 'A'), (2, 'b');
INSERT INTO cl_dedup VALUES (1, 'A'), (2, 'b');
INSERT INTO cl_agg VALUES (1, 5);

-- Only the new file was lifted, to the level before the next older run
SELECT level, record_count FROM "cl_lookup$files" ORDER BY level DESC;

-- Third write: key 3 goes
DELETE FROM cl_none WHERE k = 3;
DELETE FROM cl_lookup WHERE k = 3;

-- cl_none: each write is one snapshot, nothing is compacted, nothing knows an old value
SELECT snapshot_id, commit_kind, changelog_record_count FROM "cl_none$snapshots" ORDER BY snapshot_id;
SELECT level, record_count FROM "cl_none$files" ORDER BY min_sequence_number;
SELECT rowkind, k, v FROM "cl_none$audit_log" WHERE "$snapshot_id" > 1 AND "$snapshot_id" <= 3 ORDER BY k, rowkind DESC;

-- cl_lookup: each write is an APPEND and a COMPACT, and the COMPACT carries the changelog
SELECT snapshot_id, commit_kind, total_record_count, delta_record_count, changelog_record_count FROM "cl_lookup$snapshots" ORDER BY snapshot_id;

-- The delete could not be dropped, since it did not reach the highest level
SELECT level, record_count FROM "cl_lookup$files" ORDER BY level DESC;

-- The changes of the second write, with the old values, and of the third
SELECT rowkind, k, v FROM "cl_lookup$audit_log" WHERE "$snapshot_id" > 2 AND "$snapshot_id" <= 4 ORDER BY k, rowkind DESC;
SELECT rowkind, k, v FROM "cl_lookup$audit_log" WHERE "$snapshot_id" > 4 AND "$snapshot_id" <= 6 ORDER BY k, rowkind DESC;
SELECT k, v FROM cl_lookup ORDER BY k;

-- cl_dedup: the row that did not change is not logged
SELECT rowkind, k, v FROM "cl_dedup$audit_log" WHERE "$snapshot_id" > 2 AND "$snapshot_id" <= 4 ORDER BY k, rowkind DESC;

-- cl_agg: before and after are sums
SELECT rowkind, k, total FROM "cl_agg$audit_log" WHERE "$snapshot_id" > 2 AND "$snapshot_id" <= 4 ORDER BY k, rowkind DESC;
SELECT k, total FROM cl_agg ORDER BY k;

-- The lifted file keeps its name in cl_lookup; in cl_agg it is written again, as its row was only a part of the sum
SELECT lifted.file_path = appended.file_path AS cl_lookup_keeps_file
FROM "cl_lookup$files" FOR VERSION AS OF 3 AS appended, "cl_lookup$files" FOR VERSION AS OF 4 AS lifted
WHERE appended.level = 0 AND lifted.level = 4;
SELECT lifted.file_path = appended.file_path AS cl_agg_keeps_file
FROM "cl_agg$files" FOR VERSION AS OF 3 AS appended, "cl_agg$files" FOR VERSION AS OF 4 AS lifted
WHERE appended.level = 0 AND lifted.level = 4;

-- An exercise: write (1, 'A') once more. What is logged, and where does the file go?
INSERT INTO cl_lookup VALUES (1, 'A');
SELECT snapshot_id, commit_kind, changelog_record_count FROM "cl_lookup$snapshots" WHERE snapshot_id > 6 ORDER BY snapshot_id;
SELECT rowkind, k, v FROM "cl_lookup$audit_log" WHERE "$snapshot_id" > 6 AND "$snapshot_id" <= 8 ORDER BY k, rowkind DESC;
SELECT level, record_count FROM "cl_lookup$files" ORDER BY level DESC;
