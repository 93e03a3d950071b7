"""What a CLI printed, kept within bounds while it runs and read for its answer when it is done. Never raises on content.

The rules are data of the profile (`rt_config.profile_model.Output`), as plain dicts of the launch spec.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass, field
from typing import Any

from rt_participant import cleaning

MOST_BYTES = 8 * 1024 * 1024  # kept for reading; more is a flood
_SESSION = re.compile(r"[A-Za-z0-9_.:][A-Za-z0-9_.:-]{0,199}")  # it goes into an argv: never an option
_FIELDS = ("answer", "session", "failed", "error", "cost", "model")


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read; empty or None where nothing was found."""

    text: str = ""
    session: str = ""
    model: str = ""
    error: str = ""  # why the call failed by its own word
    failed: bool = False
    cost: float | None = None
    usage: dict[str, int] = field(default_factory=dict)


class Collector:
    """Takes the output as it comes and keeps what `read` needs: all of text and json, of jsonl the records that count."""

    def __init__(self, rules: dict[str, Any], most_bytes: int = MOST_BYTES) -> None:
        self._rules = rules
        self._most = most_bytes
        self._lines = rules["format"] == "jsonl"
        self._picks = [pick for name in _FIELDS for pick in rules[name]] + list(rules["usage"].values())
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = b""
        self._kept: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> str:
        """Take some output; returns what the pane should show of it.

        Raises:
            OverflowError: there is more to keep than the bound.
        """
        if not self._lines:
            self._keep(data)
            return self._text.decode(data) if self._rules["format"] == "text" else ""
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > self._most:
            raise OverflowError
        return "".join(self._line(line) for line in whole)

    def close(self) -> bytes:
        """The last line may lack its end; returns all that was kept."""
        if self._rest:
            self._line(self._rest)
            self._rest = b""
        return b"".join(self._kept)

    def _line(self, line: bytes) -> str:
        record = _record(line)
        if record is None:
            self._keep(line + b"\n" if line.strip() else b"")
            return ""
        if any(_matches(record, pick) for pick in self._picks):
            self._keep(line + b"\n")
        shown = (_found(record, pick) for pick in self._rules["show"])
        return "".join(f"{text}\n" for text in shown if isinstance(text, str))

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._most:
            raise OverflowError
        if data:
            self._kept.append(data)


def read(rules: dict[str, Any], kept: bytes, answer_file: bytes = b"") -> Answer:
    """The answer and what goes with it."""
    if rules["format"] == "text":
        text = cleaning.screen(cleaning.decode(kept))
        return Answer(
            text=cleaning.without_lines(text, rules["drop_prefixes"], rules["drop_patterns"]).strip()
        )
    records = _records(rules["format"], kept)
    text = cleaning.decode(answer_file).strip() if answer_file else ""
    text = cleaning.plain(text or _text(records, rules["answer"]))
    session = _text(records, rules["session"])
    usage = {name: _value(records, [pick]) for name, pick in rules["usage"].items()}
    return Answer(
        text=cleaning.without_lines(text, rules["drop_prefixes"], rules["drop_patterns"]).strip(),
        session=session if _SESSION.fullmatch(session) else "",
        model=" ".join(cleaning.plain(_text(records, rules["model"])).split())[:100],
        error=cleaning.plain(_text(records, rules["error"])).strip(),
        failed=bool(_value(records, rules["failed"])),
        cost=_number(_value(records, rules["cost"])),
        usage={name: int(count) for name, found in usage.items() if (count := _number(found)) is not None},
    )


def _records(form: str, kept: bytes) -> list[Any]:
    if form == "jsonl":
        return [record for line in kept.split(b"\n") if (record := _record(line)) is not None]
    whole = _record(kept)
    if whole is None:  # a warning line before or after the object is common
        found = [record for line in kept.split(b"\n") if (record := _record(line)) is not None]
        return found[-1:]
    return whole if isinstance(whole, list) else [whole]


def _record(raw: bytes) -> Any:
    """The JSON object or array in `raw`, else None."""
    raw = raw.strip()
    if raw[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _text(records: list[Any], picks: list[dict[str, Any]]) -> str:
    found = _value(records, picks)
    return found if isinstance(found, str) else ""


def _number(found: Any) -> float | None:
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if abs(found) < 1e15 else None  # also what is not finite


def _value(records: list[Any], picks: list[dict[str, Any]]) -> Any:
    """What the first pick that finds anything makes of all records."""
    for pick in picks:
        found = [value for record in records if (value := _found(record, pick)) is not None]
        if found:
            return _taken(found, pick["take"])
    return None


def _taken(found: list[Any], take: str) -> Any:
    if take == "join":
        return "".join(value for value in found if isinstance(value, str))
    if take == "sum":
        return sum(number for value in found if (number := _number(value)) is not None)
    return found[0 if take == "first" else -1]


def _matches(record: Any, pick: dict[str, Any]) -> bool:
    return _found(record, pick) is not None


def _found(record: Any, pick: dict[str, Any]) -> Any:
    for path, wanted in pick["where"].items():
        if _at(record, path) != wanted:
            return None
    return _at(record, pick["path"])


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, dict):
            value = next(iter(value), None) if step == "@key" else value.get(step)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
