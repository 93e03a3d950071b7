#!lua flags=allow-oom
-- uses: base
-- Put the group of a table that was to be offloaded, or came back, as it was. args: none.
-- Guarantee: safe to repeat; nothing else changes (undone 0: there was nothing to undo).
local t = redis.call('HMGET', key('table'), 'group_was', 'group', 'offloaded', 'id')
if not t[4] then return fail('unknown_table', 'table', '?') end
if not t[1] or t[3] then return {'ok', 'undone', 0} end
redis.call('HSET', key('group', t[2]), 'state', t[1])
redis.call('HDEL', key('table'), 'group_was')
return {'ok', 'undone', 1}
