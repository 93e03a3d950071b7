#!lua flags=
-- uses: base
-- Note in the default space that another space may have notices for an address. args: address, space, how (add | remove).
-- Guarantee: whoever waits for the address asks there too, from now on; safe to repeat.
local address, space, how = ARGV[1], ARGV[2], ARGV[3]
if how == 'add' then redis.call('SADD', key('spaces', address), space) else redis.call('SREM', key('spaces', address), space) end
wake()
return {'ok'}
