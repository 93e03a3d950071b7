#!lua flags=allow-oom
-- uses: base requeue
-- Give a dead letter another try. args: id.
-- Guarantee: due at once with its failures forgotten, and dead no more; what is not dead is refused and left as it is.
local id = ARGV[1]
local m = hash(key('mail', id))
if not m then return fail('unknown_mail', 'message_id', id) end
if m.state ~= 'dead' then return fail('not_dead', 'message_id', id, 'state', m.state) end
redis.call('ZREM', key('dead', m.address), id)
redis.call('HSET', key('mail', id), 'failures', 0)
redis.call('HDEL', key('mail', id), 'settled_at')
requeue(id, m.address, clock())
return {'ok', 'state', 'queued'}
