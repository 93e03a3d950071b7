#!lua flags=allow-oom
-- uses: base group unsubscribe
-- Delete a group and its record for good. args: group, the head that the caller has seen or ''.
-- Guarantee: all of it in one step, or nothing: an unknown group is unknown_group, a table's own group table_group, a group
-- that has grown since it was looked at group_changed. addresses: whose subscriptions ended; left: how many each still
-- has in this space.
local group = ARGV[1]
local head = group_head(group)
if not facts(group) then return fail('unknown_group', 'group', group) end
local about = redis.call('HMGET', key('table'), 'group', 'id')
if about[1] == group then return fail('table_group', 'group', group, 'table', about[2] or '?') end
if ARGV[2] ~= '' and ARGV[2] ~= int(head) then return fail('group_changed', 'group', group, 'head', int(head)) end
local addresses = redis.call('HKEYS', key('subscribers', group))
local left = {}
for i, address in ipairs(addresses) do
  unsubscribe(group, address)
  left[i] = redis.call('HLEN', key('subs', address))
end
for _, person in ipairs(redis.call('HKEYS', key('members', group))) do redis.call('DEL', own_of(group, person)) end
for _, kind in ipairs({'group', 'log', 'members', 'cursors', 'marks', 'lost', 'idem', 'idem_age', 'subscribers'}) do
  redis.call('UNLINK', key(kind, group))
end
redis.call('SREM', key('groups'), group)
wake()
return {'ok', 'head', head, 'addresses', addresses, 'left', left}
