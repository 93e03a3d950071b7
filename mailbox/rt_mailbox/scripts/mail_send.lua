#!lua flags=
-- uses: base queue
-- Put one message into a personal queue. args: address, from, subject, body, must_exist (1|0).
-- Guarantee: stored once, or nothing. new_address is 1 for the first message an address ever gets.
local address = ARGV[1]
local new = 1 - redis.call('SISMEMBER', key('addresses'), address)
if new == 1 and ARGV[5] == '1' then return fail('unknown_address', 'address', address) end
local id = put(address, ARGV[2], ARGV[3], ARGV[4], 'mail', clock())
return {'ok', 'id', id, 'new_address', new}
