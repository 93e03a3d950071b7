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

-- A person holds control mail whoever leased it for them; other mail belongs to the holder that was named.
local function own(m) return holder ~= '' and holder == (m.kind == 'control' and m.owner or m.holder) end

-- Until when a lease lasts: control mail stays with its seat until the turn's deadline.
local function lease_end(m)
  local deadline = m.turn and redis.call('HGET', key('turn', m.turn), 'deadline')
  return math.max(now + ms, tonumber(deadline or '0'))
end

-- False when it is somebody else's and stays where it is.
local function deliver(id, m)
  if m.kind == 'control' then
    if not own(m) then return false end
  elseif m.state == 'leased' and redis.call('HINCRBY', key('mail', id), 'failures', 1) >= 3 then
    settle(id, 'dead', now)
    return true
  end
  lease(id, holder, now, lease_end(m))
  give(id)
  return true
end

if holder ~= '' then
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('queue', address), '(' .. int(now), '+inf')) do
    local m = hash(key('mail', id))
    if #out < max and m.state == 'leased' and own(m) then give(id) end
  end
end
local passed, due = 0, nil
repeat
  due = redis.call('ZRANGEBYSCORE', key('queue', address), '-inf', int(now), 'LIMIT', passed, 100)
  for _, id in ipairs(due) do
    if #out < max and not deliver(id, hash(key('mail', id))) then passed = passed + 1 end
  end
until #out >= max or #due < 100
return {'ok', 'messages', out}
