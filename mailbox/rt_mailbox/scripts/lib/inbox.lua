-- What recv would give: mail and notices of one address that are the holder's or due. recv and wait both ask here, so that
-- they agree.

-- Control mail belongs to the person it is for, whoever leased it for them; other mail to the holder that was named.
local function mine(m, holder) return holder ~= '' and holder == (m.kind == 'control' and m.owner or m.holder) end

local function mail_facts(id)
  local f = redis.call('HMGET', key('mail', id), 'kind', 'state', 'owner', 'holder', 'failures')
  return {id = id, kind = f[1], state = f[2], owner = f[3], holder = f[4], failures = tonumber(f[5] or '0')}
end

-- give: somebody may have it. dead: its third lease ran out. nil: it is somebody else's and stays where it is.
local function what_now(m, holder)
  if m.kind == 'control' then return mine(m, holder) and 'give' or nil end
  return m.state == 'leased' and m.failures >= 2 and 'dead' or 'give'
end

local function look_at_mail(address, most, now, holder, found)
  if holder ~= '' then
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('queue', address), '(' .. int(now), '+inf')) do
      local m = mail_facts(id)
      if m.state == 'leased' and mine(m, holder) then found[#found + 1] = {what = 'own', at = 0, id = id} end
    end
  end
  local passed, given, page = 0, 0, nil
  repeat
    page = redis.call('ZRANGEBYSCORE', key('queue', address), '-inf', int(now), 'WITHSCORES', 'LIMIT', passed, 100)
    for i = 1, #page, 2 do
      local m = given < most and mail_facts(page[i])
      local what = m and what_now(m, holder)
      if what then found[#found + 1] = {what = what, at = tonumber(page[i + 1]), id = page[i], mail = m} end
      if what == 'give' then given = given + 1 end
    end
    passed = passed + 100
  until given >= most or #page < 200
end

local function look_at_notices(address, now, holder, found)
  local subs = redis.call('HGETALL', key('subs', address))
  local soonest
  for i = 1, #subs, 2 do
    local n = notice_state(address, subs[i], subs[i + 1], now, holder)
    local later = n and (n.open_until or n.due_at)
    if later then
      soonest = math.min(soonest or later, later)
    elseif n then
      local first = n.due and entry_at(n.group, n.first)
      local at = n.due and math.max(n.due, tonumber(first and first.at or '0')) or 0
      found[#found + 1] = {what = n.own and 'own' or 'give', at = at, id = notice_id(n), notice = n}
    end
  end
  return soonest
end

-- Everything of these addresses, own leases first, then by the time it came due; and the next time at which more may be due.
local function look(addresses, most, now, holder)
  local found, soonest = {}, nil
  for _, address in ipairs(addresses) do
    look_at_mail(address, most, now, holder, found)
    local next_mail = redis.call('ZRANGEBYSCORE', key('queue', address), '(' .. int(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    local next_notice = look_at_notices(address, now, holder, found)
    soonest = math.min(soonest or math.huge, tonumber(next_mail or math.huge), next_notice or math.huge)
  end
  table.sort(found, function(a, b) return a.at < b.at or (a.at == b.at and a.id < b.id) end)
  return found, soonest < math.huge and soonest or nil
end

-- Other spaces that hold something for these addresses: [address, space, …]. A seat's inbox is in its table's space.
local function elsewhere(addresses)
  local out = {}
  for _, address in ipairs(addresses) do
    local home = string.match(address, '^agent%-deck/(.+)%-%-')
    if home and redis.call('HEXISTS', key('directory'), home) == 1 then
      out[#out + 1], out[#out + 2] = address, home
    end
    for _, space in ipairs(redis.call('SMEMBERS', key('spaces', address))) do
      if space ~= home then out[#out + 1], out[#out + 2] = address, space end
    end
  end
  return out
end

local function addresses_from(first)
  local out, seen = {}, {}
  for i = first, #ARGV do
    if not seen[ARGV[i]] then out[#out + 1] = ARGV[i] end
    seen[ARGV[i]] = true
  end
  return out
end
