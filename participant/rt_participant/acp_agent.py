"""An agent process that speaks the Agent Client Protocol on its standard streams. Runs in the session's thread."""

from __future__ import annotations

import asyncio
import logging
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import acp
from acp import schema

from rt_config import processes
from rt_participant import cleaning

if TYPE_CHECKING:
    from rt_participant.acp_client import Client
    from rt_participant.launch import Call

AUTH_REQUIRED = -32000
_LINE_BYTES = 16 * 1024 * 1024
_STDERR_BYTES = 16 * 1024
_CLOSE_SECONDS = 1.0

# The package reports what an agent sends amiss through the root logger, which would print it to the pane.
logging.getLogger().addHandler(logging.NullHandler())


class Agent:
    """One process and the connection to it; every coroutine is called from one loop.

    Errors of `acp` go through as they are: RequestError when the agent refuses, ConnectionError when it is gone,
    ValidationError when what it says is not the protocol.
    """

    def __init__(self, spec: dict[str, Any], client: Client) -> None:
        """Nothing is started yet."""
        self._spec, self._client = spec, client
        self._process: Process | None = None
        self._connection: acp.ClientSideConnection | None = None
        self._offered: schema.InitializeResponse | None = None
        self._errors: asyncio.Task[None] | None = None
        self.identity: processes.Process | None = None
        self.stderr = b""
        self.active = 0.0  # the loop's time of the last message or output

    async def start(self, call: Call) -> None:
        """Start it in a session and process group of its own, and introduce ourselves.

        Raises:
            OSError: it cannot be started.
        """
        if not Path(call.cwd).is_dir():  # noqa: ASYNC240
            raise NotADirectoryError(call.cwd)
        self._process = process = await asyncio.create_subprocess_exec(
            *call.argv, cwd=call.cwd, env=call.env, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LINE_BYTES,
            start_new_session=True,
        )  # fmt: skip
        self.identity = processes.Process(process.pid, processes.start_time(process.pid) or 0.0)
        self._touch()
        self._errors = asyncio.create_task(self._read_errors(process))
        client: Any = self._client
        self._connection = acp.connect_to_agent(
            client, process.stdin, process.stdout, observers=[lambda _: self._touch()]
        )
        self._offered = await self._connection.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(),
            client_info=schema.Implementation(name="rt", title="roundtable", version="0.1"),
        )

    @property
    def can_load(self) -> bool:
        """Whether it says that it can load a session by its id."""
        return bool(
            self._offered
            and self._offered.agent_capabilities
            and self._offered.agent_capabilities.load_session
        )

    async def new_session(self) -> str:
        """A new session in the seat's folder; logs in once when the agent wants that and offers the profile's method."""
        try:
            found = await self._there.new_session(cwd=self._cwd, mcp_servers=[])
        except acp.RequestError as exc:
            method = self._spec["auth_method"]
            offered = {one.id for one in (self._offered and self._offered.auth_methods) or ()}
            if exc.code != AUTH_REQUIRED or method not in offered:
                raise
            await self._there.authenticate(method_id=method)
            found = await self._there.new_session(cwd=self._cwd, mcp_servers=[])
        await self._set_mode(found.session_id, found.modes)
        return str(found.session_id)

    async def load_session(self, session: str) -> str:
        """The session of that id, which an earlier process of this agent had."""
        found = await self._there.load_session(cwd=self._cwd, session_id=session, mcp_servers=[])
        await self._set_mode(session, found.modes if found else None)
        return session

    async def prompt(self, session: str, text: str) -> schema.PromptResponse:
        """Put `text` to the agent; the updates of the answer have all been taken when this returns."""
        self._client.take(session)
        found: schema.PromptResponse = await self._there.prompt(
            session_id=session, prompt=[acp.text_block(text)]
        )
        return found

    async def cancel(self, session: str) -> None:
        """Ask it to stop; what it says from now on does not count."""
        self._client.drop()
        with suppress(ConnectionError, OSError):
            await self._there.cancel(session_id=session)

    async def close(self) -> int | None:
        """Let go of a process that was ended; returns its exit status (negative: a signal), None when it is not known."""
        self._client.drop()
        if self._connection is not None:
            with suppress(Exception):
                await asyncio.wait_for(self._connection.close(), _CLOSE_SECONDS)
        if self._process is None:
            return None
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _CLOSE_SECONDS)
        if self._errors is not None:
            self._errors.cancel()
        # asyncio leaves its pipes open and complains, on the pane, once the loop is gone.
        if (transport := getattr(self._process, "_transport", None)) is not None:
            transport.close()
        await asyncio.sleep(0)
        return self._process.returncode

    @property
    def detail(self) -> str:
        """The end of what it wrote to its standard error."""
        return cleaning.screen(cleaning.decode(self.stderr[-2000:])).strip()

    async def _set_mode(self, session: str, modes: schema.SessionModeState | None) -> None:
        """The profile's mode, when the agent has it; our own permission rule holds in every mode."""
        wanted = self._spec["mode"]
        if (
            not modes
            or wanted == modes.current_mode_id
            or wanted not in {one.id for one in modes.available_modes}
        ):
            return
        try:
            await self._there.set_session_mode(session_id=session, mode_id=wanted)
        except acp.RequestError as exc:
            if (
                "already" not in f"{exc} {exc.data}".lower()
            ):  # a loaded session may say it is in another than it is
                raise

    async def _read_errors(self, process: Process) -> None:
        assert process.stderr is not None  # noqa: S101
        while data := await process.stderr.read(65536):
            self._touch()
            self.stderr = (self.stderr + data)[-_STDERR_BYTES:]

    def _touch(self) -> None:
        self.active = asyncio.get_running_loop().time()

    @property
    def _there(self) -> acp.ClientSideConnection:
        if self._connection is None:
            raise ConnectionError
        return self._connection

    @property
    def _cwd(self) -> str:
        return self._spec["cwd"] or str(Path.cwd())
