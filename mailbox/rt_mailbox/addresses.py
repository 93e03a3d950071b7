"""Addresses, slugs and ids: what names may look like, and what they are made of."""

from __future__ import annotations

from rt_config.errors import BadAddressError, BadMessageIdError, BadSlugError

_SLUG_START = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_LONGEST_SEQ = 15  # digits; more than any record, and exact in the scripts' numbers
_SLUG = _SLUG_START | {"_", "-"}


def slug(text: str) -> str:
    """`text` when it is a slug: `[a-z0-9][a-z0-9_-]{0,31}` without `--`.

    Raises:
        BadSlugError: it is not; slugs become part of paths and session names.
    """
    if not 1 <= len(text) <= 32 or text[0] not in _SLUG_START or not _SLUG.issuperset(text) or "--" in text:
        raise BadSlugError(slug=text)
    return text


def check(address: str) -> str:
    """`address` when it reads scheme/id, printable and without white space.

    Raises:
        BadAddressError: it does not.
    """
    scheme, _, rest = address.partition("/")
    if not scheme or not rest or len(address) > 512 or not address.isprintable() or " " in address:
        raise BadAddressError(address=address)
    return address


def group_of(table: str) -> str:
    """The group of a table (S4.4)."""
    return f"group/roundtable-{table}"


def person_of(seat: str) -> str:
    """The person of a seat (S4.4)."""
    return f"participant/{seat}"


def session_of(table: str, seat: str) -> str:
    """The tmux session of a seat; slugs hold no `--`."""
    return f"{table}--{seat}"


def deck_address(session: str) -> str:
    """The personal address of a session (S4.4)."""
    return f"agent-deck/{session}"


def seq_of(given: str) -> int:
    """m12, 12 or <table>/m12 → 12.

    Raises:
        BadMessageIdError: it is none of these.
    """
    digits = given.rpartition("/")[2].removeprefix("m")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _LONGEST_SEQ or int(digits) < 1:
        raise BadMessageIdError(given=given)
    return int(digits)
