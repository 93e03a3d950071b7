#!lua flags=
-- uses: base group queue turn
-- Put one step to seats: the intent message, all its turns and their control mail. args: group, from, subject, body,
-- step or '' (then m<seq>), idempotency key or '', timeout ms, host epoch or '', how far notes are in these requests ('' for no
-- change), the table's round from now on ('' for no change), then per seat: slug, request, control mail subject, body.
-- Guarantee: all or nothing; the same key opens nothing twice, nor does the same step for the same seat, for as long as
-- the table lives. Nothing new to open: duplicate 1, with the first seq. Every seat sees the record up to the intent
-- itself and no further while its turn is open.
local group, from, subject, body, step, name = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local bad = stale(ARGV[8])
if bad then return bad end
local turns, missing, first = {}, {}, nil
local function known(seq)
  return {'ok', 'seq', tonumber(seq), 'step', step ~= '' and step or 'm' .. int(seq), 'turns', turns, 'duplicate', 1}
end
if name ~= '' then
  local seq, conflict = remembered(group, from, name, body)
  if conflict then return fail('idempotency_conflict', 'key', name, 'seq', seq) end
  if seq then
    for i = 11, #ARGV, 4 do turns[#turns + 1] = (step ~= '' and step or 'm' .. int(seq)) .. '/' .. ARGV[i] end
    return known(seq)
  end
end
for i = 11, #ARGV, 4 do
  local _, wrong = seat_of(ARGV[i], '')
  if wrong then return wrong end
  local upto = step ~= '' and redis.call('HGET', key('turn', step .. '/' .. ARGV[i]), 'upto')
  if upto then
    first = first or upto
    turns[#turns + 1] = step .. '/' .. ARGV[i]
  else
    missing[#missing + 1] = i
  end
end
if first and #missing == 0 then return known(first) end
bad = not_writable(group) or not_member(group, from)
if bad then return bad end
local now = clock()
if ARGV[10] ~= '' then redis.call('HSET', key('table'), 'round', ARGV[10]) end
local round = redis.call('HGET', key('table'), 'round')
local seq, at = append(group, from, 'intent', round, step, subject, body)
if step == '' then step = 'm' .. int(seq) end
if name ~= '' then remember(group, from, name, seq, body, at) end
for _, i in ipairs(missing) do
  local slug = ARGV[i]
  local seat = redis.call('HMGET', key('seat', slug), 'person', 'address')
  local turn = step .. '/' .. slug
  local mail = put(seat[2], from, ARGV[i + 2], ARGV[i + 3], 'control', now)
  redis.call('HSET', key('mail', mail), 'owner', seat[1], 'turn', turn)
  redis.call('HSET', key('turn', turn), 'id', turn, 'step', step, 'seat', slug, 'person', seat[1], 'round', round,
    'state', 'open', 'attempt', 1, 'upto', seq, 'opened_at', int(now), 'timeout_ms', ARGV[7], 'request', ARGV[i + 1],
    'mail', mail, 'leased', 0)
  redis.call('ZADD', key('turns'), redis.call('HINCRBY', key('table'), 'opened', 1), turn)
  redis.call('ZADD', key('pending', slug), redis.call('HGET', key('table'), 'opened'), turn)
  start_current(slug, now)
  event('asked', 'seat', slug, 'turn', turn, 'intent', int(seq))
  turns[#turns + 1] = turn
end
if ARGV[9] ~= '' then redis.call('HSET', key('table'), 'noted', ARGV[9]) end
redis.call('HSET', key('table'), 'state', 'open', 'step', step)
return {'ok', 'seq', seq, 'step', step, 'sent_at', at, 'turns', turns, 'duplicate', 0}
