#!lua flags=allow-oom
-- uses: base
-- Write a table's entry into the directory of tables. args: table, entry as JSON.
-- Guarantee: whole, last writer wins; also on a full bus, so that an end and an archive, which make room, are kept.
if ARGV[1] == '' then return fail('unknown_table', 'table', '') end
redis.call('HSET', key('directory'), ARGV[1], ARGV[2])
return {'ok'}
