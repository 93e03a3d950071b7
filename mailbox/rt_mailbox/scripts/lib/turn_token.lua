-- The error for a seat whose token is not the seat's own, else nil.
local function bad_token(slug, token)
  if slug == '' or token == '' then return nil end
  if redis.sha1hex(token) ~= redis.call('HGET', key('seat', slug), 'token_sha') then
    return fail('bad_token', 'seat', slug)
  end
  return nil
end
