#!lua flags=
-- uses: base group
-- Let a notify address know while a person has unread messages. args: group, address, person.
-- Guarantee: one person an address and group; the same again changes nothing (existed 1), for another person it is
-- already_subscriber. What is unread already is noticed at once.
local group, address, person = ARGV[1], ARGV[2], ARGV[3]
if not facts(group) then return fail('unknown_group', 'group', group) end
local bad = not_member(group, person)
if bad then return bad end
local known = redis.call('HGET', key('subscribers', group), address)
if known == person then return {'ok', 'existed', 1} end
if known then return fail('already_subscriber', 'group', group, 'address', address, 'person', known) end
redis.call('HSET', key('subscribers', group), address, person)
redis.call('HSET', key('subs', address), group, person)
redis.call('HINCRBY', key('group', group), 'subscribers', 1)
wake()
return {'ok', 'existed', 0}
