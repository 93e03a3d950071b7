-- Time, replies and small helpers that every script uses.
local function int(n) return string.format('%.0f', n) end

local function wall()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end

-- Milliseconds that never run backwards, though the server's clock may: leases, deadlines and locks use it.
local function clock()
  local now = wall()
  local seen = redis.call('HMGET', key('space'), 'clock', 'drift')
  local last, known = tonumber(seen[1] or '0'), tonumber(seen[2] or '0')
  local drift = known
  if now + drift < last then
    drift = last - now
  elseif now >= last then
    drift = 0 -- the clock was set right again
  end
  if drift ~= known then redis.call('HSET', key('space'), 'drift', int(drift)) end
  redis.call('HSET', key('space'), 'clock', int(now + drift))
  return now + drift
end

-- The same without a write, for scripts that only read.
local function clock_seen()
  local now, seen = wall(), redis.call('HMGET', key('space'), 'clock', 'drift')
  local last = tonumber(seen[1] or '0')
  return now >= last and now or math.max(now + tonumber(seen[2] or '0'), last)
end

-- The error of that code. What is unknown where a table was taken into a file is not unknown, it is archived.
local function fail(code, ...)
  if string.sub(code, 1, 8) == 'unknown_' then
    local t = redis.call('HMGET', key('table'), 'offloaded', 'id')
    if t[1] then return {'err', 'table_archived', 'table', t[2]} end
  end
  return {'err', code, ...}
end

-- {k1, v1, …} → table; a missing key gives nil.
local function hash(name)
  local flat = redis.call('HGETALL', name)
  if #flat == 0 then return nil end
  local out = {}
  for i = 1, #flat, 2 do out[flat[i]] = flat[i + 1] end
  return out
end

local function event(kind, ...)
  redis.call('XADD', key('events'), '*', 'type', kind, 'at', int(wall()), ...)
end

-- A hint for whoever waits. It goes by itself, because a stream of one entry costs 4 KiB; its ids go by the clock that never
-- runs backwards, so that a waiter who knows an earlier one is woken by one that was made anew.
local function wake()
  local hint = redis.pcall('XADD', key('wake'), 'MAXLEN', '~', 64, int(clock()) .. '-1', 'w', '1')
  if hint.err then redis.call('XADD', key('wake'), 'MAXLEN', '~', 64, '*', 'w', '1') end
  redis.call('PEXPIRE', key('wake'), 60000)
end
