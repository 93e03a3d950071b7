#!lua flags=allow-oom
-- uses: base group
-- Mark as read up to a seq. args: group, person, epoch, cursor the reader started from, seq, mark of the last message that was
-- shown or ''.
-- Guarantee: moves forward only, and a lost range is told no more; a reader from before a failover, or one who was shown
-- what the record does not hold, is refused (moved 0).
local group, person, from, to = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
if redis.call('EXISTS', key('group', group)) == 0 then return fail('unknown_group', 'group', group) end
if not membership_text(group, person) then return fail('unknown_person', 'group', group, 'person', person) end
local cursor = tonumber(redis.call('HGET', key('cursors', group), person) or '0')
local epoch = redis.call('HGET', key('space'), 'epoch') or '1'
if epoch ~= ARGV[3] or cursor < from or to > group_head(group) or not fits(group, ARGV[6] or '') then
  return {'ok', 'cursor', cursor, 'moved', 0}
end
advance(group, person, to)
redis.call('HDEL', key('lost', group), person)
return {'ok', 'cursor', math.max(cursor, to), 'moved', to > cursor and 1 or 0}
