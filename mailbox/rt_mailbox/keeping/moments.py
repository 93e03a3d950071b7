"""A moment of a space as lines of a file, taken while the space is in use.

One script reads everything but the streams' entries; these are read afterwards, up to the last ids of that moment, which is
the same, because streams only grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rt_mailbox.door import pairs
from rt_mailbox.keys import SCHEMA, key

if TYPE_CHECKING:
    from rt_mailbox.door import Door
    from rt_mailbox.keeping.lines import Line

_MOST_ENTRIES = 1000
_PAGE_CHARS = 1 << 20
_IN_HEADER = (
    "clock",
    "drift",
    "epoch",
    "from_file",
)  # of the space's own hash: none is part of what was said
_APART = (
    "host",
    "directory",
)  # the one is in the header, the entries of the other go with the tables that they name


class Moment:
    """One consistent moment. `print` is equal for two moments between which nothing happened."""

    def __init__(self, door: Door, space: str) -> None:
        self.door, self.space = door, space
        found = door.script("keep_read", space)
        self.print: str = found["print"]
        self._streams: list[tuple[str, str, int]] = [tuple(one) for one in found["streams"]]
        self._held: list[tuple[str, str, list[str]]] = sorted(tuple(one) for one in found["held"])

    def hash(self, name: str) -> dict[str, str]:
        """A hash of the space, empty when it does not exist."""
        return next((pairs(values) for kind, one, values in self._held if (kind, one) == ("hash", name)), {})

    @property
    def empty(self) -> bool:
        """Whether nothing is there that a file would hold."""
        return not self._streams and all(name in ("space", *_APART) for _, name, _ in self._held)

    def header(self, entry: dict[str, Any] | None) -> Line:
        """The line that begins this space; `entry` is what the directory says of its table."""
        table, space, host = self.hash("table"), self.hash("space"), self.hash("host")
        sizes = {name: count for name, _, count in self._streams}
        messages = sum(count for name, count in sizes.items() if name.startswith("log:"))
        return {
            "space": self.space, "table": table.get("id", ""), "group": table.get("group", ""), "schema": space.get("schema", SCHEMA),
            "epoch": space.get("epoch", "1"), "clock": space.get("clock", "0"), "host_epoch": host.get("epoch", ""),
            "host_seen": host.get("seen", "0"), "directory": entry, "messages": messages, "events": sizes.get("events", 0),
            "keys": sum(1 for _ in self._keys()), "seats": self._seats(),
            "subscribed": [name.removeprefix("subs:") for _, name, _ in self._held if name.startswith("subs:")],
        }  # fmt: skip

    def lines(self, *, tokens: bool = True) -> Iterator[Line]:
        """Every line of the space after its header; without `tokens` no seat's token can be checked against it."""
        for name, last, count in self._streams:
            if name.startswith("log:"):
                group = name.removeprefix("log:")
                for id_, fields in self._entries(name, last, count):
                    yield {"message": int(id_[:-2]), "group": group, "fields": fields}
        for line in self._keys():
            yield line if tokens else without_token(line)
        for name, last, count in self._streams:
            if name == "events":
                for id_, fields in self._entries(name, last, count):
                    yield {"event": id_, "fields": fields}

    def _seats(self) -> list[str]:
        """The slugs in the order they sat down."""
        scores = next((pairs(v) for kind, name, v in self._held if (kind, name) == ("zset", "seats")), {})
        return sorted(scores, key=lambda slug: float(scores[slug]))

    def _keys(self) -> Iterator[Line]:
        for kind, name, values in self._held:
            if kind == "set":
                yield {"set": name, "members": sorted(values)}
            elif kind == "zset":
                yield {"zset": name, "scores": pairs(values)}
            elif name == "space":
                kept = {k: v for k, v in pairs(values).items() if k not in _IN_HEADER}
                yield {"hash": name, "fields": dict(sorted(({"schema": SCHEMA} | kept).items()))}
            elif name not in _APART:
                yield {"hash": name, "fields": dict(sorted(pairs(values).items()))}

    def _entries(self, name: str, last: str, count: int) -> Iterator[tuple[str, dict[str, str]]]:
        """A stream's entries up to that moment, in pages of about a megabyte."""
        log, at, page = key(self.space, name), "-", 16
        while count > 0:
            found = self.door.command("XRANGE", log, at, last, "COUNT", min(page, count))
            chars = 0
            for id_, flat in found:
                chars += sum(map(len, flat))
                yield id_, pairs(flat)
            if not found:
                return
            at, count = f"({found[-1][0]}", count - len(found)
            page = max(1, min(_MOST_ENTRIES, page * _PAGE_CHARS // max(chars, 1), page * 4))


def without_token(line: Line) -> Line:
    """A seat without what proves its token; any other line as it is."""
    if not str(line.get("hash", "")).startswith("seat:"):
        return line
    return line | {"fields": {k: v for k, v in line["fields"].items() if k != "token_sha"}}


def same(moment: Moment, lines: Iterator[Line]) -> bool:
    """Whether a space holds just what these lines say, tokens apart."""
    live = map(without_token, moment.lines())
    for line in lines:
        if next(live, None) != without_token(line):
            return False
    return next(live, None) is None
