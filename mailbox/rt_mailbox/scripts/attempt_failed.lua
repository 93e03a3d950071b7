#!lua flags=allow-oom
-- uses: base queue turn
-- One attempt of a turn has failed: a strike for its seat. args: slug, token, turn, attempt, reason, detail, host epoch.
-- Guarantee: counted once per attempt; ignored (counted 0) when the turn is closed or the attempt is not the latest. The
-- turn stays open: the ladder decides what follows.
local slug, turn, attempt = ARGV[1], ARGV[3], ARGV[4]
local bad = stale(ARGV[7])
local seat, wrong = seat_of(slug, ARGV[2])
if bad or wrong then return bad or wrong end
local t = hash(key('turn', turn))
if not t or t.seat ~= slug then return fail('unknown_turn', 'turn', turn) end
if t.state ~= 'open' or t.attempt ~= attempt or t.failed_attempt == attempt then
  return {'ok', 'counted', 0, 'failures', tonumber(seat.failures)}
end
redis.call('HSET', key('turn', turn), 'failed_attempt', attempt)
local failures = redis.call('HINCRBY', key('seat', slug), 'failures', 1)
redis.call('HSET', key('seat', slug), 'reason', ARGV[5])
event('failed', 'seat', slug, 'turn', turn, 'attempt', attempt, 'reason', ARGV[5], 'detail', ARGV[6], 'strike', int(failures))
return {'ok', 'counted', 1, 'failures', failures}
