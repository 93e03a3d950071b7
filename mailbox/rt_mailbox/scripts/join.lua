#!lua flags=
-- uses: base group
-- Make a person a member. args: group, person, history (all | none | last:N).
-- Guarantee: history decides what earlier messages are visible; rejoining with all closes the gap, with none leaves it
-- hidden for good. Eligible only from now on, whatever the history.
local group, person, history = ARGV[1], ARGV[2], ARGV[3]
local bad = not_writable(group)
if bad then return bad end
local last = tonumber(string.match(history, '^last:(%d+)$') or '0')
local visible, member = membership(group, person)
visible, member = visible or {}, member or {}
if is_member(group, person) then return fail('already_member', 'group', group, 'person', person) end
local head = group_head(group)
local from = history == 'all' and 1 or math.max(1, head + 1 - last) -- none is last:0
local kept = {}
for _, r in ipairs(visible) do
  if r[2] and r[2] < from then
    kept[#kept + 1] = r
  else
    from = math.min(from, r[1])
  end
end
kept[#kept + 1] = {from, nil}
member[#member + 1] = {head + 1, nil}
set_membership(group, person, kept, member)
redis.call('HSETNX', key('cursors', group), person, 0)
redis.call('HINCRBY', key('group', group), 'members', 1)
wake()
return {'ok', 'visible', show_intervals(kept)}
