"""The sinks of a host's table: a thread each, with a door of its own, so that no receiver ever holds the table up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config import env
from rt_config.errors import BusError, RoundtableError, StaleHostError
from rt_mailbox import access, tables
from rt_mailbox.patience import PatientDoor

if TYPE_CHECKING:
    from rt_config.sinks import Sink
    from rt_mailbox.door import Reply

_AGAIN = 5.0  # seconds after the bus went away
_DECIDES = ("state", "phase", "gate", "asks", "synthesis", "concluded_at")


class Outlets:
    """Call `look` at every look of the host. Without a `[[sink]]` in config.toml it costs one stat."""

    def __init__(self, table: str, say: Callable[[str], None]) -> None:
        """Nothing is started yet."""
        self._table, self._say = table, say
        self._config = 0
        self._threads: list[_Outlet] = []
        self._leaving: list[_Outlet] = []
        self._mark = ""

    def look(self, snapshot: Reply, epoch: str) -> None:
        """Start the sinks that config.toml names, after every change of it, and tell them when the table has something new."""
        changed = _config_changed()
        if changed != self._config:
            for thread in self._threads:
                thread.stop()
            self._leaving += self._threads
            self._threads = []
        self._leaving = [one for one in self._leaving if one.is_alive()]
        if changed != self._config and not self._leaving:
            self._config = changed
            self._threads = [_Outlet(self._table, sink, epoch, self._say) for sink in self._sinks(snapshot)]
            for thread in self._threads:
                thread.start()
        mark = f"{snapshot['head']} " + " ".join(snapshot["table"].get(name, "") for name in _DECIDES)
        if mark != self._mark:
            self._mark = mark
            for thread in self._threads:
                thread.poke()

    def _sinks(self, snapshot: Reply) -> list[Sink]:
        try:
            return [one for one in sinks() if one.takes(snapshot["table"].get("format") or "open")]
        except RoundtableError as exc:
            self._say(f"no sinks: {exc}")
            return []

    def close(self, seconds: float) -> None:
        """Stop; what is due may go out for up to so many seconds, and stays due where it does not (`rt sinks send`)."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.stop(end)
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))


def sinks() -> list[Sink]:
    """The sinks of config.toml.

    Raises:
        BadConfigError.
    """
    if b"sink" not in _text():
        return []
    from rt_config import settings

    return list(settings.load(Path(env.config_file()).parent).sink)


def _text() -> bytes:
    try:
        return Path(env.config_file()).read_bytes()
    except OSError:
        return b""


def _config_changed() -> int:
    try:
        return Path(env.config_file()).stat().st_mtime_ns
    except OSError:
        return 0


class _Outlet(threading.Thread):
    """One sink. It sleeps until it is poked or a pause is over."""

    def __init__(self, table: str, sink: Sink, epoch: str, say: Callable[[str], None]) -> None:
        super().__init__(name=f"sink {sink.name}", daemon=True)
        self._table, self._sink, self._epoch, self._say = table, sink, epoch, say
        self._woken = threading.Condition()
        self._poked, self._end = True, float("inf")

    def poke(self) -> None:
        """The table has something new."""
        with self._woken:
            self._poked = True
            self._woken.notify()

    def stop(self, end: float = 0.0) -> None:
        """End when nothing is due, at that moment of the monotonic clock at the latest."""
        with self._woken:
            self._end = end
            self._poked = True
            self._woken.notify()

    def run(self) -> None:
        """Post until stopped. A sink that cannot be used says so and leaves the table alone."""
        door = PatientDoor(access.open_any().door, say=self._say)
        try:
            while not self._posted(door):
                pass
        except StaleHostError:
            pass  # another host posts now
        except RoundtableError as exc:
            self._off(door, str(exc))
        except Exception as exc:  # a mistake of ours must not go by unsaid; its words might hold the URL
            self._off(door, f"a mistake in rt: {type(exc).__name__}")
        finally:
            door.close()

    def _posted(self, door: PatientDoor) -> bool:
        """Post until it is time to go; False when the bus was away for so long that it begins anew."""
        try:
            self._post(door)
        except BusError as exc:
            self._say(f"sink {self._sink.name}: {exc}")
            return not self._sleep(_AGAIN)
        return True

    def _post(self, door: PatientDoor) -> None:
        from rt_moderator.sinks.poster import Poster

        poster = Poster(door, self._table, self._sink, self._epoch, self._say)
        poster.well()
        while time.monotonic() < self._end:
            with self._woken:
                new, self._poked = self._poked, False
            if new and not poster.look():
                return
            pause = poster.step()
            if pause != 0.0 and not self._sleep(pause):
                return

    def _sleep(self, pause: float | None) -> bool:
        """Wait until something is to be done; False when nothing will be before it is time to go."""
        with self._woken:
            if self._poked:
                return True
            if self._end < float("inf") and (pause is None or time.monotonic() + pause > self._end):
                return False
            self._woken.wait(pause)
            return True

    def _off(self, door: PatientDoor, why: str) -> None:
        self._say(f"sink {self._sink.name}: {why}")
        with suppress(RoundtableError):
            fields = {f"sink/{self._sink.name}": f"off: {why}"}
            tables.set_table(door, self._table, fields, epoch=self._epoch)
