#!lua flags=allow-oom
-- uses: base
-- Schema 0 → 1: a table says its view, a seat its generation and failures, a group how many its members are. args: none.
-- Guarantee: the whole space in one step, and once (migrated 0 when it is not of schema 0).
if redis.call('HGET', key('space'), 'schema') ~= '0' then return {'ok', 'migrated', 0} end
if redis.call('EXISTS', key('table')) == 1 then redis.call('HSETNX', key('table'), 'view', 'raw') end
for _, slug in ipairs(redis.call('ZRANGE', key('seats'), 0, -1)) do
  redis.call('HSETNX', key('seat', slug), 'generation', '0')
  redis.call('HSETNX', key('seat', slug), 'failures', '0')
end
for _, group in ipairs(redis.call('SMEMBERS', key('groups'))) do
  local members = 0
  for _, text in ipairs(redis.call('HVALS', key('members', group))) do
    if string.byte(text, -1) == 45 then members = members + 1 end
  end
  redis.call('HSET', key('group', group), 'members', int(members))
end
redis.call('HSET', key('space'), 'schema', '1')
return {'ok', 'migrated', 1}
