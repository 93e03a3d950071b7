"""Drives a format inside the host: carries out what it awaits, as far as that is possible now, and replays it after a crash.

The format's coroutine lives in this process and nowhere else; everything it was told stands in the journal, so that a new
process brings a new coroutine to the same place.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rt_config.errors import BusError, FormatChangedError, FormatError, RoundtableError, StaleHostError
from rt_moderator import formats
from rt_moderator.engine import asks, gates, looks, results, sitting
from rt_moderator.engine.desk import PENDING, Desk
from rt_moderator.engine.model import Outcome, Seat
from rt_moderator.engine.table import NobodyAnsweredError, Table
from rt_moderator.engine.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rt_mailbox.door import Door, Reply
    from rt_moderator.engine.commands import Command


class Driver:
    """One run. `advance` is called whenever something may have happened."""

    def __init__(self, door: Door, table: str, fence: Callable[[], str], say: Callable[[str], None]) -> None:
        """Nothing is read yet."""
        self._door, self._table, self._fence, self._say = door, table, fence, say
        self._desk: Desk | None = None
        self._workers = Workers()
        self._coroutine: Coroutine[Command, Any, Outcome] | None = None
        self._current: Command | None = None
        self._handlers: dict[str, Callable[[Desk, Any], Any]] = {
            **_PLAIN, "once": self._workers.once, "jobs": self._workers.jobs,
        }  # fmt: skip

    def advance(self, snapshot: Reply) -> None:
        """Go on until something must be awaited. A format that cannot go on leaves its table readable, as `stuck`.

        Raises:
            StaleHostError: another host drives it now. BusError: nothing was lost, call it again.
        """
        if not formats.runs(snapshot["table"]):
            return
        try:
            self._advance(snapshot)
        except (StaleHostError, BusError):
            self._again()
            raise
        except FormatChangedError as exc:
            self._stuck(snapshot, exc.error_code, str(exc))
        except RoundtableError as exc:  # something outside refused: the next look tries again
            self._say(f"{self._current.name if self._current else 'format'}: {exc}")
            self._again()
        except Exception as exc:  # a mistake in a format must not take the host with it
            self._say(traceback.format_exc())
            self._stuck(snapshot, "format_error", f"{type(exc).__name__}: {exc}")

    def _again(self) -> None:
        """A coroutine that was over before its end was written down is replayed at the next look."""
        if self._coroutine is None:
            self._desk = None

    @property
    def busy(self) -> bool:
        """Whether work is in progress beside the host."""
        return self._workers.busy

    def close(self) -> None:
        """Begin no more work."""
        self._workers.close()

    def _advance(self, snapshot: Reply) -> None:
        if self._desk is None:
            self._begin(snapshot)
        desk = self._desk
        assert desk is not None  # noqa: S101 (said to the type checker)
        desk.snapshot = snapshot
        while self._coroutine is not None:
            command: Any = self._current
            value = self._handlers[command.kind](desk, command)
            if value is PENDING:
                return
            self._send(value)

    def _begin(self, snapshot: Reply) -> None:
        """A new coroutine, from the seats that the run began with."""
        desk = Desk(self._door, self._table, self._fence, self._say, snapshot)
        about = snapshot["table"]
        start = desk.line("start")
        if start is None:
            version = formats.version(about["format"])
            line = {"format": about["format"], "version": version, "seats": sitting.first(snapshot)}
            start = desk.put("start", line, "format", {"format": about["format"], "version": version})
        self._desk = desk
        table = Table(about, [Seat(**one) for one in start["seats"]], desk.options)
        self._coroutine = formats.load(about["format"])(table)
        self._send(None)

    def _send(self, value: Any) -> None:
        """Tell the format what came of its command; it answers with the next one, or is over."""
        coroutine, desk = self._coroutine, self._desk
        assert coroutine is not None and desk is not None  # noqa: S101, PT018
        desk.number += 1
        try:
            self._current = coroutine.send(value)
        except StopIteration:
            self._coroutine = self._current = None
        except (NobodyAnsweredError, FormatError) as exc:
            self._coroutine = self._current = None
            code = exc.error_code if isinstance(exc, FormatError) else "no_replies"
            why = str(exc) if isinstance(exc, FormatError) else f"nobody answered {exc.step}"
            results.conclude(desk, Outcome(status="failed", result="failed", stop_reason=f"{code}: {why}"))
        except RoundtableError as exc:
            msg = f"the format raised {exc.error_code}: {exc}"
            raise RuntimeError(msg) from exc

    def _stuck(self, snapshot: Reply, code: str, why: str) -> None:
        from rt_mailbox import tables

        self._coroutine = self._current = self._desk = None
        fields = {"phase": "stuck", "stop_reason": f"{code}: {why}"}
        tables.set_table(self._door, self._table, fields, event="stuck", epoch=self._fence())
        self._say(f"{code}: {why}")


_PLAIN: dict[str, Callable[[Desk, Any], Any]] = {
    "ask": asks.ask,
    "retry": asks.retry,
    "gate": gates.gate,
    "moderate": gates.moderate,
    "publish": gates.publish,
    "phase": gates.phase,
    "sit": sitting.sit,
    "look": looks.look,
    "tell": looks.tell,
    "budget": sitting.budget,
    "conclude": results.carry_out,
}
