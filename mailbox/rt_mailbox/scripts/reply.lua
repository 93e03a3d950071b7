#!lua flags=
-- uses: base group queue turn
-- Answer a turn: append to the group, settle the control mail, close the turn, commit what the turn showed. args: slug,
-- token, turn or '' (the one last shown), subject, body, attempt or ''.
-- Guarantee: one atomic step. A turn has one answer: a second reply returns the first seq (duplicate 1), a reply after the
-- turn was closed otherwise is stored as kind late and never counts.
local slug, turn, body = ARGV[1], ARGV[3], ARGV[5]
local seat, bad = seat_of(slug, ARGV[2])
if bad then return bad end
local group = redis.call('HGET', key('table'), 'group')
if turn == '' then turn = seat.shown or '' end
if turn == '' then return fail('no_turn', 'seat', slug) end
local t = hash(key('turn', turn))
if not t or t.seat ~= slug then return fail('unknown_turn', 'turn', turn) end
local sha = redis.sha1hex(body)
if t.state == 'answered' or (t.late_seq and t.late_sha == sha) then
  local first, same = t.reply_seq, t.reply_sha == sha
  if t.state ~= 'answered' then first, same = t.late_seq, true end
  return {'ok', 'seq', tonumber(first), 'turn', turn, 'duplicate', 1, 'late', t.state == 'answered' and 0 or 1,
    'body_differs', same and 0 or 1}
end
bad = not_writable(group) or not_member(group, seat.person)
if bad then return bad end
local now = clock()
local kind = t.state == 'open' and 'reply' or 'late'
local seq, at, eligible = append(group, seat.person, kind, t.round, turn, ARGV[4], body)
if kind == 'late' then
  redis.call('HSET', key('turn', turn), 'late_seq', int(seq), 'late_sha', sha)
  event('late', 'seat', slug, 'turn', turn, 'seq', int(seq))
else
  redis.call('HSET', key('turn', turn), 'reply_seq', int(seq), 'reply_sha', sha,
    'answered_by', ARGV[6] ~= '' and ARGV[6] or t.attempt)
  if t.ranges then advance(group, seat.person, tonumber(t.upto)) end -- a turn that was never shown has shown nothing
  close(turn, t, 'answered', now)
  redis.call('HSET', key('seat', slug), 'failures', 0)
  redis.call('HDEL', key('seat', slug), 'reason')
  event('replied', 'seat', slug, 'turn', turn, 'seq', int(seq), 'attempt', ARGV[6] ~= '' and ARGV[6] or t.attempt,
    'ms', int(now - tonumber(t.started_at or t.opened_at)))
end
return {'ok', 'seq', seq, 'turn', turn, 'sent_at', at, 'eligible_count', eligible, 'duplicate', 0,
  'late', kind == 'late' and 1 or 0, 'body_differs', 0}
