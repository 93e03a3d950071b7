#!lua flags=allow-oom
-- uses: base group requeue notice notice_lease
-- Hold a lease longer. args: id, lease token, ms from now, the longest that a lease may be held in ms.
-- Guarantee: the lease ends later, never sooner, and never later than the longest since it was taken: from then on
-- hold_exceeded, and it ends at once, as if it had run out.
local id, token, ms, longest = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local now = clock()
local notice, m, bad
if is_notice(id) then notice, bad = leased_notice(id, token) else m, bad = leased(id, token) end
if bad then return bad end
local held = notice and notice.fields or m
local last = m and m.kind == 'control' and math.huge or tonumber(held.leased_at or int(now)) + longest

local function lasts(to)
  if notice then
    redis.call('HSET', notice_key(notice.address, notice.group), 'until', int(to))
    return
  end
  redis.call('HSET', key('mail', id), 'until', int(to))
  redis.call('ZADD', key('queue', m.address), int(to), id)
end

if now >= last then
  lasts(now)
  wake()
  return fail('hold_exceeded', 'message_id', id, 'seconds', int(longest / 1000))
end
local to = math.max(tonumber(held['until']), math.min(now + ms, last))
lasts(to)
return {'ok', 'state', 'leased', 'seconds_left', math.floor((to - now) / 1000)}
