-- Give a leased message back, due at that time.
local function requeue(id, address, due)
  redis.call('HSET', key('mail', id), 'state', 'queued')
  redis.call('HDEL', key('mail', id), 'lease', 'holder', 'until', 'leased_at')
  redis.call('ZADD', key('queue', address), int(due), id)
  wake()
end

-- The mail that is leased with that token, or nil and the error.
local function leased(id, token)
  local m = hash(key('mail', id))
  if not m then return nil, fail('unknown_mail', 'message_id', id) end
  if m.state ~= 'leased' or m.lease ~= token then
    return nil, fail('lease_lost', 'message_id', id, 'state', m.state)
  end
  return m, nil
end
