#!lua flags=allow-oom
-- uses: base group queue turn
-- Take a seat off the table. args: slug, reason, system message, host epoch.
-- Guarantee: its open turns are closed as dropped in the same step; a dropped seat stays dropped (dropped 0 on a repeat).
local slug = ARGV[1]
local bad = stale(ARGV[4])
local seat, wrong = seat_of(slug, '')
if bad or wrong then return bad or wrong end
if seat.state == 'dropped' then return {'ok', 'dropped', 0} end
local now = clock()
local group = redis.call('HGET', key('table'), 'group')
local writable = redis.call('HGET', key('group', group), 'state') == 'open'
for _, turn in ipairs(redis.call('ZRANGE', key('pending', slug), 0, -1)) do
  local t = hash(key('turn', turn))
  if writable then append(group, 'system', 'system', t.round, turn, '', ARGV[3]) end
  redis.call('HSET', key('turn', turn), 'state', 'dropped', 'closed_at', int(now), 'reason', ARGV[2])
  redis.call('ZREM', key('pending', slug), turn)
  settle(t.mail, 'acked', now)
end
redis.call('HSET', key('seat', slug), 'state', 'dropped', 'reason', ARGV[2])
event('dropped', 'seat', slug, 'reason', ARGV[2])
return {'ok', 'dropped', 1}
