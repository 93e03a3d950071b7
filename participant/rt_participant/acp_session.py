"""A seat's live session with an agent, across turns: opened once, asked once a turn, and gone with all its processes.

The agent is talked to in a thread of its own; events and the pane are written by the caller's thread alone. After any end
but `end_turn` the process goes: what it may still say can then reach no later turn.
"""

from __future__ import annotations

import queue
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import acp
from anyio.from_thread import BlockingPortal, start_blocking_portal
from pydantic import ValidationError

from rt_config import processes
from rt_participant import cleaning, launch, outputs
from rt_participant.acp_agent import AUTH_REQUIRED, Agent
from rt_participant.acp_client import Client
from rt_participant.headless import POLL_SECONDS, Poll, Show
from rt_participant.results import Result, not_started

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import FrameType

Note = Callable[[str, dict[str, str]], None]
_GONE_SECONDS = 0.5  # for the last words of an agent whose process has ended
_LAST_SECONDS = 0.5  # of grace when this runner itself is told to stop
_REASON_CHARS = 200
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class LiveSession:
    """One agent and one session with it. Not for use by two threads."""

    def __init__(self, spec: dict[str, Any], mark: str, protected: list[str]) -> None:
        """Nothing is started yet.

        Args:
            spec: the launch spec of transport acp.
            mark: what `launch.mark_of` gives; every process of the agent carries it.
            protected: folders in which the agent may change nothing.
        """
        self.spec, self.session = spec, ""
        self._call = launch.prepare(spec, "", "", resume=False, mark=mark, folder=Path())
        self._said: queue.Queue[tuple[str, dict[str, str]]] = queue.Queue()
        self._client = Client(self._call.cwd, protected, lambda *said: self._said.put(said))
        self._agent = Agent(spec, self._client)
        self._portals: AbstractContextManager[BlockingPortal] | None = None
        self._portal: BlockingPortal | None = None
        self._started = time.monotonic()
        self._show: Show = lambda _: None
        self._note: Note = lambda _kind, _fields: None
        self._last_poll = 0.0

    def open(self, session: str, poll: Poll) -> Result | None:
        """Start the agent and have a session: a new one, or the one of this id; returns why not, None when it is there.

        `poll` as in `ask`. After a failure everything is closed.
        """
        self._started = time.monotonic()
        self._portals = start_blocking_portal()
        self._portal = self._portals.__enter__()
        for number in _SIGNALS:
            signal.signal(number, _told_to_stop)
        if failed := self._attended(self._portal.start_task_soon(self._agent.start, self._call), poll):
            return failed
        if session and not self._agent.can_load:
            return self._over("it cannot load a session")
        work: Future[str] = (
            self._portal.start_task_soon(self._agent.load_session, session)
            if session
            else self._portal.start_task_soon(self._agent.new_session)
        )
        if failed := self._attended(work, poll):
            return failed
        self.session = work.result()
        return None

    def ask(self, text: str, poll: Poll, show: Show, note: Note) -> Result:
        """Put `text` to the agent and wait for its end of turn.

        Args:
            text: the prompt.
            poll: asked every half second by this thread: the seconds left, or None to cancel.
            show: gets text to show as it comes.
            note: gets the events: tool calls and decided permissions.
        """
        assert self._portal is not None  # noqa: S101
        self._started, self._show, self._note = time.monotonic(), show, note
        before = self._client.cost or 0.0
        work = self._portal.start_task_soon(self._agent.prompt, self.session, text)
        if failed := self._attended(work, poll):
            return failed
        response = work.result()
        self._client.drop()
        answer = outputs.Answer(
            text=self._client.text.strip(),
            session=self.session,
            cost=None if self._client.cost is None else max(0.0, self._client.cost - before),
            usage=usage_of(response.usage),
        )
        if response.stop_reason != "end_turn":
            return self._over(f"it stopped with {response.stop_reason}", "stopped", answer=answer)
        if cleaning.matches(answer.text, self.spec.get("failed_answer", ())):
            return self._failed(" ".join(answer.text.split())[-_REASON_CHARS:])
        return self._result("" if answer.text else "no answer", "", answer=answer)

    def close(self, grace_seconds: float | None = None) -> int | None:
        """End the agent with all its processes; returns its exit status. Safe to repeat."""
        if self._portals is None or self._portal is None:
            return None
        grace = self.spec["kill_grace_seconds"] if grace_seconds is None else grace_seconds
        found = set(processes.marked(launch.MARK, self._call.mark))
        if (root := self._agent.identity) is not None and processes.alive(root.pid, root.started):
            found.update(processes.tree(root.pid))
        processes.kill_tree(found, grace)
        status: int | None = None
        with suppress(RuntimeError, CancelledError):
            status = self._portal.call(self._agent.close)
        portals, self._portals, self._portal, self.session = self._portals, None, None, ""
        with suppress(Exception):
            portals.__exit__(None, None, None)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        return status

    def interrupted(self) -> None:
        """Close for a runner that ends: soon, and not to be interrupted again."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        self.close(_LAST_SECONDS)

    def _attended(self, work: Future[Any], poll: Poll) -> Result | None:
        """Wait for `work`; returns why there is nothing of it, None when it is done."""
        stop = self._waited(work, poll)
        if stop:
            self._drained(work)
            return self._over(_words(stop, self.spec), stop)
        try:
            work.result()
        except OSError as exc:
            return self._refused(exc)
        except acp.RequestError as exc:
            return self._failed(_one_line(exc), auth=exc.code == AUTH_REQUIRED)
        except (ValidationError, TypeError, AttributeError):
            return self._over("what it said is not the protocol", "protocol")
        return None

    def _waited(self, work: Future[Any], poll: Poll) -> str:
        """'' when `work` is done, else why it must not be waited for any more."""
        gone_at = 0.0
        while not work.done():
            self._pump(0.05)
            now = time.monotonic()
            if self._client.flood:
                return "flood"
            if now - self._last_poll < POLL_SECONDS:
                continue
            self._last_poll = now
            if stop := self._due(poll):
                return stop
            root = self._agent.identity
            if root is not None and not processes.alive(root.pid, root.started):
                gone_at = gone_at or now
                if now - gone_at > _GONE_SECONDS:
                    return "died"
        self._pump(0)
        return ""

    def _due(self, poll: Poll) -> str:
        left = poll()
        if left is None:
            return "cancelled"
        if left <= 0:
            return "timeout"
        silence = self.spec["inactivity_seconds"]
        # asyncio's clock is the monotonic one.
        active = max(self._agent.active, self._started)
        return "inactivity" if silence and time.monotonic() - active > silence else ""

    def _drained(self, work: Future[Any]) -> None:
        """Cancel, and give the agent its time to wind up; whatever comes of it does not count."""
        assert self._portal is not None  # noqa: S101
        if self.session:
            self._portal.start_task_soon(self._agent.cancel, self.session)
            ends = time.monotonic() + self.spec["drain_timeout_seconds"]
            root = self._agent.identity
            while (
                not work.done()
                and time.monotonic() < ends
                and root
                and processes.alive(root.pid, root.started)
            ):
                self._pump(0.05)
        work.cancel()

    def _pump(self, seconds: float) -> None:
        """Hand on what the session's thread has said."""
        with suppress(queue.Empty):
            kind, fields = self._said.get(timeout=seconds) if seconds else self._said.get_nowait()
            while True:
                if kind == "show":
                    self._show(fields["text"])
                else:
                    self._note(kind, fields)
                kind, fields = self._said.get_nowait()

    def _failed(self, said: str, *, auth: bool = False) -> Result:
        """The agent reported a failure; whether that was for want of a login stands in its words, or beside them."""
        self.close()
        if auth or cleaning.matches(f"{said}\n{self._agent.detail}", self.spec["auth_failure"]):
            login = f": {self.spec['login']}" if self.spec["login"] else ""
            return self._result(f"not logged in ({said}){login}", "", auth=True)
        return self._result(said, "")

    def _refused(self, exc: OSError) -> Result:
        """It could not be started, or is gone."""
        if not isinstance(exc, ConnectionError):
            self.close()
            return not_started(self.spec, self._call, exc)
        status = self.close()
        code = "" if status is None else f" (signal {-status})" if status < 0 else f" (exit {status})"
        last = self._agent.detail.rpartition("\n")[2][:200]
        return self._result(f"the agent ended{code}" + (f": {last}" if last else ""), "died")

    def _over(
        self, reason: str, stop: str = "", *, auth: bool = False, answer: outputs.Answer | None = None
    ) -> Result:
        self.close()
        return self._result(reason, stop, auth=auth, answer=answer)

    def _result(
        self, reason: str, stop: str, *, auth: bool = False, answer: outputs.Answer | None = None
    ) -> Result:
        seconds = time.monotonic() - self._started
        detail = self._agent.detail
        return Result(answer or outputs.Answer(), reason, stop, None, None, auth, detail, seconds)


def _words(stop: str, spec: dict[str, Any]) -> str:
    if stop == "inactivity":
        return f"inactivity: nothing came for {spec['inactivity_seconds']:g} s"
    return "the agent ended" if stop == "died" else stop


def usage_of(usage: Any) -> dict[str, int]:
    """What the protocol says of tokens, by kind."""
    if usage is None:
        return {}
    found = {"input": usage.input_tokens, "output": usage.output_tokens, "cached": usage.cached_read_tokens}
    return {name: count for name, count in found.items() if count is not None}


def _one_line(exc: acp.RequestError) -> str:
    details = exc.data.get("details") or exc.data.get("message") if isinstance(exc.data, dict) else None
    return " ".join(f"{exc}: {details}".split() if details else str(exc).split())[:_REASON_CHARS]


def _told_to_stop(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
