#!lua flags=allow-oom
-- uses: base queue turn
-- Start the next attempt of an open turn within the same deadline. args: turn, the attempt that failed, rung, host epoch,
-- rebuild (1: the context comes from the record).
-- Guarantee: one new attempt per failed one, however often it is called; the control mail is free for the seat at once.
local turn, attempt = ARGV[1], ARGV[2]
local bad = stale(ARGV[4])
if bad then return bad end
local t = hash(key('turn', turn))
if not t then return fail('unknown_turn', 'turn', turn) end
if t.state ~= 'open' or t.attempt ~= attempt then return {'ok', 'attempt', tonumber(t.attempt), 'started', 0} end
local n = redis.call('HINCRBY', key('turn', turn), 'attempt', 1)
redis.call('HSET', key('turn', turn), 'rebuild', ARGV[5])
redis.call('HSET', key('mail', t.mail), 'state', 'queued')
redis.call('HDEL', key('mail', t.mail), 'lease', 'holder', 'until')
redis.call('ZADD', key('queue', redis.call('HGET', key('mail', t.mail), 'address')), int(clock()), t.mail)
event('rung', 'seat', t.seat, 'turn', turn, 'attempt', int(n), 'rung', ARGV[3])
return {'ok', 'attempt', n, 'started', 1}
