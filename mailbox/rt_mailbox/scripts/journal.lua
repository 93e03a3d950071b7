#!lua flags=
-- uses: base queue turn
-- Write one line of a format's journal, at most once. args: host epoch or '', name, value (JSON), event type or '', then
-- field, value… of the event.
-- Guarantee: the first value under a name stays for as long as the table lives and is what everybody gets back; its event is
-- written in the same step.
local bad = stale(ARGV[1])
if bad then return bad end
local known = redis.call('HGET', key('journal'), ARGV[2])
if known then return {'ok', 'value', known, 'first', 0} end
redis.call('HSET', key('journal'), ARGV[2], ARGV[3])
if ARGV[4] ~= '' then
  local values = {}
  for i = 5, #ARGV do values[#values + 1] = ARGV[i] end
  event(ARGV[4], 'name', ARGV[2], unpack(values))
end
wake()
return {'ok', 'value', ARGV[3], 'first', 1}
