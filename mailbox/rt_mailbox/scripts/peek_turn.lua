#!lua flags=no-writes,allow-oom
-- uses: base
-- What a runner waits for. args: slug. Guarantee: changes nothing; says the current turn and attempt, if any.
local slug = ARGV[1]
local seat = redis.call('HMGET', key('seat', slug), 'state', 'generation')
local turn = redis.call('ZRANGE', key('pending', slug), 0, 0)[1]
local t = turn and redis.call('HMGET', key('turn', turn), 'attempt', 'deadline') or {'0', '0'}
return {'ok', 'turn', turn or '', 'attempt', tonumber(t[1]), 'deadline_ms', tonumber(t[2] or '0'), 'clock_ms', clock_seen(),
  'seat_state', seat[1] or '', 'generation', seat[2] or '', 'table_state', redis.call('HGET', key('table'), 'state') or ''}
