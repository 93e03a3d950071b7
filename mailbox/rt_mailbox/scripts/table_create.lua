#!lua flags=
-- uses: base
-- Lay a table: its fields, group, persons and seats. args: group, JSON {table: {…}, persons: […], seats: [{…}]}.
-- Guarantee: all or nothing; a table that is there already is left as it is (existed 1), so that an unfinished start
-- can be completed. A blank field is as good as none.
local group, spec = ARGV[1], cjson.decode(ARGV[2])
local function put(kind, field, value)
  if value ~= '' then redis.call('HSET', key(kind), field, tostring(value)) end
end
if redis.call('EXISTS', key('table')) == 1 then return {'ok', 'existed', 1} end
if redis.call('EXISTS', key('group', group)) == 1 then return fail('group_exists', 'group', group) end
redis.call('HSETNX', key('space'), 'schema', '1')
redis.call('HSETNX', key('space'), 'epoch', '1')
redis.call('HSET', key('group', group), 'created_at', int(wall()), 'state', 'open', 'head', 0, 'members', 0)
redis.call('SADD', key('groups'), group)
for k, v in pairs(spec.table) do put('table', k, v) end
redis.call('HSET', key('table'), 'group', group, 'round', 1, 'state', 'starting', 'created_at', int(wall()))
for _, person in ipairs(spec.persons) do
  redis.call('HSET', key('members', group), person, '1-|1-')
  redis.call('HSET', key('cursors', group), person, 0)
  redis.call('HINCRBY', key('group', group), 'members', 1)
end
for i, seat in ipairs(spec.seats) do
  redis.call('ZADD', key('seats'), i, seat.slug)
  for k, v in pairs(seat) do put('seat:' .. seat.slug, k, v) end
  redis.call('HSET', key('seat', seat.slug), 'state', 'starting', 'failures', 0)
end
event('created', 'seats', int(#spec.seats))
return {'ok', 'existed', 0}
