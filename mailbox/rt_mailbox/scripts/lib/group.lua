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

-- State, false for a group that does not exist, the number of members and the number of subscribers.
local function facts(group)
  local found = read_once[group]
  if not found then
    found = redis.call('HMGET', key('group', group), 'state', 'members', 'subscribers')
    read_once[group] = found
  end
  return found[1], tonumber(found[2] or '0'), tonumber(found[3] or '0')
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

-- What a message is known by: its seq, its time, how long body and sender are. After a failover another message can have the
-- same seq; it has another mark.
local function mark_of(seq, at, body, from) return int(seq) .. ':' .. at .. ':' .. #body .. ':' .. #from end

local function entry_at(group, seq)
  local found = redis.call('XRANGE', key('log', group), int(seq) .. '-0', int(seq) .. '-0')[1]
  local out = {}
  for i = 1, found and #found[2] or 0, 2 do out[found[2][i]] = found[2][i + 1] end
  return found and out
end

-- The mark of what the record holds at that seq, '' when it holds nothing.
local function mark_at(group, seq)
  local e = entry_at(group, seq)
  return e and mark_of(seq, e.at, e.body, e.from) or ''
end

local function seq_of(mark) return tonumber(string.match(mark, '^(%d+):')) end

-- Whether the record holds what that mark stands for; '' stands for nothing.
local function fits(group, mark) return mark == '' or mark_at(group, seq_of(mark)) == mark end

-- A cursor is kept with the marks of what it was set at, the latest first: what a person has read is theirs in this record only.
local function set_marks(group, person, mark)
  local old = redis.call('HGET', key('marks', group), person) or ''
  local kept = string.match(old, '^%S+ %S+ %S+') or old
  redis.call('HSET', key('marks', group), person, mark .. (kept ~= '' and ' ' .. kept or ''))
end

-- Who speaks: a subscriber's notify address stands for that subscriber's person (S4.6).
local function speaker(group, from)
  local _, _, subscribers = facts(group)
  if subscribers == 0 or is_member(group, from) then return from end
  return redis.call('HGET', key('subscribers', group), from) or from
end

-- Append one message; returns seq, time and eligible_count. The caller has checked group and sender.
-- A sender who had read everything has also read this one; otherwise it goes to the own seqs above the cursor.
local function append(group, from, kind, round, turn, subject, body)
  local seq = redis.call('HINCRBY', key('group', group), 'head', 1)
  local now = wall()
  local _, eligible, subscribers = facts(group)
  if is_member(group, from) then
    eligible = eligible - 1
    local cursor = tonumber(redis.call('HGET', key('cursors', group), from) or '0')
    local known = string.match(redis.call('HGET', key('marks', group), from) or '', '^%S*')
    if cursor == seq - 1 and fits(group, known) then
      redis.call('HSET', key('cursors', group), from, seq)
      set_marks(group, from, mark_of(seq, int(now), body, from))
    else
      redis.call('ZADD', own_of(group, from), seq, seq)
    end
  end
  redis.call('XADD', key('log', group), seq .. '-0', 'from', from, 'kind', kind, 'round', round, 'turn', turn,
    'subject', subject, 'body', body, 'at', int(now), 'eligible', eligible)
  if subscribers > 0 then wake() end -- whoever waits for notices looks again; how many they are costs nothing here
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
    set_marks(group, person, mark_at(group, to))
  end
end

-- The range of seqs, as 3-5, widened by another.
local function widened(range, first, last)
  local a, b = string.match(range or '', '^(%d+)%-(%d+)$')
  return int(math.min(tonumber(a) or first, first)) .. '-' .. int(math.max(tonumber(b) or last, last))
end

-- Note that first to last are gone: these people are told until they commit, receipts from before are void, and a table is
-- degraded from then on.
local function lose(group, people, first, last)
  for _, person in ipairs(people) do
    local old = redis.call('HGET', key('lost', group), person)
    redis.call('HSET', key('lost', group), person, widened(old, first, last))
  end
  redis.call('HINCRBY', key('space'), 'epoch', 1)
  local told = redis.call('HGET', key('group', group), 'lost') or nil
  local all = widened(told, first, last)
  if all == told then return end
  redis.call('HSET', key('group', group), 'lost', all)
  if redis.call('HGET', key('table'), 'group') ~= group then return end
  event('history_lost', 'from', int(first), 'to', int(last))
  local list = cjson.decode(redis.call('HGET', key('table'), 'degraded') or '[]')
  list[#list + 1] = {seat = 'the record', why = 'lost m' .. int(first) .. '–m' .. int(last)
    .. ': the bus came back without them', action = 'read on from m' .. int(math.max(first - 1, 1)) .. ' and ask again what is missing'}
  redis.call('HSET', key('table'), 'degraded', cjson.encode(list))
end

-- The last seq up to which what a person has read is what the record holds: their cursor, unless a failover or a restore cut it.
local function common(group, person, cursor, head)
  local marks = redis.call('HGET', key('marks', group), person) or ''
  if cursor <= head and marks == '' then return cursor end
  if cursor > head then cursor = head end
  local newest = true
  for mark in string.gmatch(marks, '%S+') do
    local seq = seq_of(mark)
    if seq <= head and fits(group, mark) then return newest and cursor or math.min(seq, cursor) end
    if seq <= head then newest = false end
  end
  return newest and cursor or 0
end

-- After a failover or a restore a person can have read what the record no longer holds: their cursor goes back to what both
-- share, so that nothing new is skipped. Returns the lost range until the person commits, else ''.
local function clamp(group, person)
  local head = group_head(group)
  local cursor = tonumber(redis.call('HGET', key('cursors', group), person) or '0')
  local to = common(group, person, cursor, head)
  if to == cursor then return redis.call('HGET', key('lost', group), person) or '' end
  redis.call('HSET', key('cursors', group), person, int(to))
  redis.call('HSET', key('marks', group), person, to > 0 and mark_at(group, to) or '')
  redis.call('ZREMRANGEBYSCORE', own_of(group, person), '(' .. int(to), '+inf')
  for seq = to + 1, head do
    local e = entry_at(group, seq)
    if e and e.from == person then redis.call('ZADD', own_of(group, person), int(seq), int(seq)) end
  end
  lose(group, {person}, to + 1, cursor)
  return redis.call('HGET', key('lost', group), person)
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
