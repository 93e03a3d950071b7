"""A scripted agent on the official protocol package: `python -m tests.fake_acp_agent FOLDER`.

FOLDER/plan.json says what it does; FOLDER/saw.jsonl holds what it was asked; FOLDER/<session>.json is a session's memory.
A turn of the plan: say (chunks), stop, wait (until a file of that name is there), die (exit status), hang, deaf (a cancel
changes nothing), late (text after a cancel), tool ({kind, locations, options}: asks leave), and error (an RPC error).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import acp
from acp import schema

OPTIONS = ("allow_always", "allow_once", "reject_once")


class FakeAgent:
    """One agent; its plan and its memory outlive it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plan: dict[str, Any] = json.loads((folder / "plan.json").read_text())
        self._client: Any = None
        self._logged_in = not self._plan.get("auth")
        self._cancelled = asyncio.Event()

    def on_connect(self, client: Any) -> None:
        self._client = client

    def _saw(self, what: str, **fields: Any) -> None:
        with (self._folder / "saw.jsonl").open("a") as file:
            file.write(json.dumps({"what": what, "pid": os.getpid(), **fields}) + "\n")

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        self._saw("initialize", group=os.getpgid(0))
        methods: list[Any] = (
            [schema.AuthMethodAgent(id="key", name="key")] if self._plan.get("auth") == "key" else []
        )
        return schema.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=schema.AgentCapabilities(load_session=self._plan.get("load", True)),
            auth_methods=methods,
        )

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        self._saw("authenticate", method=method_id)
        self._logged_in = True
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        if not self._logged_in:
            raise acp.RequestError.auth_required()
        session = f"s{len(list(self._folder.glob('s*.json')))}"
        (self._folder / f"{session}.json").write_text("[]")
        self._saw("new", session=session, cwd=cwd)
        modes = [schema.SessionMode(id=name, name=name) for name in ("default", "plan")]
        state = schema.SessionModeState(available_modes=modes, current_mode_id="default")
        return schema.NewSessionResponse(session_id=session, modes=state)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> schema.LoadSessionResponse:
        self._saw("load", session=session_id, cwd=cwd)
        if self._plan.get("load_fails"):
            raise acp.RequestError.resource_not_found(session_id)
        await self._say(session_id, "an old answer, replayed")
        return schema.LoadSessionResponse()

    async def set_session_mode(self, mode_id: str, **_: Any) -> schema.SetSessionModeResponse:
        self._saw("mode", mode=mode_id)
        return schema.SetSessionModeResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._saw("cancel", session=session_id)
        self._cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> schema.PromptResponse:
        self._cancelled.clear()
        text = prompt[0].text
        file = self._folder / f"{session_id}.json"
        memory = [*json.loads(file.read_text()), text]
        file.write_text(json.dumps(memory))
        count = len(list(self._folder.glob("turn-*")))
        (self._folder / f"turn-{count}").touch()
        self._saw("prompt", session=session_id, text=text)
        turns = self._plan.get("turns", [])
        turn: dict[str, Any] = turns[count] if count < len(turns) else {}
        return await self._take(session_id, turn, len(memory))

    async def _take(self, session: str, turn: dict[str, Any], known: int) -> schema.PromptResponse:
        if "tool" in turn:
            await self._ask_leave(session, turn["tool"])
        for text in turn.get("say", [f"## Position\nI know {known} ", "prompts."]):
            await self._say(session, text)
        if "die" in turn:
            sys.stderr.write("the fake gives up\n")
            sys.stderr.flush()
            os._exit(turn["die"])
        if "error" in turn:
            raise acp.RequestError(-32603, turn["error"])
        stopped = await self._waited(turn)
        if stopped and "late" in turn:
            await self._say(session, turn["late"])
        usage = schema.Usage(total_tokens=15, input_tokens=10, output_tokens=5)
        stop: Any = "cancelled" if stopped and not turn.get("late") else turn.get("stop", "end_turn")
        return schema.PromptResponse(stop_reason=stop, usage=usage)

    async def _waited(self, turn: dict[str, Any]) -> bool:
        """Whether it was cancelled before what it waits for was there."""
        if "wait" not in turn and not turn.get("hang"):
            return False
        while turn.get("hang") or not (self._folder / turn["wait"]).exists():
            if self._cancelled.is_set() and not turn.get("deaf"):
                return True
            await asyncio.sleep(0.02)
        return False

    async def _ask_leave(self, session: str, tool: dict[str, Any]) -> None:
        """A tool call whose paths the agent named when it began."""
        paths = [schema.ToolCallLocation(path=path) for path in tool["locations"]]
        start = acp.start_tool_call("t1", "harmless", kind=tool["kind"], locations=paths)
        await self._client.session_update(session, start)
        options = [
            schema.PermissionOption(option_id=f"o-{kind}", name=kind, kind=kind)
            for kind in tool.get("options", OPTIONS)
        ]
        call = schema.ToolCallUpdate(tool_call_id="t1")
        found = await self._client.request_permission(session_id=session, tool_call=call, options=options)
        self._saw("leave", outcome=found.outcome.model_dump(mode="json"))

    async def _say(self, session: str, text: str) -> None:
        await self._client.session_update(session, acp.update_agent_message_text(text))


if __name__ == "__main__":
    agent: Any = FakeAgent(Path(sys.argv[1]))
    asyncio.run(acp.run_agent(agent))
