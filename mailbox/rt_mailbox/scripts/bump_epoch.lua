#!lua flags=allow-oom
-- uses: base group
-- Say that the space was put back to an earlier state. args: reason, group or '', first and last seq that are gone or ''.
-- Guarantee: the epoch rises, so that no receipt from before moves a cursor. With seqs every person of the group is told that
-- they are lost, once until they commit, and a table is degraded; without, a table has an event that says why.
local group, first, last = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('HSETNX', key('space'), 'epoch', '1')
if first and last and first <= last then
  lose(group, redis.call('HKEYS', key('members', group)), first, last)
else
  redis.call('HINCRBY', key('space'), 'epoch', 1)
end
if redis.call('EXISTS', key('table')) == 1 then event('epoch', 'reason', ARGV[1]) end
wake()
return {'ok', 'epoch', redis.call('HGET', key('space'), 'epoch')}
