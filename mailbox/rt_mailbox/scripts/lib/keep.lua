-- The whole of a space: which keys it has, what they hold, and one number for all of it. A kind that keys.py describes
-- and that is missing here would be lost by an export: a test holds them against each other. Left out are wake, a hint, what
-- an import has staged, and spaces, which follows from the subscriptions of other spaces.
local PER_GROUP = {'group', 'members', 'cursors', 'marks', 'lost', 'idem', 'idem_age', 'subscribers', 'log'}
local PER_ADDRESS = {'queue', 'dead', 'acked'}
local SINGLE = {'space', 'groups', 'addresses', 'table', 'seats', 'turns', 'host', 'journal', 'events', 'notices', 'directory'}

local function type_of(name) return redis.call('TYPE', key(name)).ok end

local function of_groups(add)
  for _, group in ipairs(redis.call('SMEMBERS', key('groups'))) do
    for _, kind in ipairs(PER_GROUP) do add(kind .. ':' .. group) end
    for _, person in ipairs(redis.call('HKEYS', key('members', group))) do add('own:' .. group .. ' ' .. person) end
    for _, address in ipairs(redis.call('HKEYS', key('subscribers', group))) do
      add('subs:' .. address)
      add('notice:' .. address .. ' ' .. group)
    end
  end
end

local function of_addresses(add)
  for _, address in ipairs(redis.call('SMEMBERS', key('addresses'))) do
    add('idem:' .. address)
    add('idem_age:' .. address)
    for _, kind in ipairs(PER_ADDRESS) do
      add(kind .. ':' .. address)
      for _, id in ipairs(redis.call('ZRANGE', key(kind, address), 0, -1)) do add('mail:' .. id) end
    end
  end
end

local function of_table(add)
  for _, slug in ipairs(redis.call('ZRANGE', key('seats'), 0, -1)) do
    add('seat:' .. slug)
    add('pending:' .. slug)
  end
  for _, turn in ipairs(redis.call('ZRANGE', key('turns'), 0, -1)) do add('turn:' .. turn) end
end

-- Every key there is without its root, sorted, and the type of each.
local function every_name()
  local names, types = {}, {}
  local function add(name)
    local found = type_of(name)
    if found ~= 'none' and not types[name] then
      names[#names + 1] = name
      types[name] = found
    end
  end
  for _, name in ipairs(SINGLE) do add(name) end
  of_groups(add)
  of_addresses(add)
  of_table(add)
  table.sort(names)
  return names, types
end

-- What a key other than a stream holds: field, value… in the order of the fields; members; member, score….
local function content(name, kind)
  if kind == 'zset' then return redis.call('ZRANGE', key(name), 0, -1, 'WITHSCORES') end
  if kind == 'set' then
    local members = redis.call('SMEMBERS', key(name))
    table.sort(members)
    return members
  end
  local flat, fields, values, sorted = redis.call('HGETALL', key(name)), {}, {}, {}
  for i = 1, #flat, 2 do
    fields[#fields + 1] = flat[i]
    values[flat[i]] = flat[i + 1]
  end
  table.sort(fields)
  for _, field in ipairs(fields) do
    sorted[#sorted + 1] = field
    sorted[#sorted + 1] = values[field]
  end
  return sorted
end

-- The last id of a stream, and how many entries it has.
local function extent(name)
  local last = redis.call('XREVRANGE', key(name), '+', '-', 'COUNT', 1)[1]
  return last and last[1] or '0-0', redis.call('XLEN', key(name))
end

-- What moves although nothing happened: the server's clock and the host's lock.
local MOVES = {space = true, host = true}

-- Everything but the entries of streams, and a fingerprint: equal when nothing has changed.
local function moment()
  local names, types = every_name()
  local held, streams, print = {}, {}, ''
  for _, name in ipairs(names) do
    local kind = types[name]
    if kind == 'stream' then
      local last, count = extent(name)
      streams[#streams + 1] = {name, last, count}
      print = redis.sha1hex(print .. name .. ' ' .. last .. ' ' .. int(count))
    else
      local values = content(name, kind)
      held[#held + 1] = {kind, name, values}
      if not MOVES[name] then
        local parts = {print, name}
        for _, value in ipairs(values) do parts[#parts + 1] = #value .. ' ' .. value end
        print = redis.sha1hex(table.concat(parts, '\n'))
      end
    end
  end
  return held, streams, print
end
