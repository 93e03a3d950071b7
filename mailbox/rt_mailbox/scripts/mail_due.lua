#!lua flags=no-writes,allow-oom
-- uses: base group notice inbox
-- Whether mail_recv would give something. args: holder or '', then addresses….
-- Guarantee: changes nothing; asks as mail_recv does. next_ms: in how many milliseconds more may be due without anything
-- being sent (a lease that ends, a date, a notice that repeats), -1 for never. elsewhere: other spaces to ask.
local addresses = addresses_from(2)
local now = clock_seen()
local found, soonest = look(addresses, 1, now, ARGV[1])
local ready = 0
for _, one in ipairs(found) do
  if one.what ~= 'dead' then ready = 1 end
end
return {'ok', 'ready', ready, 'next_ms', soonest and math.max(1, soonest - now) or -1, 'elsewhere', elsewhere(addresses)}
