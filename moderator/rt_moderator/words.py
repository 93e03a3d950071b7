"""How durations, message numbers and lists read on a screen, and how wide text is there. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence


def span(seconds: float) -> str:
    """'48 s', '1 min 48 s', '12 min', '2 h 5 min', '3 days': as exact as the size makes sense."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    if hours < 24:
        return f"{hours} h" + (f" {minutes % 60} min" if minutes % 60 and hours < 6 else "")
    return "1 day" if hours < 48 else f"{hours // 24} days"


def clock(seconds: float) -> str:
    """'0:41', '10:00', '1:02:03'."""
    whole = max(0, int(seconds))
    minutes = f"{whole // 60 % 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{minutes.zfill(5)}" if whole >= 3600 else minutes


def seqs(numbers: Iterable[int]) -> str:
    """[2, 3, 4, 6] → 'm2–m4, m6'."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"m{run[0]}" if len(run) == 1 else f"m{run[0]}–m{run[-1]}" for run in runs)


def listed(names: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def still_answering(names: Sequence[str]) -> str:
    """'skeptic is still answering', or with several names 'are'."""
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} still answering"


def cells(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    return sum(_cells_of(char) for char in text)


def _cells_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def hung(head: str, text: str, width: int | None) -> str:
    """`head` with `text` behind it, wrapped below its own start at `width` columns; one line without a width."""
    indent = cells(head)
    if width is None or width < indent + 20:
        return head + text
    lines, room = [""], width - indent
    for word in text.split(" "):
        for part in _parts(word, room):
            if not lines[-1]:
                lines[-1] = part
            elif cells(lines[-1]) + 1 + cells(part) <= room:
                lines[-1] += " " + part
            else:
                lines.append(part)
    return head + f"\n{' ' * indent}".join(lines)


def _parts(word: str, room: int) -> list[str]:
    """A word in pieces that fit; scripts without spaces have very long words."""
    parts, used = [""], 0
    for char in word:
        if used + _cells_of(char) > room:
            parts.append("")
            used = 0
        parts[-1] += char
        used += _cells_of(char)
    return parts


def grid(rows: Sequence[Sequence[str]], indent: str = "  ", gap: str = "  ") -> list[str]:
    """Rows as aligned columns; a column that is empty everywhere takes no room."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        shown = [cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True) if width]
        lines.append((indent + gap.join(shown)).rstrip())
    return lines
