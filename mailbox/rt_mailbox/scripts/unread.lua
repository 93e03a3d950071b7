#!lua flags=allow-oom
-- uses: base group turn_token limit
-- What a person has not read. args: group, person, seat or '', token, mark of the latest message that the caller knows or ''.
-- Guarantee: marks nothing read. A seat with an open turn sees nothing above that turn's upto. A cursor that stands for what
-- the record no longer holds (failover, restore) goes back and the lost range is told until the person commits. fits 0: the
-- record does not hold what the caller knows (see history).
local group, person = ARGV[1], ARGV[2]
if redis.call('EXISTS', key('group', group)) == 0 then return fail('unknown_group', 'group', group) end
if not membership_text(group, person) then return fail('unknown_person', 'group', group, 'person', person) end
local bad = bad_token(ARGV[3], ARGV[4])
if bad then return bad end
local lost = clamp(group, person)
local head = group_head(group)
local upto = math.min(head, seat_limit(ARGV[3]) or head)
local cursor, count, ranges = unread(group, person, upto)
return {'ok', 'cursor', cursor, 'head', head, 'upto', upto, 'unread', count, 'ranges', ranges, 'lost', lost,
  'fits', fits(group, ARGV[5] or '') and 1 or 0,
  'epoch', redis.call('HGET', key('space'), 'epoch') or '1', 'view', redis.call('HGET', key('table'), 'view') or 'raw'}
