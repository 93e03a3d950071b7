#!lua flags=
-- uses: base group
-- Seat one more participant at a table. args: group, slug, person, then field, value….
-- Guarantee: the seat and its membership (all history) in one step; a taken slug is seat_exists, unless it was dropped.
local group, slug, person = ARGV[1], ARGV[2], ARGV[3]
local bad = not_writable(group)
if bad then return bad end
local state = redis.call('HGET', key('seat', slug), 'state')
if state and state ~= 'dropped' then
  return fail('seat_exists', 'table', redis.call('HGET', key('table'), 'id'), 'seat', slug)
end
local _, member = membership(group, person)
if not is_member(group, person) then
  member = member or {}
  member[#member + 1] = {group_head(group) + 1, nil}
  set_membership(group, person, {{1, nil}}, member)
  redis.call('HSETNX', key('cursors', group), person, 0)
  redis.call('HINCRBY', key('group', group), 'members', 1)
end
if not state then redis.call('ZADD', key('seats'), redis.call('ZCARD', key('seats')) + 1, slug) end
local values = {}
for i = 4, #ARGV do values[#values + 1] = ARGV[i] end
redis.call('HSET', key('seat', slug), 'state', 'starting', 'failures', 0, 'reason', '', unpack(values))
event('seated', 'seat', slug)
wake()
return {'ok', 'again', state and 1 or 0}
