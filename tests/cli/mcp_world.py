"""MCP servers as real processes: the official client for one, lines by hand for the other."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from mcp import Client, StdioServerParameters

from tests.helpers import BIN, changed_environment


class Person:
    """Somebody with `rt mcp` at hand."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **args: Any) -> dict[str, Any]:
        """What a tool that must succeed gives; its text and its typed form are the same."""
        found = await self.client.call_tool(tool, args)
        (text,) = found.content
        assert text.type == "text"
        assert not found.is_error, (tool, text.text)
        typed: dict[str, Any] = found.structured_content
        assert typed == json.loads(text.text)
        return typed

    async def refused(self, tool: str, **args: Any) -> str:
        """The error_code of a tool that must fail."""
        found = await self.client.call_tool(tool, args)
        (text,) = found.content
        assert found.is_error, (tool, found)
        assert text.type == "text"
        told = json.loads(text.text)
        assert set(told) == {"error_code", "message", "hint"}
        return str(told["error_code"])


@asynccontextmanager
async def person(folder: Path) -> AsyncIterator[Person]:
    """`rt mcp` started in this folder by the official client."""
    server = StdioServerParameters(
        command=str(BIN / "rt"), args=["mcp"], env=changed_environment({}), cwd=folder
    )
    async with Client(server) as client:
        yield Person(client)


class Light:
    """`rt mcp --light` (or another server), spoken to a line at a time."""

    def __init__(
        self, env: Mapping[str, str | None], folder: Path, words: tuple[str, ...] = ("mcp", "--light")
    ) -> None:
        self.process = subprocess.Popen(
            [BIN / "rt", *words],
            env=changed_environment(env),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._last = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is not None:
            self.process.kill()
        assert self.end() == (0 if kind is None else -9)

    def send(self, method: str, params: object = None, *, key: object = None) -> None:
        """Write one message; a notification without a key."""
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.write(json.dumps(message | ({} if key is None else {"id": key})).encode())

    def write(self, line: bytes) -> None:
        """Write one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """A request and its answer."""
        self._last += 1
        self.send(method, params, key=self._last)
        found = self.read()
        assert found["id"] == self._last
        return found

    def call(self, tool: str, **args: Any) -> dict[str, Any]:
        """What a tool that must succeed gives."""
        found = self.ask("tools/call", {"name": tool, "arguments": args})["result"]
        assert not found["isError"], found
        typed: dict[str, Any] = found["structuredContent"]
        return typed

    def end(self) -> int:
        """Close stdin; the exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(10)
        self.process.stdout.close()
        return code
