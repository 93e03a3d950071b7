"""How peers are called towards a reader: labels that hide who they are, in an order of the reader's own. Pure.

Conformity is strong even at two peers and order biases; anonymous peers in shuffled order nearly remove both.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence


def shuffled(items: Iterable[str], *seed: str) -> list[str]:
    """The items in an order that depends on them and the seed alone, the same on every machine."""
    return sorted(items, key=lambda item: (hashlib.sha256("\0".join((*seed, item)).encode()).digest(), item))


def labelled(peers: Iterable[str], *seed: str) -> dict[str, str]:
    """Slug → label ('Panelist A', …, 'Panelist Z', 'Panelist AA') in shuffled order; the dict keeps that order."""
    return {slug: f"Panelist {_letters(at)}" for at, slug in enumerate(shuffled(peers, *seed))}


def named(text: str, labels: Mapping[str, str], names: Mapping[str, str] | None = None) -> str:
    """`text` with its labels replaced by who they are, matched whole: Panelist A never inside Panelist AA."""
    who = {label: (names or {}).get(slug, slug) for slug, label in labels.items()}
    if not who:
        return text
    pattern = "|".join(re.escape(label) for label in sorted(who, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda found: who[found[0]], text)


def _letters(at: int) -> str:
    letters = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def slug_of(label: str, labels: Mapping[str, str]) -> str | None:
    """The seat that `label` stands for, whatever its case and white space; None when it is nobody's."""
    wanted = " ".join(label.split()).casefold()
    return next((slug for slug, name in labels.items() if name.casefold() == wanted), None)


def by_seat(slugs: Sequence[str], step: str, table: str, *, hidden: bool = True) -> dict[str, dict[str, str]]:
    """Reader → {peer: label}, for every reader; with `hidden` False the labels are the slugs."""
    found = {}
    for reader in slugs:
        peers = [slug for slug in slugs if slug != reader]
        found[reader] = labelled(peers, table, step, reader) if hidden else {slug: slug for slug in peers}
    return found
