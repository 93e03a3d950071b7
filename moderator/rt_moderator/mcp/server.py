"""The protocol: the official server on stdio. Tools run on threads; what they read is marked when its answer was written."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from rt_moderator.mcp import (
    handlers_deck,
    handlers_format,
    handlers_group,
    handlers_mail,
    handlers_seats,
    handlers_settling,
    handlers_start,
    handlers_table,
    resources,
)
from rt_moderator.mcp.connection import Call, Connection
from rt_participant import tools, turn_tools
from rt_participant.show import dumps

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    Context = ServerRequestContext[Any]

_INSTRUCTIONS = (
    "Roundtables: you moderate, agents in seats answer, the group is the record. roundtable_start lays a table; "
    "roundtable_say asks, roundtable_wait waits, roundtable_drain reads, roundtable_synthesis concludes a round. "
    "mailbox_* and agent_deck_* are the parts underneath."
)
_WHO = {**handlers_table.TABLE, "as_person": "text Who acts; default moderator."}
_FOR = {"for": "text any (default): something to drain; all: no turn is open; or a number of replies."}
ALL = tools.named(
    [
        *handlers_mail.TOOLS, *handlers_settling.TOOLS, *handlers_group.TOOLS, *handlers_deck.TOOLS, *handlers_start.TOOLS,
        *handlers_table.TOOLS, *handlers_format.TOOLS, *handlers_seats.TOOLS, *turn_tools.tools(_WHO, _FOR),
    ]
)  # fmt: skip


class Wire:
    """Our stdout: runs what a request left to be done once its answer was written whole."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._after: dict[Any, Callable[[], object]] = {}
        self._done: list[Callable[[], object]] = []

    def after(self, request: Any, then: Callable[[], object]) -> None:
        """Run `then` when the answer to this request was written."""
        self._after[request] = then

    async def write(self, line: str) -> None:
        """Write one message whole; a client that went away ends the process, with nothing of it marked as read."""
        raw = line.encode("utf-8", "replace")
        try:
            await anyio.to_thread.run_sync(_write_all, self._fd, raw)
        except OSError:
            os._exit(
                1
            )  # the thread that reads stdin cannot be interrupted; any process may be killed anywhere
        if self._after and (then := self._after.pop(_answered(line), None)):
            self._done.append(then)

    async def flush(self) -> None:
        """After each message; what a commit raises is nobody's answer any more: it is shown again."""
        while self._done:
            await anyio.to_thread.run_sync(_quietly, self._done.pop(0))


def _answered(line: str) -> Any:
    import json

    message = json.loads(line)
    return message.get("id") if "result" in message else None


def _write_all(fd: int, raw: bytes) -> None:
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _quietly(then: Callable[[], object]) -> None:
    import sys

    from rt_config.errors import RoundtableError

    try:
        then()
    except RoundtableError as exc:
        sys.stderr.write(f"not marked as read: {exc}\n")


def _run(connection: Connection, name: str, given: dict[str, Any], stop: threading.Event) -> tools.Answer:
    """One call on a thread of its own; what a cancelled one took goes back at once."""
    call = Call(connection, stop.is_set)
    try:
        found = tools.answer(ALL[name], call, given)
        if stop.is_set() and found.undo is not None:
            found.undo()
        if found.commit is None:
            call.close()
            return found
        commit = found.commit
    except BaseException:
        call.close()
        raise

    def then() -> None:
        try:
            commit()
        finally:
            call.close()

    found.commit = then
    return found


def _read_resource(connection: Connection, uri: str) -> dict[str, Any] | None:
    call = Call(connection)
    try:
        return resources.read(call, uri)
    finally:
        call.close()


def build(connection: Connection, wire: Wire) -> Server[Any]:
    """The server of one connection."""

    async def list_tools(_: Context, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": [tool.listed() for tool in ALL.values()]})

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in ALL:
            raise MCPError(types.INVALID_PARAMS, f"unknown tool {params.name}")
        stop = threading.Event()
        try:
            found = await anyio.to_thread.run_sync(
                _run, connection, params.name, params.arguments or {}, stop, abandon_on_cancel=True
            )
        finally:
            stop.set()
        if found.commit is not None:
            wire.after(context.request_id, found.commit)
        return types.CallToolResult.model_validate(tools.payload(found))

    async def list_resources(_: Context, __: Any) -> types.ListResourcesResult:
        rows = [
            {"uri": uri, "name": name, "description": about, "mimeType": "application/json"}
            for uri, (name, about) in resources.RESOURCES.items()
        ]
        return types.ListResourcesResult.model_validate({"resources": rows})

    async def read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        found = await anyio.to_thread.run_sync(_read_resource, connection, uri)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"unknown resource {uri}")
        row = {"uri": uri, "mimeType": "application/json", "text": dumps(found)}
        return types.ReadResourceResult.model_validate({"contents": [row]})

    return Server(
        "roundtable", version="1", instructions=_INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool,
        on_list_resources=list_resources, on_read_resource=read_resource,
    )  # fmt: skip


async def _serve(server: Server[Any], wire: Wire) -> None:
    async with stdio_server(stdout=wire) as (incoming, outgoing):  # type: ignore[arg-type]
        await server.run(incoming, outgoing, server.create_initialization_options())


def serve() -> int:
    """Serve stdin to stdout until stdin ends; returns the exit code."""
    fd = os.dup(1)
    os.dup2(2, 1)  # what anything else prints must not get between the messages
    wire = Wire(fd)
    anyio.run(_serve, build(Connection(os.path.realpath(".")), wire), wire)
    return 0
