"""What a page is told, as server-sent events. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it goes over the wire; `seq` is a message's number, 0 for all others."""

    data: bytes
    seq: int = 0


READY = Event(b"")
"""Not sent: from here on everything new comes by itself; what was missed is read from the record."""

AGAIN = Event(b"event: again\ndata: .\n\n")
"""The record is another one now: the page must be read again."""

HEARTBEAT = Event(b": here\n\n")
"""Nothing happened; a page that went away without a word is noticed when it is sent."""

HELLO = b"retry: 1000\n\n"


def message(seq: int, html: str) -> Event:
    """A message, by whose number a page resumes."""
    return Event(_encoded("message", html, f"id: {seq}\n"), seq)


def parts(html: str) -> Event:
    """The parts of the page that are not the record."""
    return Event(_encoded("parts", html))


def notice(text: str) -> Event:
    """A line about the connection; empty when all is well."""
    return Event(_encoded("notice", text))


def _encoded(kind: str, text: str, head: str = "") -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.replace("\r", "").split("\n"))
    return f"{head}event: {kind}\n{lines}\n".encode("utf-8", "replace")
