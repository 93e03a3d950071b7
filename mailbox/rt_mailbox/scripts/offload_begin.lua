#!lua flags=allow-oom
-- uses: base
-- Close an archived table's group, before it is written into a file. args: none.
-- Guarantee: from now on nothing is added to the record; offload_undo puts the group back as it was. begun 0 with the
-- table's state when it is not archived, or with the file's name when it is offloaded already.
local t = redis.call('HMGET', key('table'), 'state', 'offloaded', 'group', 'id')
if not t[1] then return fail('unknown_table', 'table', '?') end
if t[2] or t[1] ~= 'archived' then return {'ok', 'begun', 0, 'state', t[1], 'offloaded', t[2] or ''} end
redis.call('HSETNX', key('table'), 'group_was', redis.call('HGET', key('group', t[3]), 'state') or 'open')
redis.call('HSET', key('group', t[3]), 'state', 'closed')
return {'ok', 'begun', 1, 'state', t[1], 'offloaded', ''}
