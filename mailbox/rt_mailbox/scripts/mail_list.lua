#!lua flags=no-writes,allow-oom
-- uses: base
-- A page of mail in one state. args: state (queued | leased | acked | dead), how many, time and id of the last one known or
-- '0' and '', then addresses… (none: every address of the space).
-- Guarantee: changes nothing and gives out no token or body; by the time it is (or was) due or settled, then by id. A lease
-- that ran out counts as queued. next: time and id to go on after, or {} at the end.
local state, most, from, known = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local now = clock_seen()
local kind = (state == 'acked' or state == 'dead') and state or 'queue'
local addresses = {}
for i = 5, #ARGV do addresses[#addresses + 1] = ARGV[i] end
if #addresses == 0 then addresses = redis.call('SMEMBERS', key('addresses')) end
local found = {}

local function matches(m)
  if kind ~= 'queue' then return true end
  local open = m.state == 'leased' and tonumber(m['until']) > now
  return open == (state == 'leased')
end

local fields = {'address', 'state', 'from', 'subject', 'kind', 'deliveries', 'failures', 'sent_at', 'until', 'reason',
  'forwarded_from', 'holder'}
for _, address in ipairs(addresses) do
  local passed, taken, page = 0, 0, nil
  repeat
    page = redis.call('ZRANGEBYSCORE', key(kind, address), from, '+inf', 'WITHSCORES', 'LIMIT', passed, 100)
    for i = 1, #page, 2 do
      local id, at = page[i], page[i + 1]
      if taken <= most and (tonumber(at) > tonumber(from) or id > known) then
        local values, m, flat = redis.call('HMGET', key('mail', id), unpack(fields)), {}, {'id', id, 'at', tonumber(at)}
        for n, name in ipairs(fields) do
          m[name] = values[n]
          if values[n] then flat[#flat + 1], flat[#flat + 2] = name, values[n] end
        end
        if matches(m) then
          taken = taken + 1
          found[#found + 1] = {at = tonumber(at), id = id, flat = flat}
        end
      end
    end
    passed = passed + 100
  until taken > most or #page < 200
end
table.sort(found, function(a, b) return a.at < b.at or (a.at == b.at and a.id < b.id) end)
local out = {}
for i = 1, math.min(most, #found) do out[i] = found[i].flat end
local last = #found > most and found[most]
return {'ok', 'messages', out, 'next', last and {int(last.at), last.id} or {}, 'clock_ms', now}
