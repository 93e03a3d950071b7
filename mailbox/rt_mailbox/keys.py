"""The one module that names keys. Every key of a space carries its hash tag, so that a space is one slot.

A key reads `rt:{<space>}:<kind>[:<part>…]`:

    space                     hash    schema, epoch, clock (ms, never runs backwards), drift, from_file (sha256)
    groups                    set     group addresses
    group:<group>             hash    created_at, state, head (last seq), members and subscribers (now), lost (range told)
    log:<group>               stream  the record: ids <seq>-0, dense from 1, never trimmed
    members:<group>           hash    person → visible|member intervals of seq, such as 1-4,9-|1-4,9-
    cursors:<group>           hash    person → last seq read
    marks:<group>             hash    person → what the cursor was set at: seq:time:bytes:bytes, the latest first
    own:<group> <person>      zset    the person's own seqs above the cursor
    lost:<group>              hash    person → range of seqs that a failover took, not yet told
    idem:<group>              hash    sender, key → seq and sha1 of the body
    idem_age:<group>          zset    the same fields by time, for expiry; both are there for personal addresses too
    subscribers:<group>       hash    notify address → person
    subs:<address>            hash    group → person, the same from the other side
    notice:<address> <group>  hash    a subscription's lease, and what was acknowledged
    notices                   hash    lease token of a notice → address and group
    queue:<address>           zset    mail ids by due time in ms: queued, or leased until then
    dead:<address>            zset    dead letters by time
    acked:<address>           zset    settled mail by time
    addresses                 set     personal addresses that ever got mail
    mail:<id>                 hash    one personal message
    wake                      stream  a hint for blocked reads; capped, carries nothing, gone after a minute
    table                     hash    one discussion
    seats                     zset    slugs in the order they sat down
    seat:<slug>               hash    one seat
    turns                     zset    turn ids in the order they opened
    turn:<turn>               hash    one turn
    pending:<slug>            zset    a seat's open turns, the current one first
    journal                   hash    a format's steps, decisions and findings, and posts to sinks, by name, JSON; written once each
    events                    stream  asked, leased, replied, failed, nudged, decided …
    host                      hash    the lock of the table's host, and its epoch
    import:<import>           set     what an import has put beside the space so far; its parts read import:<import>:<key>
    directory                 hash    (default space) table id → topic key, state
    spaces:<address>          set     (default space) other spaces that may have notices for the address
"""

from __future__ import annotations

SCHEMA = "1"


def root(space: str) -> str:
    """What every key of the space starts with; scripts get it as KEYS[1] and build the rest by the same rule."""
    return "rt:{" + space + "}"


def key(space: str, kind: str, *parts: str) -> str:
    """The name of one key."""
    return ":".join((root(space), kind, *parts))


def decision(gate: str) -> str:
    """The line of the journal under which the decision at a gate stands."""
    return f"{gate}.decision"


# The same rule for the scripts; they touch keys of their own space only.
LUA = """local root = KEYS[1]
local function key(kind, part) return part and root .. ':' .. kind .. ':' .. part or root .. ':' .. kind end
"""

# Every script begins with this, but those that migrate: one HGET, a microsecond, and no use of what another rt wrote otherwise.
LUA_SCHEMA = f"""local schema = redis.call('HGET', key('space'), 'schema')
if schema and schema ~= '{SCHEMA}' then
  return {{'err', (tonumber(schema) or 0) > {SCHEMA} and 'schema_newer' or 'schema_older', 'space', string.sub(root, 5, -2),
    'found', schema, 'known', '{SCHEMA}'}}
end
"""
