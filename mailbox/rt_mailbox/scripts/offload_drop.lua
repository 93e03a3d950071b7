#!lua flags=allow-oom
-- uses: base keep
-- Take a table out of the bus, whose file is written. args: print of the moment that was written, file, its sha256, machine,
-- head of the record.
-- Guarantee: one step, and only when nothing has changed since that moment (else dropped 0, nothing done). A tombstone stays,
-- which names the file, and the space's epoch.
local held, streams, print = moment()
if print ~= ARGV[1] then return {'ok', 'dropped', 0} end
local t = hash(key('table'))
local function drop(name)
  if name ~= 'space' and name ~= 'directory' then redis.call('UNLINK', key(name)) end
end
for _, one in ipairs(held) do drop(one[2]) end
for _, one in ipairs(streams) do drop(one[1]) end
redis.call('UNLINK', key('wake'))
redis.call('HSET', key('table'), 'id', t.id, 'topic', t.topic or '', 'format', t.format or 'open', 'mode', t.mode or '',
  'group', t.group, 'round', t.round or '1', 'created_at', t.created_at or '0', 'state', 'archived', 'head', ARGV[5],
  'offloaded', ARGV[2], 'offload_sha', ARGV[3], 'offload_machine', ARGV[4])
return {'ok', 'dropped', 1}
