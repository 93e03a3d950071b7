#!lua flags=allow-oom
-- uses: base group queue requeue notice notice_lease
-- End a lease. args: id, lease token, how (ack | release | fail | defer), two times in ms, reason, how many acked are kept.
-- The times: of fail the back-off after the 1st and the 2nd failure; of defer the pause, or 0 and the date.
-- Guarantee: only the holder of the token can; a token whose lease ran out still works until somebody else leases.
-- fail counts, waits its back-off, and after the third failure makes a dead letter; release and defer count nothing. A
-- notice is never counted: acked or put back it comes again with a newer message or at its time (60 s after an ack) while
-- anything is unread.
local id, token, how = ARGV[1], ARGV[2], ARGV[3]
local now = clock()

local function due_after(failures)
  if how == 'release' then return now end
  if how == 'fail' then return now + tonumber(ARGV[math.min(failures, 2) + 3]) end
  return ARGV[4] ~= '0' and now + tonumber(ARGV[4]) or tonumber(ARGV[5])
end

if is_notice(id) then
  local n, bad = leased_notice(id, token)
  if bad then return bad end
  if not unread_span(n.group, n.person) then
    drop_lease(n.address, n.group, token)
    redis.call('DEL', notice_key(n.address, n.group))
  elseif how == 'release' then
    put_notice_back(n, token, 0, now)
  else
    put_notice_back(n, token, n.fields.last, how == 'ack' and now + 60000 or due_after(1))
  end
  return {'ok', 'state', how == 'ack' and 'acked' or 'queued'}
end

local m, bad = leased(id, token)
if bad then return bad end
if how == 'ack' then
  settle(id, 'acked', now)
  -- Settled mail is kept for a while, so that one can look; of what is too much a few go at a time.
  local spare = redis.call('ZCARD', key('acked', m.address)) - tonumber(ARGV[7])
  if spare > 0 and m.kind ~= 'control' then
    for _, old in ipairs(redis.call('ZRANGE', key('acked', m.address), 0, math.min(spare, 10) - 1)) do
      if redis.call('HGET', key('mail', old), 'kind') ~= 'control' then redis.call('DEL', key('mail', old)) end
      redis.call('ZREM', key('acked', m.address), old)
    end
  end
  return {'ok', 'state', 'acked'}
end
local failures = 0
if how == 'fail' then
  failures = redis.call('HINCRBY', key('mail', id), 'failures', 1)
  redis.call('HSET', key('mail', id), 'reason', ARGV[6])
  if failures >= 3 and m.kind ~= 'control' then
    settle(id, 'dead', now)
    return {'ok', 'state', 'dead'}
  end
end
requeue(id, m.address, due_after(failures))
return {'ok', 'state', 'queued'}
