-- Notices: while a subscriber's person has unread messages, the notify address has one notice. Nothing is stored at a send:
-- a notice is worked out when somebody asks, and only its lease and what was acknowledged are kept.
local function notice_key(address, group) return key('notice', address .. ' ' .. group) end

-- How many messages the person has not read, and the first and the last of them; nil when there are none.
local function unread_span(group, person)
  local _, count, ranges = unread(group, person, group_head(group))
  if count == 0 then return nil end
  local list = intervals(ranges)
  local first, last = list[1][1], list[#list][2]
  if redis.call('EXISTS', own_of(group, person)) == 0 then return count, first, last end
  -- Own messages may stand at either end: the smallest seq up to which so many are unread.
  local function least(from, to, wanted)
    while from < to do
      local middle = math.floor((from + to) / 2)
      local _, n = unread(group, person, middle)
      if n >= wanted then to = middle else from = middle + 1 end
    end
    return from
  end
  return count, least(first, last, 1), least(first, last, count)
end

-- One subscription as it stands: nil when nothing is unread; {open_until} while somebody has it; {due_at} when it waits for a
-- newer message or its time; {own, …} for the holder that has it; else {due, …}.
local function notice_state(address, group, person, now, holder)
  local count, first, last = unread_span(group, person)
  if not count then return nil end
  local n = redis.call('HMGET', notice_key(address, group), 'lease', 'holder', 'until', 'acked', 'due')
  local found = {address = address, group = group, person = person, count = count, first = first, last = last, lease = n[1]}
  local ends, due = tonumber(n[3] or '0'), tonumber(n[5] or '0')
  if n[1] and ends > now then
    if holder ~= '' and n[2] == holder then found.own = true else found.open_until = ends end
  elseif last > tonumber(n[4] or '0') or now >= due then
    found.due = math.max(ends, due > now and 0 or due) -- in the queue it stands where it came due
  else
    found.due_at = due
  end
  return found
end

local function notice_id(n) return 'notice/' .. n.group .. '/' .. n.person .. '/' .. int(n.last) end

-- Control characters as \xNN: a name must not start a line of its own.
local function escaped(text)
  return (string.gsub(text, '%c', function(c) return string.format('\\x%02x', string.byte(c)) end))
end

-- Who wrote what is unread, the latest first; of a long list what the last 64 messages or 256 KiB of it tell, then '…'.
local function senders(n)
  local seen, out, at, read, bytes = {[n.person] = true}, {}, n.last, 0, 0
  while at >= n.first do
    local page = redis.call('XREVRANGE', key('log', n.group), int(at) .. '-0', int(n.first) .. '-0', 'COUNT', 4)
    if #page == 0 then break end
    for _, entry in ipairs(page) do
      for i = 1, #entry[2], 2 do
        local value = entry[2][i + 1]
        if entry[2][i] == 'from' and not seen[value] then
          seen[value] = true
          out[#out + 1] = escaped(value)
        end
        bytes = bytes + #value
      end
      read, at = read + 1, tonumber(string.match(entry[1], '^%d+')) - 1
    end
    if at >= n.first and (read >= 64 or bytes > 262144) then
      out[#out + 1] = '…'
      break
    end
  end
  return table.concat(out, ', ')
end

-- A notice as recv gives it; made when it is given, so that it tells what is so now.
local function notice_mail(n, token)
  local body = table.concat({
    'Action: group_message_available', 'Group-Address: ' .. escaped(n.group), 'As-Person: ' .. escaped(n.person),
    'Unread: ' .. int(n.count), 'First-Seq: ' .. int(n.first), 'Last-Seq: ' .. int(n.last), 'Senders: ' .. senders(n)}, '\n')
  local at = entry_at(n.group, n.last)
  return {notice_id(n), token, 1, n.group, 'Group mailbox update: ' .. n.group, body, tonumber(at and at.at or '0'), 'notice',
    n.address, ''}
end

local function drop_lease(address, group, token)
  if token then redis.call('HDEL', key('notices'), token) end
  redis.call('HDEL', notice_key(address, group), 'lease', 'holder', 'until', 'leased_at')
end

local function lease_notice(n, holder, now, until_ms)
  local serial = redis.call('HINCRBY', key('space'), 'notices', 1)
  local token = string.sub(redis.sha1hex('notice ' .. int(serial) .. ' ' .. int(now)), 1, 16)
  drop_lease(n.address, n.group, n.lease)
  redis.call('HSET', notice_key(n.address, n.group), 'lease', token, 'holder', holder, 'until', int(until_ms),
    'leased_at', int(now), 'last', int(n.last))
  redis.call('HSET', key('notices'), token, n.address .. ' ' .. n.group)
  return token
end

-- The same lease, told with what is unread by now.
local function own_notice(n)
  redis.call('HSET', notice_key(n.address, n.group), 'last', int(n.last))
  return notice_mail(n, n.lease)
end
