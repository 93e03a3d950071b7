"""`rt mcp --light`: the participant's tools over MCP, for seats. JSON-RPC a line each way, on the standard library alone.

The official package costs a second and 60 MB, and every seat would pay that. What it would give beyond these methods a
seat does not use. Ends when stdin does.
"""

from __future__ import annotations

import _thread
import json
import sys

from rt_mailbox import access
from rt_participant import hot, show, tools, turn_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import Any

    from rt_participant.acts import Actor
    from rt_participant.tools import Result

LATEST = "2025-11-25"
_NAME = "roundtable"
_INSTRUCTIONS = (
    "You sit at a roundtable. roundtable_turn shows what is asked of you, roundtable_reply answers it. "
    "Nobody reads what you say elsewhere."
)
_writing = _thread.allocate_lock()  # the lines of two threads must not mix
_PARSE, _INVALID, _UNKNOWN, _PARAMS = -32700, -32600, -32601, -32602


class Refused(Exception):  # noqa: N818 (a protocol's answer, no error of ours)
    """A request that the protocol refuses: code, message."""


class SeatCall:
    """One call in a seat: a connection of its own, so that a wait on a thread disturbs nobody."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self._stop = stop
        self._open: list[Actor] = []

    def actor(self, args: Result, use: str = "") -> Actor:
        """The seat itself; the moderator on an operator's own shell."""
        who = access.seat()
        found = access.open_any(who)
        actor = hot.actor_for(found, who, args.get("table") or "", "")
        self._open.append(actor)
        return actor

    def cancelled(self) -> bool:
        """Whether the client has taken the request back."""
        return self._stop is not None and self._stop.is_set()

    def close(self) -> None:
        """Give the connections up."""
        for actor in self._open:
            actor.door.close()


class Server:
    """One connection. Waits run on threads; everything else is answered in its order."""

    def __init__(self) -> None:
        self._tools = tools.named(turn_tools.tools({}, {}))
        self._waits: dict[Any, threading.Event] = {}
        self._methods: dict[str, Callable[[Result], Result]] = {
            "initialize": _initialize,
            "ping": lambda _: {},
            "tools/list": lambda _: {"tools": [tool.listed() for tool in self._tools.values()]},
        }

    def line(self, raw: bytes) -> None:
        """Answer one line.

        Raises:
            OSError: the reader of our answers went away.
        """
        try:
            message = json.loads(raw)
        except ValueError:
            _refuse(None, _PARSE, "not JSON")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if not (isinstance(message, dict) and ("result" in message or "error" in message)):
                _refuse(None, _INVALID, "not a request")
            return
        params = message.get("params") or {}
        if "id" not in message:
            self._notified(message["method"], params)
            return
        try:
            self._request(message["id"], message["method"], params)
        except Refused as exc:
            _refuse(message["id"], *exc.args)

    def _notified(self, method: str, params: Any) -> None:
        if method == "notifications/cancelled" and isinstance(params, dict):
            stop = self._waits.get(params.get("requestId"))
            if stop is not None:
                stop.set()

    def _request(self, key: Any, method: str, params: Any) -> None:
        if not isinstance(params, dict):
            raise Refused(_PARAMS, "params must be an object")
        if method == "tools/call":
            self._call(key, params)
        elif method in self._methods:
            _send({"id": key, "result": self._methods[method](params)})
        else:
            raise Refused(_UNKNOWN, f"unknown method {method}")

    def _call(self, key: Any, params: Result) -> None:
        tool, given = self._tools.get(str(params.get("name"))), params.get("arguments") or {}
        if tool is None or not isinstance(given, dict):
            raise Refused(_PARAMS, f"unknown tool {params.get('name')}" if tool is None else "bad arguments")
        if tool.name != "roundtable_wait":
            _answer(key, tool, SeatCall(), given)
            return
        import threading

        stop = self._waits[key] = threading.Event()
        threading.Thread(target=self._wait, args=(key, tool, stop, given), daemon=True).start()

    def _wait(self, key: Any, tool: tools.Tool, stop: threading.Event, given: Result) -> None:
        try:
            _answer(key, tool, SeatCall(stop), given)
        except OSError:  # nobody listens; the main thread ends with stdin
            return
        finally:
            self._waits.pop(key, None)


def _answer(key: Any, tool: tools.Tool, call: SeatCall, given: Result) -> None:
    """Run the tool and write what it gives; only what was written is marked as read."""
    try:
        found = tools.answer(tool, call, given)
        if call.cancelled():
            return
        _send({"id": key, "result": tools.payload(found)})
        if found.commit is not None:
            found.commit()
    finally:
        call.close()


def _initialize(params: Result) -> Result:
    asked = params.get("protocolVersion")
    dated = isinstance(asked, str) and len(asked) == 10 and asked.replace("-", "").isdigit()
    return {
        "protocolVersion": asked if dated else LATEST,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": _NAME, "version": "1"},
        "instructions": _INSTRUCTIONS,
    }


def _refuse(key: Any, code: int, message: str) -> None:
    _send({"id": key, "error": {"code": code, "message": message}})


def _send(message: Result) -> None:
    with _writing:
        show.emit(show.dumps({"jsonrpc": "2.0", **message}) + "\n")


def main() -> int:
    """Serve stdin to stdout until it ends; returns the exit code.

    Raises:
        OSError: the reader of our answers went away.
    """
    server = Server()
    for raw in sys.stdin.buffer:
        if raw.strip():
            server.line(raw)
    return 0
