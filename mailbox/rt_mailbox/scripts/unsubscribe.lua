#!lua flags=allow-oom
-- uses: base unsubscribe
-- End a subscription. args: group, address. Guarantee: no notice from now on, a leased one is no longer leased. left: how many
-- groups of this space the address is still subscribed to.
local group, address = ARGV[1], ARGV[2]
if redis.call('EXISTS', key('group', group)) == 0 then return fail('unknown_group', 'group', group) end
if redis.call('HEXISTS', key('subscribers', group), address) == 0 then
  return fail('unknown_subscriber', 'group', group, 'address', address)
end
unsubscribe(group, address)
redis.call('HINCRBY', key('group', group), 'subscribers', -1)
return {'ok', 'left', redis.call('HLEN', key('subs', address))}
