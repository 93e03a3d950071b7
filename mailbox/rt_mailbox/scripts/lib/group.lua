-- Groups: intervals, appends, unread. A group is a stream and one cursor per person.
local function intervals(text)
  local out = {}
  for a, b in string.gmatch(text, '(%d+)%-(%d*)') do
    out[#out + 1] = {tonumber(a), tonumber(b)}
  end
  return out
end

local function show_intervals(list)
  local out = {}
  for i, r in ipairs(list) do out[i] = int(r[1]) .. '-' .. (r[2] and int(r[2]) or '') end
  return table.concat(out, ',')
end

-- What a script has read of groups and memberships: once is enough. No script both changes a membership and appends.
local read_once = {}

-- State, false for a group that does not exist, and the number of members.
local function facts(group)
  local found = read_once[group]
  if not found then
    found = redis.call('HMGET', key('group', group), 'state', 'members')
    read_once[group] = found
  end
  return found[1], tonumber(found[2] or '0')
end

-- Visible and member intervals of a person as they are stored, false for somebody who never joined.
local function membership_text(group, person)
  local name = group .. ' ' .. person
  if read_once[name] == nil then read_once[name] = redis.call('HGET', key('members', group), person) end
  return read_once[name]
end

-- The same as tables, nil for somebody who never joined.
local function membership(group, person)
  local raw = membership_text(group, person)
  if not raw then return nil end
  local visible, member = string.match(raw, '^(.-)|(.*)$')
  return intervals(visible), intervals(member)
end

-- Whether the person is a member now: the last interval has no end.
local function is_member(group, person)
  local raw = membership_text(group, person)
  return raw and string.byte(raw, -1) == 45
end

-- One name for two: a group's address holds no white space, so that no other pair has the same.
local function own_of(group, person) return key('own', group .. ' ' .. person) end

local function set_membership(group, person, visible, member)
  redis.call('HSET', key('members', group), person, show_intervals(visible) .. '|' .. show_intervals(member))
end

-- nil when the person is a member now, else the error to return.
local function not_member(group, person)
  if is_member(group, person) then return nil end
  local code = membership_text(group, person) and 'not_a_member' or 'unknown_person'
  return fail(code, 'group', group, 'person', person)
end

-- nil when the group takes messages, else the error to return.
local function not_writable(group)
  local state = facts(group)
  if not state then return fail('unknown_group', 'group', group) end
  if state ~= 'open' then return fail('group_closed', 'group', group) end
  return nil
end

local function group_head(group) return tonumber(redis.call('HGET', key('group', group), 'head') or '0') end

-- Append one message; returns seq, time and eligible_count. The caller has checked group and sender.
-- A sender who had read everything has also read this one; otherwise it goes to the own seqs above the cursor.
local function append(group, from, kind, round, turn, subject, body)
  local seq = redis.call('HINCRBY', key('group', group), 'head', 1)
  local now = wall()
  local _, eligible = facts(group)
  if is_member(group, from) then
    eligible = eligible - 1
    local cursor = tonumber(redis.call('HGET', key('cursors', group), from) or '0')
    if cursor == seq - 1 then
      redis.call('HSET', key('cursors', group), from, seq)
    else
      redis.call('ZADD', own_of(group, from), seq, seq)
    end
  end
  redis.call('XADD', key('log', group), seq .. '-0', 'from', from, 'kind', kind, 'round', round, 'turn', turn,
    'subject', subject, 'body', body, 'at', int(now), 'eligible', eligible)
  return seq, now, eligible
end

-- Unread of a person in (cursor, upto]: cursor, count, the visible ranges as text, the last seq they hold.
local function unread(group, person, upto)
  local visible = membership(group, person) or {}
  local cursor = tonumber(redis.call('HGET', key('cursors', group), person) or '0')
  local count, ranges = 0, {}
  for _, r in ipairs(visible) do
    local from, to = math.max(r[1], cursor + 1), math.min(r[2] or upto, upto)
    if from <= to then
      count = count + to - from + 1
      ranges[#ranges + 1] = {from, to}
    end
  end
  count = count - redis.call('ZCOUNT', own_of(group, person), '(' .. int(cursor), int(upto))
  return cursor, count, show_intervals(ranges)
end

-- Move a cursor forward, never back.
local function advance(group, person, to)
  local cursor = tonumber(redis.call('HGET', key('cursors', group), person) or '0')
  if to > cursor then
    redis.call('HSET', key('cursors', group), person, int(to))
    redis.call('ZREMRANGEBYSCORE', own_of(group, person), '-inf', int(to))
  end
end

-- After a failover or a restore a cursor can stand above the head: clamp it; receipts from before are void. Returns the
-- lost range until the person commits, else ''.
local function clamp(group, person)
  local head = group_head(group)
  local cursor = tonumber(redis.call('HGET', key('cursors', group), person) or '0')
  if cursor <= head then return redis.call('HGET', key('lost', group), person) or '' end
  redis.call('HSET', key('cursors', group), person, int(head))
  redis.call('HSET', key('lost', group), person, int(head + 1) .. '-' .. int(cursor))
  redis.call('HINCRBY', key('space'), 'epoch', 1)
  redis.call('ZREMRANGEBYSCORE', own_of(group, person), '(' .. int(head), '+inf')
  return int(head + 1) .. '-' .. int(cursor)
end

-- The seq that an idempotency key stands for: seq, conflict.
local function remembered(group, from, name, body)
  local raw = redis.call('HGET', key('idem', group), from .. '\n' .. name)
  if not raw then return nil end
  local seq, sha = string.match(raw, '^(%d+) (%x+)$')
  return tonumber(seq), sha ~= redis.sha1hex(body)
end

-- Keys live 7 days and the last 10,000 of a group; each new one drops a few that are older.
local function remember(group, from, name, seq, body, now)
  local field = from .. '\n' .. name
  redis.call('HSET', key('idem', group), field, int(seq) .. ' ' .. redis.sha1hex(body))
  redis.call('ZADD', key('idem_age', group), int(now), field)
  local old = redis.call('ZRANGEBYSCORE', key('idem_age', group), '-inf', int(now - 604800000), 'LIMIT', 0, 100)
  local spare = redis.call('ZCARD', key('idem_age', group)) - #old - 10000
  if spare > 0 then
    for _, f in ipairs(redis.call('ZRANGE', key('idem_age', group), #old, #old + math.min(spare, 100) - 1)) do
      old[#old + 1] = f
    end
  end
  for _, f in ipairs(old) do
    redis.call('HDEL', key('idem', group), f)
    redis.call('ZREM', key('idem_age', group), f)
  end
end
