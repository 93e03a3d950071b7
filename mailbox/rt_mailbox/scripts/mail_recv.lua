#!lua flags=allow-oom
-- uses: base queue
-- Lease due mail. args: address, max, lease ms, holder or ''.
-- Guarantee: oldest first; a leased message goes to nobody else until its lease ends, then it is delivered again with
-- deliveries + 1. A named holder gets its own open lease back, with the same token. Control mail belongs to its seat.
-- After three deliveries that ended without an ack it is a dead letter.
local address, max, ms, holder = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local now = clock()
local out = {}
local function give(id)
  local m = hash(key('mail', id))
  out[#out + 1] = {id, m.lease, tonumber(m.deliveries), m.from, m.subject, m.body, tonumber(m.sent_at), m.kind}
end
if holder ~= '' then
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('queue', address), '(' .. int(now), '+inf')) do
    local m = redis.call('HMGET', key('mail', id), 'state', 'holder')
    if #out < max and m[1] == 'leased' and m[2] == holder then give(id) end
  end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('queue', address), '-inf', int(now), 'LIMIT', 0, max - #out)) do
  local m = redis.call('HMGET', key('mail', id), 'kind', 'failures', 'state')
  if m[1] == 'control' then
    if holder == redis.call('HGET', key('mail', id), 'owner') then
      lease(id, holder, now, now + ms)
      give(id)
    end
  else
    local failures = tonumber(m[2])
    if m[3] == 'leased' then failures = redis.call('HINCRBY', key('mail', id), 'failures', 1) end
    if failures >= 3 then
      settle(id, 'dead', now)
    else
      lease(id, holder, now, now + ms)
      give(id)
    end
  end
end
return {'ok', 'messages', out}
