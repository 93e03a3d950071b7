#!lua flags=allow-oom
-- uses: base group queue notice inbox
-- Lease what is due. args: max, lease ms, holder or '', the longest a lease may be held in ms, then addresses….
-- Guarantee: oldest first over all addresses; a leased message goes to nobody else until its lease ends, then it is delivered
-- again with deliveries + 1. A named holder gets its own open leases back first, with the same token. Control mail belongs to
-- its seat. After three deliveries that ended without an ack it is a dead letter. While a subscriber's person has unread
-- messages there is one notice, which is never counted and never dead. elsewhere: other spaces to ask for these addresses.
local most, ms, holder = tonumber(ARGV[1]), math.min(tonumber(ARGV[2]), tonumber(ARGV[4])), ARGV[3]
local addresses = addresses_from(5)
local now = clock()
local out = {}

local function give(id)
  local m = hash(key('mail', id))
  out[#out + 1] = {id, m.lease, tonumber(m.deliveries), m.from, m.subject, m.body, tonumber(m.sent_at), m.kind, m.address,
    m.forwarded_from or ''}
end

-- Until when a lease lasts: control mail stays with its seat until the turn's deadline.
local function lease_end(id)
  local turn = redis.call('HGET', key('mail', id), 'turn')
  local deadline = turn and redis.call('HGET', key('turn', turn), 'deadline')
  return math.max(now + ms, tonumber(deadline or '0'))
end

local function deliver(one)
  if one.notice then
    out[#out + 1] = notice_mail(one.notice, lease_notice(one.notice, holder, now, now + ms))
    return
  end
  if one.mail.kind ~= 'control' and one.mail.state == 'leased' then redis.call('HINCRBY', key('mail', one.id), 'failures', 1) end
  lease(one.id, holder, now, lease_end(one.id))
  give(one.id)
end

for _, one in ipairs((look(addresses, most, now, holder))) do
  if one.what == 'dead' then
    redis.call('HINCRBY', key('mail', one.id), 'failures', 1)
    settle(one.id, 'dead', now)
  elseif #out < most then
    if one.what == 'give' then deliver(one) elseif one.notice then out[#out + 1] = own_notice(one.notice) else give(one.id) end
  end
end
return {'ok', 'messages', out, 'elsewhere', elsewhere(addresses)}
