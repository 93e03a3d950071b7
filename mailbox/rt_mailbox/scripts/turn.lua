#!lua flags=allow-oom
-- uses: base group queue turn
-- Show a seat its current turn and lease its control mail. args: slug, token, holder.
-- Guarantee: the range of messages is fixed at the first call and the same on every later one; the lease belongs to the
-- seat until the turn's deadline; without an open turn: turn ''. Shows the same turn until it is closed.
local slug, holder = ARGV[1], ARGV[3]
local seat, bad = seat_of(slug, ARGV[2])
if bad then return bad end
local turn = current(slug)
if not turn then
  return {'ok', 'turn', '', 'seat_state', seat.state, 'table_state', redis.call('HGET', key('table'), 'state') or ''}
end
local now = clock()
local group = redis.call('HGET', key('table'), 'group')
local t = hash(key('turn', turn))
if not t.ranges then
  local _, _, ranges = unread(group, seat.person, tonumber(t.upto))
  t.ranges = ranges
  redis.call('HSET', key('turn', turn), 'ranges', ranges)
end
local deadline = tonumber(t.deadline)
if redis.call('HGET', key('mail', t.mail), 'state') ~= 'leased' then
  lease(t.mail, holder, now, deadline)
end
if t.leased ~= t.attempt then
  redis.call('HSET', key('turn', turn), 'leased', t.attempt, 'leased_at', int(now))
  -- leased_at is the latest attempt's; the first one's is kept as taken_at once there is a second
  if t.leased_at then redis.call('HSETNX', key('turn', turn), 'taken_at', t.leased_at) end
  event('leased', 'seat', slug, 'turn', turn, 'attempt', t.attempt, 'holder', holder)
end
redis.call('HSET', key('seat', slug), 'shown', turn, 'state', 'busy')
local mail = redis.call('HMGET', key('mail', t.mail), 'subject', 'body')
return {'ok', 'turn', turn, 'round', tonumber(t.round), 'attempt', tonumber(t.attempt), 'step', t.step,
  'upto', tonumber(t.upto), 'ranges', t.ranges, 'seconds_left', math.ceil((deadline - now) / 1000),
  'request', t.request, 'rebuild', t.rebuild or '', 'control_subject', mail[1], 'control', mail[2], 'group', group,
  'person', seat.person, 'role', seat.role or '', 'name', seat.name or slug, 'viewpoint', seat.viewpoint or '',
  'table', redis.call('HGET', key('table'), 'id'), 'topic', redis.call('HGET', key('table'), 'topic'),
  'view', redis.call('HGET', key('table'), 'view') or 'raw'}
