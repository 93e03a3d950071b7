"""What tables are called: ids, topic keys, session names, group paths. Pure."""

from __future__ import annotations

import re
import time
import unicodedata

_LONGEST_SLUG = 40
HOST = "_host"  # no seat can be called so: slugs start with a letter or digit


def table_id(topic: str, now: float, taken: int = 0) -> str:
    """rt-YYYYMMDD-HHMM-<slug> (S4.4), local time; the second of the same name gets -2."""
    stamp = time.strftime("%Y%m%d-%H%M", time.localtime(now))
    return f"rt-{stamp}-{topic_slug(topic)}" + (f"-{taken + 1}" if taken else "")


def topic_slug(topic: str) -> str:
    """The topic's words as a slug without '--'; 'table' when nothing of it is left."""
    ascii_text = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    words = "".join(c if c.isalnum() else " " for c in ascii_text).split()
    small = {"a", "an", "the", "we", "should", "to", "of", "is", "do", "i", "our", "in", "for"}
    kept = [w for w in words if w not in small] or words
    slug = ""
    for word in kept:
        if len(slug) + len(word) + 1 > _LONGEST_SLUG:
            break
        slug = f"{slug}-{word}" if slug else word
    return slug or (kept[0][:_LONGEST_SLUG] if kept else "table")


def topic_key(topic: str) -> str:
    """The topic as duplicates are found by it (S0.9): lower case, spaces collapsed, trailing punctuation off."""
    return " ".join(topic.lower().split()).rstrip(".,;:!?… ")


def session_title(table: str, slug: str) -> str:
    """The deck title of a seat (S4.5)."""
    return f"roundtable-{table}-{slug}"


def deck_group(table: str, parent: str = "") -> str:
    """The deck group of a table: [<parent>/]roundtable-<id> (S4.5)."""
    return f"{parent}/roundtable-{table}" if parent else f"roundtable-{table}"


def notify_address(table: str) -> str:
    """The personal address that hears of what the moderator has not read; a send from it counts as the moderator's (S4.6)."""
    return f"moderator/{table}"


def host_session(table: str) -> str:
    """The tmux session of a table's host."""
    return f"{table}--{HOST}"


def deck_name(title: str) -> str:
    """A tmux name for a session of that title; views, whose names begin so too, are no sessions."""
    words = re.sub(r"[^a-z0-9_]+", "-", title.lower()).strip("-_")[:150]
    return f"s-{words}" if not words or words.startswith("view-") else words
