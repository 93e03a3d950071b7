#!lua flags=allow-oom
-- uses: base
-- Say that a space has the schema of this rt, when it says none yet. args: none. Guarantee: changes no schema that is there.
redis.call('HSETNX', key('space'), 'schema', int(1))
return {'ok'}
