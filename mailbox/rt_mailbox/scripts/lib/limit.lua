-- How far a seat may read now: the upto of its current turn, or nil when it has none.
local function seat_limit(slug)
  if slug == '' then return nil end
  local turn = redis.call('ZRANGE', key('pending', slug), 0, 0)[1]
  return turn and tonumber(redis.call('HGET', key('turn', turn), 'upto'))
end
