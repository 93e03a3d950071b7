#!lua flags=allow-oom
-- uses: base queue turn
-- Set fields of the table, a seat or a turn. args: 'table', 'seat:<slug>' or 'turn:<turn>', host epoch or '', event type or '', then field, value….
-- Guarantee: all fields at once; refused for a stale host and for a seat that does not exist.
local bad = stale(ARGV[2])
if bad then return bad end
if redis.call('EXISTS', key(ARGV[1])) == 0 then
  if ARGV[1] == 'table' then return fail('unknown_table', 'table', '?') end
  return fail('unknown_seat', 'table', redis.call('HGET', key('table'), 'id') or '?', 'seat', string.sub(ARGV[1], 6),
    'known', table.concat(redis.call('ZRANGE', key('seats'), 0, -1), ', '))
end
local values = {}
for i = 4, #ARGV do values[#values + 1] = ARGV[i] end
redis.call('HSET', key(ARGV[1]), unpack(values))
if ARGV[3] ~= '' then
  if string.sub(ARGV[1], 1, 5) == 'seat:' then
    event(ARGV[3], 'seat', string.sub(ARGV[1], 6), unpack(values))
  else
    event(ARGV[3], unpack(values))
  end
end
return {'ok'}
