#!lua flags=allow-oom
-- uses: base keep
-- Make what was staged the content of the space. args: import's name, table or '', over (nothing | tombstone | all), sha256 of
-- the file, epoch, clock, host's epoch or '', host's last seen, bump (1|0), how many keys, then per stream: name, length.
-- Guarantee: all of it or nothing, in one step. Over nothing: the space must be empty (else table_exists); over a tombstone:
-- the one that names this file (else switched 0); over all: what is there goes. Epochs, the clock and counters never go back;
-- with bump the epoch rises and the table has an event that says why, as bump_epoch does.
local import, over, sha = ARGV[1], ARGV[3], ARGV[4]
local STAYS = {space = true, directory = true, host = true}
local was_host = redis.call('HGET', key('host'), 'epoch')

local function drop_staged(names)
  for _, name in ipairs(names) do redis.call('UNLINK', key('import', import .. ':' .. name)) end
  redis.call('UNLINK', key('import', import))
end

local function whole(names)
  if #names ~= tonumber(ARGV[10]) then return false end
  for _, name in ipairs(names) do
    if redis.call('EXISTS', key('import', import .. ':' .. name)) == 0 then return false end
  end
  for i = 11, #ARGV, 2 do
    if redis.call('XLEN', key('import', import .. ':' .. ARGV[i])) ~= tonumber(ARGV[i + 1]) then return false end
  end
  return true
end

-- The larger of two values when both are numbers, else the new one; the schema is the file's.
local function later(field, value)
  local old = redis.call('HGET', key('space'), field)
  local a, b = tonumber(old or ''), tonumber(value)
  redis.call('HSET', key('space'), field, field ~= 'schema' and a and b and a > b and old or value)
end

local staged = redis.call('SMEMBERS', key('import', import))
if not whole(staged) then
  drop_staged(staged)
  return fail('damaged_file', 'path', 'the import', 'reason', 'parts of it were gone before it was complete')
end
local there = {}
for _, name in ipairs((every_name())) do
  if not STAYS[name] then there[#there + 1] = name end
end
if over == 'nothing' and #there > 0 then
  drop_staged(staged)
  return fail('table_exists', 'table', ARGV[2])
end
if over == 'tombstone' and redis.call('HGET', key('table'), 'offload_sha') ~= sha then
  drop_staged(staged)
  return {'ok', 'switched', 0}
end
for _, name in ipairs(there) do redis.call('UNLINK', key(name)) end
for _, name in ipairs(staged) do
  if name == 'space' then
    local flat = redis.call('HGETALL', key('import', import .. ':' .. name))
    for i = 1, #flat, 2 do later(flat[i], flat[i + 1]) end
    redis.call('UNLINK', key('import', import .. ':' .. name))
  else
    redis.call('PERSIST', key('import', import .. ':' .. name))
    redis.call('RENAME', key('import', import .. ':' .. name), key(name))
  end
end
redis.call('UNLINK', key('import', import))
later('epoch', ARGV[5])
later('clock', ARGV[6])
redis.call('HSET', key('space'), 'from_file', sha)
if ARGV[7] ~= '' or was_host then -- a host from before must not go on as if nothing had happened
  local epoch = math.max(tonumber(ARGV[7]) or 0, was_host and tonumber(was_host) + 1 or 0)
  redis.call('HSET', key('host'), 'holder', '', 'epoch', int(epoch), 'until', '0', 'pid', '', 'seen', ARGV[8])
end
if ARGV[9] == '1' then
  redis.call('HINCRBY', key('space'), 'epoch', 1)
  if redis.call('EXISTS', key('table')) == 1 then event('epoch', 'reason', 'restored') end
end
wake()
return {'ok', 'switched', 1}
