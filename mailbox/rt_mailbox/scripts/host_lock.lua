#!lua flags=allow-oom
-- uses: base
-- Take, keep or give up a table's host lock. args: how (take | keep | give), holder, epoch or '', pid, machine, start time,
-- ttl ms, the holder that is known to be gone or ''.
-- Guarantee: one holder at a time by the server's own clock; taking it raises the epoch, and every write that carries an
-- older epoch is refused from then on. A holder that is known to be gone loses it at once. gap_ms: how long nobody held it.
local how, holder, epoch = ARGV[1], ARGV[2], ARGV[3]
local now = clock()
local h = hash(key('host')) or {epoch = '0', holder = '', ['until'] = '0', seen = int(now)}
if how == 'take' then
  if h.holder ~= '' and h.holder ~= holder and h.holder ~= ARGV[8] and tonumber(h['until']) > now then
    return {'ok', 'held', 0, 'epoch', h.epoch, 'holder', h.holder, 'pid', h.pid, 'machine', h.machine,
      'started', h.started, 'left_ms', tonumber(h['until']) - now}
  end
  local e = int(tonumber(h.epoch) + 1)
  redis.call('HSET', key('host'), 'holder', holder, 'epoch', e, 'pid', ARGV[4], 'machine', ARGV[5], 'started', ARGV[6],
    'until', int(now + tonumber(ARGV[7])), 'seen', int(now))
  event('host', 'pid', ARGV[4], 'epoch', e)
  return {'ok', 'held', 1, 'epoch', e, 'gap_ms', now - tonumber(h.seen)}
end
if h.holder ~= holder or h.epoch ~= epoch then
  return fail('stale_host', 'table', redis.call('HGET', key('table'), 'id') or '?', 'epoch', h.epoch)
end
if how == 'give' then
  redis.call('HSET', key('host'), 'holder', '', 'until', '0', 'pid', '', 'seen', int(now))
  return {'ok', 'held', 0, 'epoch', h.epoch}
end
redis.call('HSET', key('host'), 'until', int(now + tonumber(ARGV[7])), 'seen', int(now))
return {'ok', 'held', 1, 'epoch', h.epoch, 'gap_ms', now - tonumber(h.seen)}
