#!lua flags=allow-oom
-- uses: base group queue turn
-- Close an open turn without an answer. args: turn, state (failed | cancelled | dropped), reason, system message or '', host
-- epoch, expected deadline ms or '' (a turn that was extended meanwhile is left open).
-- Guarantee: compare-and-set, closed once (closed 1) or left as it is (closed 0); the system message is part of the step. A
-- turn closed at its deadline is a strike of its seat in the same step, and its conversation is not resumed.
local turn, state = ARGV[1], ARGV[2]
local bad = stale(ARGV[5])
if bad then return bad end
local t = hash(key('turn', turn))
if not t then return fail('unknown_turn', 'turn', turn) end
if t.state ~= 'open' or (ARGV[6] ~= '' and t.deadline ~= ARGV[6]) then return {'ok', 'closed', 0, 'state', t.state} end
local now = clock()
local seq = 0
local group = redis.call('HGET', key('table'), 'group')
if ARGV[4] ~= '' and redis.call('HGET', key('group', group), 'state') == 'open' then
  seq = append(group, 'system', 'system', t.round, turn, '', ARGV[4])
end
close(turn, t, state, now, ARGV[3])
if ARGV[6] ~= '' then
  redis.call('HSET', key('seat', t.seat), 'native_ready', '0', 'reason', ARGV[3])
  if t.failed_attempt ~= t.attempt then
    redis.call('HSET', key('turn', turn), 'failed_attempt', t.attempt)
    local strike = redis.call('HINCRBY', key('seat', t.seat), 'failures', 1)
    event('failed', 'seat', t.seat, 'turn', turn, 'attempt', t.attempt, 'reason', ARGV[3], 'strike', int(strike))
  end
end
event(state, 'seat', t.seat, 'turn', turn, 'reason', ARGV[3])
return {'ok', 'closed', 1, 'state', state, 'seq', seq}
