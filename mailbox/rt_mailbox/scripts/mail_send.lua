#!lua flags=
-- uses: base group queue
-- Put one message into a personal queue. args: address, from, subject, body, must_exist (1|0), idempotency key or '',
-- address that it was forwarded from or ''.
-- Guarantee: stored once, or nothing. new_address is 1 for the first message an address ever gets. The same key and body from
-- the same sender gives the first id again (duplicate 1); with another body it is idempotency_conflict.
local address, from, body, name = ARGV[1], ARGV[2], ARGV[4], ARGV[6]
if name ~= '' then
  local serial, conflict = remembered(address, from, name, body)
  if conflict then return fail('idempotency_conflict', 'key', name, 'seq', serial) end
  if serial then return {'ok', 'id', string.format('d%08.0f', serial), 'new_address', 0, 'duplicate', 1} end
end
local new = 1 - redis.call('SISMEMBER', key('addresses'), address)
if new == 1 and ARGV[5] == '1' then return fail('unknown_address', 'address', address) end
local id = put(address, from, ARGV[3], body, 'mail', clock())
if ARGV[7] ~= '' then redis.call('HSET', key('mail', id), 'forwarded_from', ARGV[7]) end
if name ~= '' then remember(address, from, name, tonumber(string.sub(id, 2)), body, wall()) end
return {'ok', 'id', id, 'new_address', new, 'duplicate', 0}
