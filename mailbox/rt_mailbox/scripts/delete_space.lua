#!lua flags=allow-oom
-- uses: base keep
-- Delete a table with everything that was said. args: the table's id again.
-- Guarantee: all of it in one step, its tombstone too; nothing when the space holds another table (deleted 0).
local id = redis.call('HGET', key('table'), 'id')
if id and id ~= ARGV[1] then return {'ok', 'deleted', 0} end
local names = every_name()
for _, name in ipairs(names) do redis.call('UNLINK', key(name)) end
redis.call('UNLINK', key('wake'))
return {'ok', 'deleted', 1}
