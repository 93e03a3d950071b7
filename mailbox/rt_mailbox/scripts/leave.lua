#!lua flags=
-- uses: base group
-- End a membership. args: group, person. Guarantee: stops new messages, keeps the old ones readable.
local group, person = ARGV[1], ARGV[2]
local bad = not_writable(group) or not_member(group, person)
if bad then return bad end
local visible, member = membership(group, person)
local head = group_head(group)
if visible[#visible][1] > head then table.remove(visible) else visible[#visible][2] = head end
if member[#member][1] > head then table.remove(member) else member[#member][2] = head end
set_membership(group, person, visible, member)
redis.call('HINCRBY', key('group', group), 'members', -1)
return {'ok'}
