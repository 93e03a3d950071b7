"""Our side of a live session: takes the agent's updates, and answers what it asks leave for. Runs in the session's thread.

Files and terminals are not offered: an agent that wants them uses its own, and asks leave first. Whatever comes while no
turn is taken is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from acp import schema

from rt_participant import acp_rule
from rt_participant.outputs import MOST_BYTES
from rt_participant.show import line

Tell = Callable[[str, dict[str, str]], None]
_ENDED = frozenset({"completed", "failed"})
_MOST_CALLS = 1000  # tool calls of one prompt whose kind and paths are kept


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call as far as the agent has described it."""

    name: str
    kind: str | None = None
    title: str = ""
    paths: list[PurePath] = field(default_factory=list)

    def fields(self) -> dict[str, str]:
        """As its events have it."""
        paths = line(" ".join(map(str, self.paths)), 1000)
        return {"call": self.name, "tool": self.kind or "", "title": self.title, "paths": paths}


class Client:
    """What the agent talks to. `text` is the answer so far of the prompt that is taken."""

    def __init__(self, cwd: str, protected: list[str], tell: Tell) -> None:
        """Nothing is taken yet.

        Args:
            cwd: what the agent's relative paths start from.
            protected: folders in which it may change nothing.
            tell: gets (kind, fields) at once: `show` with text, `tool_call` and `permission` as events have them.
        """
        self._cwd, self._tell = cwd, tell
        self._protected = [_real(cwd, folder) for folder in protected]
        self._session = ""
        self._taking = False
        self._chunks: list[str] = []
        self._size = 0
        self._calls: dict[str, _Call] = {}
        self.flood = False
        self.cost: float | None = None  # US dollars of this session so far

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._chunks)

    def take(self, session: str) -> None:
        """From now on the updates of this session are those of a new prompt."""
        self._session, self._taking, self.flood = session, True, False
        self._chunks, self._size, self._calls = [], 0, {}

    def drop(self) -> None:
        """From now on nothing counts, and nothing is allowed."""
        self._taking = False

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """One update; the answer is made of message chunks alone."""
        if isinstance(update, schema.UsageUpdate) and update.cost and update.cost.currency == "USD":
            self.cost = update.cost.amount
        if not self._taking or session_id != self._session:
            return
        if isinstance(update, schema.AgentMessageChunk):
            self._message(getattr(update.content, "text", ""))
        elif isinstance(update, schema.AgentThoughtChunk):
            self._tell("show", {"text": getattr(update.content, "text", "")})
        elif isinstance(update, schema.ToolCallStart | schema.ToolCallProgress):
            self._tool_call(update)

    def _message(self, text: str) -> None:
        self._size += len(text)
        if self._size > MOST_BYTES:
            self.flood = True
            return
        self._chunks.append(text)
        self._tell("show", {"text": text})

    def _tool_call(self, update: Any) -> None:
        call = self._known(update)
        if isinstance(update, schema.ToolCallStart) or update.status in _ENDED:
            status = update.status or "pending"
            self._tell("tool_call", call.fields() | {"status": status})
            self._tell("show", {"text": f"\n[{call.kind or 'tool'}: {call.title}] {status}\n"})

    def _known(self, update: Any) -> _Call:
        """What is known of a tool call: an update replaces only what it names."""
        call = self._calls.get(update.tool_call_id) or _Call(line(update.tool_call_id))
        paths = call.paths
        if update.locations is not None:
            paths = [_real(self._cwd, one.path) for one in update.locations]
        call = _Call(call.name, update.kind or call.kind, line(update.title or call.title), paths)
        if len(self._calls) < _MOST_CALLS or update.tool_call_id in self._calls:
            self._calls[update.tool_call_id] = call
        return call

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> schema.RequestPermissionResponse:
        """Leave by the rule of `acp_rule`: this once, or not at all; `cancelled` when no turn is taken."""
        call, choice = self._known(tool_call), ""
        verdict = acp_rule.Verdict(False, "no turn is open")
        if self._taking and session_id == self._session:
            verdict = acp_rule.judge(call.kind, call.paths, self._protected)
            choice = _choice(verdict.allowed, options)
        if verdict.allowed and not choice:
            verdict = acp_rule.Verdict(False, "it can only be allowed for good")
        decision = "allowed" if verdict.allowed else "denied"
        self._tell("permission", call.fields() | {"decision": decision, "why": verdict.why})
        if not choice:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=choice)
        )


def _choice(allowed: bool, options: list[Any]) -> str:
    """The option to select: never one that would allow more than this call; '' when there is none."""
    wanted = ("allow_once",) if allowed else ("reject_once", "reject_always")
    found = {option.kind: option.option_id for option in reversed(options)}
    return next((str(found[kind]) for kind in wanted if kind in found), "")


def _real(cwd: str, path: str) -> PurePath:
    """Absolute, symbolic links resolved; what cannot be a path is taken as inside `cwd`."""
    try:
        return PurePath(os.path.realpath(Path(cwd) / path.removeprefix("file://")))
    except ValueError:
        return PurePath(os.path.realpath(cwd))
