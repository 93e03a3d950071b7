"""A format driven on a real bus without sessions: the test answers for the seats, and may take the driver away at any call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rt_mailbox import journal, records, tables, turns
from rt_mailbox.keys import key
from rt_moderator import status_view
from rt_moderator.engine import results
from rt_moderator.engine.driver import Driver
from rt_moderator.engine.model import Outcome
from rt_moderator.engine.options import Options
from rt_participant import rehearsal
from tests.cli.laid import TABLE, Laid

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply
    from tests.helpers import Bus

Answer = Callable[[str, str, str], str | None]  # slug, request, turn → its answer; None: its time runs out


def rehearsed(**behaviours: str) -> Answer:
    """Seats that answer as the rehearsal does, each with a behaviour; `dying` and `silent` do not answer."""

    def answer(slug: str, request: str, turn: str) -> str | None:
        behaviour = behaviours.get(slug, "")
        if behaviour in ("dying", "silent"):
            return None
        prompt = f"You are {slug}.\nYour role: {slug.title()}\n\nThe moderator asks you now:\n\n{request}"
        return rehearsal.answer(prompt, behaviour)

    return answer


class Killed(BaseException):
    """The driver's process died here."""


class _Mortal:
    """A door whose user dies right before or after one of its calls."""

    def __init__(self, door: Door, at: int, *, before: bool) -> None:
        self._door, self._left, self._before = door, at, before
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._door, name)
        if name != "script":
            return found

        def script(*args: Any) -> Any:
            self.calls += 1
            if self._before and self.calls == self._left:
                raise Killed
            value = found(*args)
            if not self._before and self.calls == self._left:
                raise Killed
            return value

        return script


class FormatRun:
    """One table with a format; `drive` goes on until it is over or waits for a person."""

    def __init__(
        self,
        bus: Bus,
        format_: str,
        *slugs: str,
        answer: Answer | None = None,
        options: Mapping[str, Any] | None = None,
        **fields: str,
    ) -> None:
        """Lay it; nobody drives yet."""
        self.options = {"run": True, **(options or {})}
        rows = {
            "cwd": "/",
            "access": "read-only",
            "view": "own",
            "phase": "debating",
            "options": json.dumps(self.options),
        }
        self.laid = Laid(bus, *slugs, **{**rows, "format": format_, **fields})
        self.door, self.table = self.laid.door, self.laid.table
        self.group = self.laid.group
        self.answer = answer or rehearsed()
        self.said: list[str] = []
        self._driver: Driver | None = None
        from rt_mailbox import groups

        groups.join(self.door, self.table, self.group, "synthesizer")

    @property
    def snapshot(self) -> Reply:
        found = tables.snapshot(self.door, self.table, 10_000)
        assert found is not None
        return found

    @property
    def about(self) -> Reply:
        found: Reply = self.snapshot["table"]
        return found

    def step(self, door: Any = None) -> None:
        """Let the driver look once; a new one when there is none."""
        if self._driver is None or door is not None:
            self._driver = Driver(door or self.door, self.table, lambda: "", self.said.append)
        self._driver.advance(self.snapshot)

    def crash(self) -> None:
        """Take the driver away; the next look replays."""
        self._driver = None

    def drive(self, *, crashing: bool = False, most: int = 400) -> str:
        """Until it is over, or a person is needed: the state. `crashing` takes a new driver for every look."""
        for _ in range(most):
            if crashing and not (self._driver and self._driver.busy):
                self.crash()
            before = self._mark()
            self.step()
            self._answer_all()
            state = status_view.state_of(self.snapshot)
            waits = state in ("awaiting_moderator", "awaiting_synthesis") and not self._open()
            if state in ("done", "failed", "awaiting_moderator") or self.about.get("phase") == "stuck":
                return state
            if waits and self.about.get("asks"):
                return state
            if self._mark() == before:
                self._wait()
        msg = f"no end in sight: {self.said[-5:]}"
        raise AssertionError(msg)

    def dies_at(self, call: int, *, before: bool) -> bool:
        """Drive with a driver that dies at its `call`-th write; True when it got that far and died, and then was replaced."""
        mortal = _Mortal(self.door, call, before=before)
        try:
            for _ in range(400):
                self.step(mortal if self._driver is None else None)
                self._answer_all()
                if self.about.get("phase") in ("done", "failed", "stuck"):
                    return False
                self._wait()
        except Killed:
            self.crash()
            return True
        msg = "no end in sight"
        raise AssertionError(msg)

    def _mark(self) -> str:
        return str(self.snapshot["last_event"])

    def _wait(self) -> None:
        """For a worker to ring, at most a moment."""
        log = key(self.table, "events")
        self.door.command("XREAD", "COUNT", 1, "BLOCK", 20, "STREAMS", log, self._mark())

    def _open(self) -> list[Reply]:
        return [turn for turn in self.snapshot["turns"] if turn["state"] == "open"]

    def _answer_all(self) -> None:
        for turn in self._open():
            text = self.answer(turn["seat"], turn["request"], turn["id"])
            if text is None:
                said = f"[TIMEOUT] {turn['seat']}"
                turns.close(
                    self.door,
                    self.table,
                    turn["id"],
                    "failed",
                    "timeout",
                    message=said,
                    deadline=turn["deadline"],
                )
            else:
                turns.reply(self.door, self.table, turn["seat"], text, turn=turn["id"])

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        found = results.of(self.door, self.table)
        assert found is not None, self.said
        return Outcome.model_validate(found["outcome"])

    def file(self, name: str) -> str:
        """A file it left in RT_HOME."""
        from rt_moderator.shell import table_folder

        return (table_folder(self.table) / name).read_text()

    def steps(self) -> list[str]:
        """The names of what it did, in order."""
        lines = journal.read(self.door, self.table)
        found = {line["n"]: name for name, line in lines.items() if isinstance(line, dict) and "n" in line}
        return [found[n] for n in sorted(found)]

    def requests(self, step: str) -> dict[str, str]:
        """Slug → what it was asked in a step."""
        return {t["seat"]: t["request"] for t in self.snapshot["turns"] if t["step"] == step}

    def messages(self) -> list[Reply]:
        return list(records.messages(self.door, self.table, self.group, [(1, 10**9)]))


__all__ = ["TABLE", "FormatRun", "Killed", "Options", "rehearsed"]
