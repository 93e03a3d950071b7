#!lua flags=
-- uses: base
-- Enter a new table in the directory. args: table, entry as JSON, count of claims that the caller has seen ('' does not matter).
-- Guarantee: of two callers that looked at the same moment only one enters its table; the other looks again (moved 1).
-- A table that is there already is left as it is (claimed 0).
local table, entry, seen = ARGV[1], ARGV[2], ARGV[3]
if table == '' then return fail('unknown_table', 'table', '') end
local count = redis.call('HGET', key('space'), 'claims') or '0'
if seen ~= '' and seen ~= count then return {'ok', 'claimed', 0, 'moved', 1} end
local claimed = redis.call('HSETNX', key('directory'), table, entry)
if claimed == 1 then redis.call('HINCRBY', key('space'), 'claims', 1) end
return {'ok', 'claimed', claimed, 'moved', 0}
