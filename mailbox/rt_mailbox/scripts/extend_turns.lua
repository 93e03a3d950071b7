#!lua flags=allow-oom
-- uses: base queue turn
-- Give open turns a new deadline. args: host epoch, seconds or '' (then each turn's own timeout,
-- afresh) or gap:<ms> (afresh too, after that long a time in which nobody was awake), turns….
-- Guarantee: all or nothing; closed turns are left alone; a turn that is not current yet keeps waiting for its own start.
local bad = stale(ARGV[1])
if bad then return bad end
for i = 3, #ARGV do
  if redis.call('EXISTS', key('turn', ARGV[i])) == 0 then return fail('unknown_turn', 'turn', ARGV[i]) end
end
local now = clock()
local gap = tonumber(string.match(ARGV[2], '^gap:(%d+)$'))
local afresh, added = ARGV[2] == '' or gap, not gap and tonumber(ARGV[2]) or 0
local extended = {}
for i = 3, #ARGV do
  local t = hash(key('turn', ARGV[i]))
  if t.state == 'open' then
    local timeout = tonumber(t.timeout_ms)
    if t.started_at then
      if gap then redis.call('HINCRBY', key('turn', ARGV[i]), 'idle_ms', int(math.min(gap, now - tonumber(t.started_at)))) end
      local deadline = afresh and now + timeout or math.max(now, tonumber(t.deadline)) + added * 1000
      redis.call('HSET', key('turn', ARGV[i]), 'deadline', int(deadline))
      local m = redis.call('HMGET', key('mail', t.mail), 'state', 'address')
      if m[1] == 'leased' then
        redis.call('HSET', key('mail', t.mail), 'until', int(deadline))
        redis.call('ZADD', key('queue', m[2]), int(deadline), t.mail)
      end
    else
      redis.call('HSET', key('turn', ARGV[i]), 'timeout_ms', int(timeout + added * 1000))
    end
    event('extended', 'seat', t.seat, 'turn', ARGV[i], 'seconds', int(afresh and timeout / 1000 or added))
    extended[#extended + 1] = ARGV[i]
  end
end
return {'ok', 'extended', extended}
