#!lua flags=
-- uses: base
-- Put parts of keys beside a space, to be switched in later. args: import's name, seconds to live, then per part: type, key
-- name, how many values, values… (a stream: the id of one entry, then its fields).
-- Guarantee: touches nothing that is in use; what is never switched in goes away by itself.
local import, seconds = ARGV[1], ARGV[2]
local WRITES = {hash = 'HSET', set = 'SADD', stream = 'XADD'}
local at = 3
while at <= #ARGV do
  local kind, name, count = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local part = import .. ':' .. name
  if not WRITES[kind] and kind ~= 'zset' then return fail('damaged_file', 'path', 'the import', 'reason', 'an odd type') end
  if kind == 'zset' then
    for i = at + 3, at + 2 + count, 2 do redis.call('ZADD', key('import', part), ARGV[i + 1], ARGV[i]) end
  else
    redis.call(WRITES[kind], key('import', part), unpack(ARGV, at + 3, at + 2 + count))
  end
  redis.call('EXPIRE', key('import', part), seconds)
  redis.call('SADD', key('import', import), name)
  at = at + 3 + count
end
redis.call('EXPIRE', key('import', import), seconds)
return {'ok'}
