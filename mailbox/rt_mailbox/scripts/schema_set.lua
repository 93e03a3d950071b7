#!lua flags=allow-oom
-- uses: base
-- Say which schema a space has, when it says none yet. args: schema. Guarantee: changes no schema that is there.
redis.call('HSETNX', key('space'), 'schema', int(tonumber(ARGV[1])))
return {'ok'}
