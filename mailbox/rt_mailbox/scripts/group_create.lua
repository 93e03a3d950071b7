#!lua flags=
-- uses: base
-- Create a group. args: group. Guarantee: created once; a second create is group_exists and changes nothing.
local group = ARGV[1]
if redis.call('EXISTS', key('group', group)) == 1 then return fail('group_exists', 'group', group) end
redis.call('HSET', key('group', group), 'created_at', int(wall()), 'state', 'open', 'head', 0, 'members', 0)
redis.call('HSETNX', key('space'), 'schema', '1')
redis.call('HSETNX', key('space'), 'epoch', '1')
redis.call('SADD', key('groups'), group)
return {'ok'}
