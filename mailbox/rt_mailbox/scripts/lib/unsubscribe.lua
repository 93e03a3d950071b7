-- Forget a subscription with its lease.
local function unsubscribe(group, address)
  local token = redis.call('HGET', key('notice', address .. ' ' .. group), 'lease')
  if token then redis.call('HDEL', key('notices'), token) end
  redis.call('DEL', key('notice', address .. ' ' .. group))
  redis.call('HDEL', key('subscribers', group), address)
  redis.call('HDEL', key('subs', address), group)
end
