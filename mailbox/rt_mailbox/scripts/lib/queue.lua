-- Personal mail: a queue of leases. A leased message stays in the queue, due again when its lease ends.
local function put(address, from, subject, body, kind, now)
  -- Padded, because mail of the same millisecond is given out in the order of its ids.
  local id = string.format('d%08.0f', redis.call('HINCRBY', key('space'), 'mails', 1))
  redis.call('HSET', key('mail', id), 'address', address, 'from', from, 'subject', subject, 'body', body, 'kind', kind,
    'state', 'queued', 'deliveries', 0, 'failures', 0, 'sent_at', int(wall()))
  redis.call('ZADD', key('queue', address), int(now), id)
  redis.call('SADD', key('addresses'), address)
  wake()
  return id
end

local function lease(id, holder, now, until_ms)
  local n = redis.call('HINCRBY', key('mail', id), 'deliveries', 1)
  local token = string.sub(redis.sha1hex(id .. ' ' .. n .. ' ' .. int(now)), 1, 16)
  redis.call('HSET', key('mail', id), 'state', 'leased', 'lease', token, 'holder', holder, 'until', int(until_ms),
    'leased_at', int(now))
  redis.call('ZADD', key('queue', redis.call('HGET', key('mail', id), 'address')), int(until_ms), id)
  return token
end

local function settle(id, state, now)
  local address = redis.call('HGET', key('mail', id), 'address')
  if not address then return end
  redis.call('ZREM', key('queue', address), id)
  redis.call('ZADD', key(state == 'dead' and 'dead' or 'acked', address), int(now), id)
  redis.call('HSET', key('mail', id), 'state', state, 'settled_at', int(wall()))
  redis.call('HDEL', key('mail', id), 'lease', 'holder', 'until', 'leased_at')
end
