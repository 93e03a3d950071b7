-- Turns: open → answered | failed | cancelled | dropped, closed once.
local function current(slug)
  return redis.call('ZRANGE', key('pending', slug), 0, 0)[1]
end

-- A turn's deadline starts when it becomes its seat's current one.
local function start_current(slug, now)
  local turn = current(slug)
  if not turn then
    if redis.call('HGET', key('seat', slug), 'state') ~= 'dropped' then
      redis.call('HSET', key('seat', slug), 'state', 'idle')
    end
    return
  end
  local t = redis.call('HMGET', key('turn', turn), 'started_at', 'timeout_ms')
  if not t[1] then
    redis.call('HSET', key('turn', turn), 'started_at', int(now), 'deadline', int(now + tonumber(t[2])))
  end
end

local function close(turn, t, state, now, reason)
  redis.call('HSET', key('turn', turn), 'state', state, 'closed_at', int(now))
  if reason and reason ~= '' then redis.call('HSET', key('turn', turn), 'reason', reason) end
  redis.call('ZREM', key('pending', t.seat), turn)
  settle(t.mail, 'acked', now)
  start_current(t.seat, now)
end

-- The error for a host whose lock has passed to another, else nil. Commands of a person pass ''.
local function stale(epoch)
  if epoch == '' then return nil end
  local held = redis.call('HGET', key('host'), 'epoch') or '0'
  if held ~= epoch then return fail('stale_host', 'table', redis.call('HGET', key('table'), 'id') or '?', 'epoch', held) end
  return nil
end

-- The seat, or nil and the error: unknown slug, or a token that is not the seat's.
local function seat_of(slug, token)
  local seat = hash(key('seat', slug))
  if not seat then
    return nil, fail('unknown_seat', 'table', redis.call('HGET', key('table'), 'id') or '?', 'seat', slug,
      'known', table.concat(redis.call('ZRANGE', key('seats'), 0, -1), ', '))
  end
  if token ~= '' and redis.sha1hex(token) ~= seat.token_sha then
    return nil, fail('bad_token', 'seat', slug)
  end
  return seat, nil
end
