"""Bytes from a terminal as names of keys, however they are cut into reads. Pure."""

from __future__ import annotations

import codecs
import re

_NAMED = {
    b"A": "up", b"B": "down", b"C": "right", b"D": "left", b"H": "home", b"F": "end", b"Z": "backtab",
    b"1~": "home", b"7~": "home", b"4~": "end", b"8~": "end", b"3~": "delete", b"5~": "pgup", b"6~": "pgdn",
    b"200~": "paste",
}  # fmt: skip
_SINGLE = {0x0D: "enter", 0x0A: "enter", 0x09: "tab", 0x7F: "backspace", 0x08: "backspace", 0x1B: "esc"}
_SEQUENCE = re.compile(rb"\x1b(?:\[([0-9;<=>?]*[ -/]*[@-~])|O(.))", re.DOTALL)
_PASTE_END = b"\x1b[201~"


class Keys:
    """Feed it what was read; it gives the keys that are whole.

    A key is a character, or a name: up, pgdn, enter, esc, ctrl-c …; pasted text is one key `paste:TEXT`, so that it can
    never be taken for keys.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._pasting = False

    @property
    def waiting(self) -> bool:
        """Whether a key has begun: an escape alone is only known when nothing follows soon."""
        return bool(self._rest)

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete now."""
        self._rest += data
        found: list[str] = []
        while self._rest:
            key = self._pasted() if self._pasting else self._next()
            if key is None:
                break
            if key:
                found.append(key)
        return found

    def flush(self) -> list[str]:
        """Nothing followed: an escape that waits is the key itself."""
        if self._pasting or not self._rest.startswith(b"\x1b"):
            return []
        self._rest = self._rest[1:]
        return ["esc", *self.feed(b"")]

    def _pasted(self) -> str | None:
        at = self._rest.find(_PASTE_END)
        if at < 0:
            return None
        text, self._rest, self._pasting = self._rest[:at], self._rest[at + len(_PASTE_END) :], False
        return "paste:" + text.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")

    def _next(self) -> str | None:
        if self._rest[0] == 0x1B:
            return self._escape()
        if self._rest[0] < 0x20 or self._rest[0] == 0x7F:
            code, self._rest = self._rest[0], self._rest[1:]
            return _SINGLE.get(code) or (f"ctrl-{chr(code + 96)}" if 0 < code < 27 else "")
        text, used = codecs.utf_8_decode(self._rest, "replace", False)
        if not text:
            return None
        first = text[0]
        taken = len(first.encode()) if self._rest.startswith(first.encode()) else 1
        self._rest = self._rest[min(taken, used) or 1 :]
        return first

    def _escape(self) -> str | None:
        found = _SEQUENCE.match(self._rest)
        if found is None:
            if len(self._rest) == 1 or (self._rest[1:2] in (b"[", b"O") and len(self._rest) < 32):
                return None
            self._rest = self._rest[1:]
            return "esc"
        self._rest = self._rest[found.end() :]
        name = _NAMED.get(_without_modifiers(found[1] or found[2]), "")
        if name == "paste":
            self._pasting = True
            return ""
        return name


def _without_modifiers(sequence: bytes) -> bytes:
    """`1;5A` is an arrow with Ctrl: the arrow. `5;2~` is a page key with Shift."""
    head, _, tail = sequence.partition(b";")
    if not tail:
        return sequence
    return head + b"~" if tail.endswith(b"~") else tail[-1:]
