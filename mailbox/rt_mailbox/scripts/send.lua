#!lua flags=
-- uses: base group turn_token
-- Append one message to a group. args: group, from, kind, round, subject, body, idempotency key or '', seat or '', token.
-- Guarantee: one atomic append with the next dense seq, or nothing. The same key and body returns the first seq; the
-- same key with another body is idempotency_conflict. A repeat is answered even after the sender left or the group closed.
-- A subscriber's notify address sends as that subscriber's person: `from` says who it was.
local group, kind, round, subject, body, name = ARGV[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local from = speaker(group, ARGV[2])
local bad = bad_token(ARGV[8], ARGV[9])
if bad then return bad end
if name ~= '' then
  local seq, conflict = remembered(group, from, name, body)
  if conflict then return fail('idempotency_conflict', 'key', name, 'seq', seq) end
  if seq then
    local entry = redis.call('XRANGE', key('log', group), seq .. '-0', seq .. '-0')[1][2]
    local at, eligible
    for i = 1, #entry, 2 do
      if entry[i] == 'at' then at = entry[i + 1] elseif entry[i] == 'eligible' then eligible = entry[i + 1] end
    end
    return {'ok', 'seq', seq, 'sent_at', tonumber(at), 'eligible_count', tonumber(eligible), 'duplicate', 1,
      'from', from}
  end
end
bad = not_writable(group) or not_member(group, from)
if bad then return bad end
if round == '' then round = redis.call('HGET', key('table'), 'round') or '0' end
local seq, now, eligible = append(group, from, kind, round, '', subject, body)
if name ~= '' then remember(group, from, name, seq, body, now) end
return {'ok', 'seq', seq, 'sent_at', now, 'eligible_count', eligible, 'duplicate', 0, 'from', from}
