-- Settling a notice: found by its token, because names may hold what separates the parts of its id.
local function is_notice(id) return string.sub(id, 1, 7) == 'notice/' end

-- Address, group, person and fields of the notice that is leased with that token, or nil and the error.
local function leased_notice(id, token)
  local address, group = string.match(redis.call('HGET', key('notices'), token) or '', '^([^ ]+) ([^ ]+)$')
  local person = address and redis.call('HGET', key('subs', address), group) or nil
  local prefix = person and 'notice/' .. group .. '/' .. person .. '/'
  if not prefix or string.sub(id, 1, #prefix) ~= prefix then
    return nil, fail('lease_lost', 'message_id', id, 'state', 'not leased')
  end
  return {address = address, group = group, person = person, fields = hash(notice_key(address, group))}, nil
end

-- It comes again with a newer message than it told of, or at that time.
local function put_notice_back(n, token, acked, due)
  drop_lease(n.address, n.group, token)
  redis.call('HSET', notice_key(n.address, n.group), 'acked', acked, 'due', int(due))
  wake()
end
