#!lua flags=allow-oom
-- uses: base group
-- Make a group read-only. args: group. Guarantee: no message, join or leave from now on; what is there stays readable and
-- unread as it was. Safe to repeat (was_open 0). A table's own group is table_group: the table is ended instead.
local group = ARGV[1]
local state = facts(group)
if not state then return fail('unknown_group', 'group', group) end
local about = redis.call('HMGET', key('table'), 'group', 'id')
if about[1] == group then return fail('table_group', 'group', group, 'table', about[2] or '?') end
redis.call('HSET', key('group', group), 'state', 'closed')
return {'ok', 'was_open', state == 'open' and 1 or 0}
