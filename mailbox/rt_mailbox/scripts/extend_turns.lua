#!lua flags=allow-oom
-- uses: base group queue turn
-- Give open turns a new deadline. args: host epoch, seconds or '' (then each turn's own timeout, afresh), turns….
-- Guarantee: closed turns are left alone; a turn that is not current yet keeps waiting for its own start.
local bad = stale(ARGV[1])
if bad then return bad end
local now = clock()
local extended = {}
for i = 3, #ARGV do
  local t = hash(key('turn', ARGV[i]))
  if not t then return fail('unknown_turn', 'turn', ARGV[i]) end
  if t.state == 'open' then
    local ms = ARGV[2] == '' and tonumber(t.timeout_ms) or tonumber(ARGV[2]) * 1000
    if t.started_at then
      local from = ARGV[2] == '' and now or math.max(now, tonumber(t.deadline))
      redis.call('HSET', key('turn', ARGV[i]), 'deadline', int(from + ms))
      if redis.call('HGET', key('mail', t.mail), 'state') == 'leased' then
        redis.call('ZADD', key('queue', redis.call('HGET', key('mail', t.mail), 'address')), int(from + ms), t.mail)
      end
    else
      redis.call('HSET', key('turn', ARGV[i]), 'timeout_ms', int(tonumber(t.timeout_ms) + (ARGV[2] == '' and 0 or ms)))
    end
    event('extended', 'seat', t.seat, 'turn', ARGV[i], 'seconds', int(ms / 1000))
    extended[#extended + 1] = ARGV[i]
  end
end
return {'ok', 'extended', extended}
