"""A tool as both MCP servers have it: its name, what it takes and gives, and the function behind it.

Imports nothing heavy: the server in a seat is made of this.
"""

from __future__ import annotations

import time

from rt_config.errors import RoundtableError, UsageError
from rt_participant.show import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from rt_participant.acts import Actor

    Result = dict[str, Any]

    class Call(Protocol):
        """One call of a tool, as its handler sees it."""

        def actor(self, args: Result, use: str = "") -> Actor:
            """Who acts, at which table. `use`: `read` (offloaded tables too) or `wait` (its host is started)."""

        def cancelled(self) -> bool:
            """Whether nobody waits for the answer any more."""


_TYPES: dict[str, tuple[Result, tuple[type, ...]]] = {
    "text": ({"type": "string"}, (str,)),
    "count": ({"type": "integer", "minimum": 0}, (int,)),
    "seconds": ({"type": "number", "minimum": 0}, (int, float)),
    "flag": ({"type": "boolean"}, (bool,)),
    "texts": ({"type": "array", "items": {"type": "string"}}, (list,)),
    "words": ({"type": "object", "additionalProperties": {"type": "string"}}, (dict,)),
    "object": ({"type": "object"}, (dict,)),
    "objects": ({"type": "array", "items": {"type": "object"}}, (list,)),
    "any": ({}, (object,)),
}
_SLICE_SECONDS = 1.0  # how soon a cancelled wait ends


class Answer:
    """What a tool gives. `commit` runs when it was written whole, `undo` when it could not be written."""

    def __init__(
        self,
        result: Result,
        commit: Callable[[], object] | None = None,
        undo: Callable[[], object] | None = None,
        *,
        error: bool = False,
    ) -> None:
        self.result, self.commit, self.undo, self.error = result, commit, undo, error


class Tool:
    """A name, a sentence, the types of what it takes and gives, and the handler.

    `takes` and `gives` read {"name!": "type What it is."}: the mark means required (or always there).
    """

    def __init__(
        self,
        name: str,
        about: str,
        takes: dict[str, str],
        gives: dict[str, str],
        run: Callable[[Any, Result], Result | Answer],
    ) -> None:
        self.name, self.about, self.run = name, about, run
        self.takes, self.gives = takes, gives

    def listed(self) -> Result:
        """The tool as `tools/list` has it."""
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": {**_schema(self.takes), "additionalProperties": False},
            "outputSchema": _schema(self.gives),
        }

    def checked(self, given: Result) -> Result:
        """The arguments that were given, null ones left out.

        Raises:
            UsageError: one is missing, unknown or of another type.
        """
        args = {name: value for name, value in given.items() if value is not None}
        kinds = {name.rstrip("!"): text.partition(" ")[0] for name, text in self.takes.items()}
        if unknown := sorted(args.keys() - kinds.keys()):
            raise UsageError(
                reason=f"{self.name} does not take {', '.join(unknown)}; it takes {', '.join(kinds)}."
            )
        if missing := [name[:-1] for name in self.takes if name.endswith("!") and name[:-1] not in args]:
            raise UsageError(reason=f"{self.name} needs {', '.join(missing)}.")
        for name, value in args.items():
            if not _is(value, kinds[name]):
                raise UsageError(reason=f"{name} of {self.name} must be: {dumps(_TYPES[kinds[name]][0])}")
        return args


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind in ("flag", "any")
    types: Any = _TYPES[kind][1]
    if not isinstance(value, types):
        return False
    if kind == "texts":
        return all(isinstance(one, str) for one in value)
    if kind == "words":
        return all(isinstance(one, str) for one in value.values())
    return kind not in ("count", "seconds") or bool(value >= 0)


def _schema(fields: dict[str, str]) -> Result:
    properties = {}
    for name, text in fields.items():
        kind, _, about = text.partition(" ")
        properties[name.rstrip("!")] = _TYPES[kind][0] | ({"description": about} if about else {})
    required = [name[:-1] for name in fields if name.endswith("!")]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def answer(tool: Tool, call: Call, given: Result) -> Answer:
    """Run a tool; never raises: an error is an answer {error_code, message, hint}, one of nobody's making has the code `internal`."""
    try:
        found = tool.run(call, tool.checked(given))
    except RoundtableError as exc:
        return Answer(
            {"error_code": exc.error_code, "message": str(exc), "hint": exc.advice or ""}, error=True
        )
    except Exception as exc:  # the connection outlives a call that goes wrong
        import sys
        import traceback

        sys.stderr.write(traceback.format_exc())
        said = f"{type(exc).__name__}: {exc}"
        return Answer({"error_code": "internal", "message": said, "hint": ""}, error=True)
    return found if isinstance(found, Answer) else Answer(found)


def payload(found: Answer) -> Result:
    """The result of `tools/call`: as JSON text, and typed unless it is an error, which clients would hold against the type.

    Bytes that are no UTF-8 are marked: not every client can take them.
    """
    import json

    clean = _clean(found.result)
    typed = {} if found.error else {"structuredContent": clean}
    text = json.dumps(
        clean, ensure_ascii=False, separators=(",", ":")
    )  # six characters for one would reach limits early
    return {"content": [{"type": "text", "text": text}], **typed, "isError": found.error}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, dict):
        return {name: _clean(one) for name, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, (list, tuple)) else value


def patiently(ready: Callable[[float], bool], seconds: float | None, cancelled: Callable[[], bool]) -> bool:
    """Whether `ready`, which blocks for at most the seconds it is given, was true in time and before a cancel."""
    end = None if seconds is None else time.monotonic() + seconds
    while not cancelled():
        left = _SLICE_SECONDS if end is None else min(_SLICE_SECONDS, end - time.monotonic())
        if ready(max(0.0, left)):
            return True
        if end is not None and time.monotonic() >= end:
            break
    return False


def named(tools: Sequence[Tool]) -> dict[str, Tool]:
    """The tools by name."""
    return {tool.name: tool for tool in tools}
