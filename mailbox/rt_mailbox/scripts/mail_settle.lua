#!lua flags=allow-oom
-- uses: base queue
-- End a lease. args: id, lease token, how (ack | release | fail), back-off ms for the 1st and 2nd failure, reason.
-- Guarantee: only the holder of the token can; a token whose lease ran out still works until somebody else leases.
-- fail counts, waits its back-off, and after the third failure makes a dead letter.
local id, token, how = ARGV[1], ARGV[2], ARGV[3]
local m = hash(key('mail', id))
if not m then return fail('unknown_message', 'message_id', id, 'head', '0') end
if m.state ~= 'leased' or m.lease ~= token then return fail('lease_lost', 'message_id', id, 'state', m.state) end
local now = clock()
if how == 'ack' then
  settle(id, 'acked', now)
  return {'ok', 'state', 'acked'}
end
local due = now
if how == 'fail' then
  local n = redis.call('HINCRBY', key('mail', id), 'failures', 1)
  redis.call('HSET', key('mail', id), 'reason', ARGV[6])
  if n >= 3 and m.kind ~= 'control' then
    settle(id, 'dead', now)
    return {'ok', 'state', 'dead'}
  end
  due = now + tonumber(ARGV[math.min(n, 2) + 3])
end
redis.call('HSET', key('mail', id), 'state', 'queued')
redis.call('HDEL', key('mail', id), 'lease', 'holder', 'until')
redis.call('ZADD', key('queue', m.address), int(due), id)
wake()
return {'ok', 'state', 'queued'}
