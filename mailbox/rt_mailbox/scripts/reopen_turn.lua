#!lua flags=
-- uses: base group queue turn
-- Open a failed turn again with its next attempt. args: turn, host epoch or '', why, control mail subject, control mail body.
-- Guarantee: the one way back from a closed turn, and only from failed (reopened 1); any other is left as it is (0). Its
-- deadline is fresh; the context comes from the record. A dropped seat is not asked again.
local turn = ARGV[1]
local bad = stale(ARGV[2])
if bad then return bad end
local t = hash(key('turn', turn))
if not t then return fail('unknown_turn', 'turn', turn) end
local seat = redis.call('HMGET', key('seat', t.seat), 'state', 'address', 'person')
if t.state ~= 'failed' or seat[1] == 'dropped' then return {'ok', 'reopened', 0, 'state', t.state} end
bad = not_writable(redis.call('HGET', key('table'), 'group'))
if bad then return bad end
local now = clock()
local mail = put(seat[2], 'moderator', ARGV[4], ARGV[5], 'control', now)
redis.call('HSET', key('mail', mail), 'owner', seat[3], 'turn', turn)
local n = redis.call('HINCRBY', key('turn', turn), 'attempt', 1)
redis.call('HDEL', key('turn', turn), 'closed_at', 'reason', 'started_at', 'deadline', 'idle_ms')
redis.call('HSET', key('turn', turn), 'state', 'open', 'mail', mail, 'rebuild', '1')
redis.call('ZADD', key('pending', t.seat), redis.call('ZSCORE', key('turns'), turn) or 0, turn)
start_current(t.seat, now)
event('retried', 'seat', t.seat, 'turn', turn, 'attempt', int(n), 'reason', ARGV[3])
return {'ok', 'reopened', 1, 'attempt', n, 'state', 'open'}
