#!lua flags=allow-oom
-- uses: base queue turn
-- Note something that happened. args: host epoch or '', type, then field, value….
-- Guarantee: appended to the table's events in order; refused for a stale host.
local bad = stale(ARGV[1])
if bad then return bad end
local values = {}
for i = 3, #ARGV do values[#values + 1] = ARGV[i] end
event(ARGV[2], unpack(values))
return {'ok'}
