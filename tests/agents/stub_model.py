"""A model server on loopback that needs no key and says what the test wants: what real agent CLIs talk to in the tests.

Speaks Anthropic Messages, OpenAI Responses and Chat Completions and Gemini's generateContent, streamed or whole as asked.
Every request is kept. `reply` may take its time: each request has a thread of its own.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = (10, 5)  # tokens in and out of every answer


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for an answer."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def model(self) -> str:
        named = self.path.rpartition("/")[2].partition(":")[0] if "contents" in self.body else ""
        return str(self.body.get("model", named))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that were offered."""
        found: list[str] = []
        for tool in self.body.get("tools") or []:
            several = tool.get("functionDeclarations") or [tool.get("function") or tool]
            found += [str(one.get("name", "")) for one in several]
        return found

    @property
    def called(self) -> bool:
        """Whether a tool was called already."""
        marks = ('"role": "tool"', '"functionResponse"', '"type": "tool_result"', '"function_call_output"')
        return any(mark in json.dumps(self.body) for mark in marks)

    @property
    def results(self) -> list[str]:
        """What tools gave since the user last said anything, as JSON."""
        found: list[str] = []
        for item in self.body.get("messages") or self.body.get("input") or self.body.get("contents") or []:
            if isinstance(item, dict):
                found = _results(item, found)
        return found

    @property
    def conversation(self) -> list[tuple[str, str]]:
        """(role, text) of every message with text, in order, whatever the protocol."""
        items = self.body.get("messages") or self.body.get("input") or self.body.get("contents") or []
        if isinstance(items, str):
            return [("user", items)]
        found = [(str(item.get("role", "")), _text(item.get("content", item.get("parts")))) for item in items]
        found = [("assistant" if role == "model" else role, text) for role, text in found]
        return [(role, text) for role, text in found if role in ("user", "assistant") and text]


@dataclass
class StubModel:
    """What the server does, to be changed while it runs, and what it was asked."""

    url: str = ""
    reply: Callable[[Asked], str] = lambda asked: f"## Position\nanswer {len(asked.conversation)}"
    status: int = 200
    tool: tuple[str, dict[str, Any]] | None = (
        None  # called once a conversation, offered or not, before the reply
    )
    script: Callable[[Asked], tuple[str, dict[str, Any]] | None] | None = (
        None  # which tool is called next, if any
    )
    asked: list[Asked] = field(default_factory=list)

    def main_requests(self, marker: str) -> list[Asked]:
        """Requests that hold `marker` in what the user said; agents also ask for titles and the like."""
        return [
            one
            for one in self.asked
            if any(marker in text for role, text in one.conversation if role == "user")
        ]


@contextmanager
def serving() -> Iterator[StubModel]:
    """A stub on a free port, until the block is left."""
    stub = StubModel()

    class Handler(_Handler):
        model = stub

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: StubModel

    def log_message(self, *args: object) -> None:
        """Say nothing: the tests look at `asked`."""

    def do_HEAD(self) -> None:
        self._whole(200, {})

    def do_GET(self) -> None:
        known = "models" in self.path
        entry = {
            "id": "stub-1",
            "object": "model",
            "type": "model",
            "display_name": "Stub",
            "created_at": "2026-01-01T00:00:00Z",
        }
        self._whole(
            200 if known else 404,
            {"object": "list", "data": [entry], "models": []} if known else {"error": "not found"},
        )

    def do_POST(self) -> None:
        body = self._body()
        if "count_tokens" in self.path:
            return self._whole(200, {"input_tokens": USAGE[0]})
        answer = self._protocol()
        if answer is None:
            return self._whole(404, {"error": {"message": "not found"}})
        asked = Asked(self.path, body, {name.lower(): value for name, value in self.headers.items()})
        self.model.asked.append(asked)
        if self.model.status != 200:
            error: dict[str, Any] = {
                "type": "authentication_error",
                "message": "Incorrect API key provided: the stub refuses",
                "code": str(self.model.status),
            }
            if "contents" in body:
                error |= {"code": self.model.status, "status": "UNAUTHENTICATED"}
            return self._whole(self.model.status, {"type": "error", "error": error})
        with suppress(ConnectionError):  # the caller may have been killed meanwhile
            answer(asked, self.model.reply(asked))
        return None

    def _protocol(self) -> Callable[[Asked, str], None] | None:
        path = self.path.partition("?")[0]
        known = {
            "/messages": self._anthropic,
            "/responses": self._responses,
            "/chat/completions": self._chat,
            "enerateContent": self._gemini,
        }
        return next((act for end, act in known.items() if path.endswith(end)), None)

    def _tool(self, asked: Asked) -> tuple[str, dict[str, Any]] | None:
        if self.model.script is not None:
            return self.model.script(asked) if asked.tools else None
        return self.model.tool if asked.tools and not asked.called else None

    def _anthropic(self, asked: Asked, text: str) -> None:
        message: dict[str, Any] = {
            "id": f"msg_{len(self.model.asked)}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": USAGE[0], "output_tokens": 0},
        }
        if not asked.body.get("stream"):
            usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}
            content = [{"type": "text", "text": text}]
            return self._whole(200, message | {"content": content, "stop_reason": "end_turn", "usage": usage})
        empty: dict[str, Any] = {"type": "text", "text": ""}
        part = {"type": "text_delta", "text": text}
        end = {"stop_reason": "end_turn", "stop_sequence": None}
        if tool := self._tool(asked):
            empty = {"type": "tool_use", "id": f"toolu_{len(self.model.asked)}", "name": tool[0], "input": {}}
            part = {"type": "input_json_delta", "partial_json": json.dumps(tool[1])}
            end["stop_reason"] = "tool_use"
        return self._events(
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": part},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": USAGE[1]}},
            {"type": "message_stop"},
        )

    def _responses(self, asked: Asked, text: str) -> None:
        number = len(self.model.asked)
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        if tool := self._tool(asked):
            space, _, name = tool[0].rpartition("/")
            item = {
                "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name,
                "arguments": json.dumps(tool[1]), "status": "completed", **({"namespace": space} if space else {}),
            }  # fmt: skip
        usage = {
            "input_tokens": USAGE[0],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": USAGE[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(USAGE),
        }
        response = {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 1,
            "model": asked.model,
            "status": "completed",
            "output": [item],
            "usage": usage,
        }
        return self._events(
            {"type": "response.created", "response": response | {"status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        )

    def _chat(self, asked: Asked, text: str) -> None:
        usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
        base = {"id": f"chat_{len(self.model.asked)}", "created": 1, "model": asked.model}
        said: dict[str, Any] = {"role": "assistant", "content": text}
        reason = "stop"
        if tool := self._tool(asked):
            function = {"name": tool[0], "arguments": json.dumps(tool[1])}
            call = {
                "index": 0,
                "id": f"call_{len(self.model.asked)}",
                "type": "function",
                "function": function,
            }
            said, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        if not asked.body.get("stream"):
            choice = {"index": 0, "message": said, "finish_reason": reason}
            return self._whole(200, base | {"object": "chat.completion", "usage": usage, "choices": [choice]})
        chunk = base | {"object": "chat.completion.chunk"}
        return self._events(
            chunk | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
            "[DONE]",
        )

    def _gemini(self, asked: Asked, text: str) -> None:
        tool = self._tool(asked)
        part = {"functionCall": {"name": tool[0], "args": tool[1]}} if tool else {"text": text}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {
            "promptTokenCount": USAGE[0],
            "candidatesTokenCount": USAGE[1],
            "totalTokenCount": sum(USAGE),
        }
        whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": asked.model}
        return self._events(whole) if "stream" in asked.path else self._whole(200, whole)

    def _body(self) -> dict[str, Any]:
        if "chunked" in self.headers.get("transfer-encoding", ""):
            raw = b"".join(self._chunks())
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            found = json.loads(raw or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _whole(self, status: int, value: object) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _events(self, *events: dict[str, Any] | str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"{name}data: {data}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def _results(item: dict[str, Any], found: list[str]) -> list[str]:
    """The tool results so far, after one more item of a conversation."""
    raw, parts = json.dumps(item), item.get("content", item.get("parts"))
    if item.get("role") == "tool" or item.get("type") == "function_call_output":
        return [*found, raw]
    blocks = [one for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
    several = [
        json.dumps(one) for one in blocks if one.get("type") == "tool_result" or "functionResponse" in one
    ]
    if several:
        return [*found, *several]
    return [] if item.get("role") == "user" else found
