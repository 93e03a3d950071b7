#!lua flags=
-- uses: base group
-- Append a synthesis and raise the round. args: group, from, subject, body, final (1|0), idempotency key or ''.
-- Guarantee: one step; the same key raises the round once.
local group, from, name = ARGV[1], ARGV[2], ARGV[6]
if name ~= '' then
  local seq, conflict = remembered(group, from, name, ARGV[4])
  if conflict then return fail('idempotency_conflict', 'key', name, 'seq', seq) end
  if seq then return {'ok', 'seq', seq, 'round', tonumber(redis.call('HGET', key('table'), 'round')), 'duplicate', 1} end
end
local bad = not_writable(group) or not_member(group, from)
if bad then return bad end
local round = redis.call('HGET', key('table'), 'round')
local seq, at = append(group, from, 'synthesis', round, '', ARGV[3], ARGV[4])
if name ~= '' then remember(group, from, name, seq, ARGV[4], at) end
redis.call('HSET', key('table'), 'synthesis', int(seq))
if ARGV[5] ~= '1' then round = redis.call('HINCRBY', key('table'), 'round', 1) end
event('synthesis', 'seq', int(seq))
return {'ok', 'seq', seq, 'round', tonumber(round), 'duplicate', 0}
