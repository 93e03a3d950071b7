#!lua flags=allow-oom
-- uses: base group
-- Hold what a client remembers of a group against the record. args: group, epoch of its memory or '', how many marks it wants,
-- whether these are all that it has (1|0), then its marks, oldest first.
-- Guarantee: changes nothing while the newest mark fits, nor with some marks only. Else what came after the last one that fits is lost: every person is
-- told until they commit, the epoch rises, a table is degraded, and that once, however many clients remember it. Returns the
-- lost range or '', and the marks of the newest messages after the last one that fits.
local group, epoch, wanted = ARGV[1], ARGV[2], tonumber(ARGV[3])
if redis.call('EXISTS', key('group', group)) == 0 then return fail('unknown_group', 'group', group) end
local head, last, shared, lost = group_head(group), 0, 0, ''
if #ARGV > 4 then
  local at = #ARGV
  last = seq_of(ARGV[at])
  while at > 4 and not fits(group, ARGV[at]) do at = at - 1 end
  shared = at > 4 and seq_of(ARGV[at]) or seq_of(ARGV[5]) - 1
end
if shared < last then
  lost = int(shared + 1) .. '-' .. int(last)
  local told = redis.call('HGET', key('group', group), 'lost') or ''
  if ARGV[4] == '1' and (epoch == (redis.call('HGET', key('space'), 'epoch') or '1') or widened(told, shared + 1, last) ~= told) then
    lose(group, redis.call('HKEYS', key('members', group)), shared + 1, last)
  end
end
local marks = {}
for seq = math.max(shared + 1, head - wanted + 1), head do marks[#marks + 1] = mark_at(group, seq) end
return {'ok', 'head', head, 'shared', shared, 'lost', lost, 'marks', marks, 'epoch', redis.call('HGET', key('space'), 'epoch') or '1'}
