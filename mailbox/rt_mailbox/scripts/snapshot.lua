#!lua flags=no-writes,allow-oom
-- uses: base group
-- Everything a decision about a table needs. args: how many of the latest turns. Guarantee: one consistent moment, changes nothing.
local t = redis.call('HGETALL', key('table'))
if #t == 0 then return {'ok', 'table', {}} end
local group = redis.call('HGET', key('table'), 'group')
local seats, turns = {}, {}
local wanted, latest = {}, redis.call('ZREVRANGE', key('turns'), 0, tonumber(ARGV[1]) - 1)
for i = #latest, 1, -1 do wanted[#wanted + 1] = latest[i] end
local seen = {}
for _, turn in ipairs(wanted) do seen[turn] = true end
for _, slug in ipairs(redis.call('ZRANGE', key('seats'), 0, -1)) do
  seats[#seats + 1] = redis.call('HGETALL', key('seat', slug))
  for _, turn in ipairs(redis.call('ZRANGE', key('pending', slug), 0, -1)) do
    if not seen[turn] then wanted[#wanted + 1] = turn end
  end
end
for _, turn in ipairs(wanted) do turns[#turns + 1] = redis.call('HGETALL', key('turn', turn)) end
local cursor = redis.call('HGET', key('cursors', group), 'moderator') or '0'
local _, count = unread(group, 'moderator', group_head(group))
local last = redis.call('XREVRANGE', key('events'), '+', '-', 'COUNT', 1)[1]
return {'ok', 'table', t, 'seats', seats, 'turns', turns, 'host', redis.call('HGETALL', key('host')), 'clock_ms', clock_seen(),
  'head', group_head(group), 'cursor', tonumber(cursor), 'unread', count, 'last_event', last and last[1] or '0-0'}
