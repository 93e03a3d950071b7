"""A line that is being typed: a text and where its cursor stands. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rt_participant.show import plain


@dataclass(frozen=True, slots=True)
class Field:
    """What was typed so far; the cursor stands before the character `at`."""

    text: str = ""
    at: int = 0

    @classmethod
    def of(cls, text: str) -> Field:
        """With the cursor at its end."""
        return cls(text, len(text))


def typed(field: Field, key: str) -> Field | None:
    """The line after a key as `keys` names it; None for one that edits nothing."""
    if key.startswith("paste:"):
        return _put(field, " ".join(key[6:].split("\n")))
    if len(key) == 1:
        return _put(field, key)
    edit = _EDITS.get(key)
    return edit(field) if edit else None


def _put(field: Field, text: str) -> Field:
    text = plain(text.replace("\r", " ").replace("\t", " "))
    return Field(field.text[: field.at] + text + field.text[field.at :], field.at + len(text))


def _cut(field: Field, start: int, end: int) -> Field:
    return Field(field.text[:start] + field.text[end:], start)


def _word(field: Field) -> Field:
    start = len(field.text[: field.at].rstrip().rpartition(" ")[0])
    return _cut(field, start + 1 if start else 0, field.at)


_EDITS: dict[str, Callable[[Field], Field]] = {
    "backspace": lambda f: _cut(f, max(0, f.at - 1), f.at),
    "delete": lambda f: _cut(f, f.at, f.at + 1),
    "left": lambda f: Field(f.text, max(0, f.at - 1)),
    "right": lambda f: Field(f.text, min(len(f.text), f.at + 1)),
    "home": lambda f: Field(f.text, 0),
    "ctrl-a": lambda f: Field(f.text, 0),
    "end": lambda f: Field.of(f.text),
    "ctrl-e": lambda f: Field.of(f.text),
    "ctrl-u": lambda f: _cut(f, 0, f.at),
    "ctrl-k": lambda f: _cut(f, f.at, len(f.text)),
    "ctrl-w": _word,
}


def completed(field: Field, names: list[str]) -> Field:
    """The last word made whole when one of `names` alone begins with it, else as far as they agree."""
    head, space, word = field.text.rpartition(" ")
    mark = "@" if word.startswith("@") else ""
    found = [name for name in names if name.startswith(word.removeprefix(mark))]
    if not found or field.at != len(field.text):
        return field
    low, high = min(found), max(found)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return Field.of(f"{head}{space}{mark}{low[:same]}" + (" " if len(found) == 1 and mark else ""))
