"""What both MCP servers share: the types of arguments, results that every client can take, waits that end."""

from __future__ import annotations

import time

import pytest

from rt_config.errors import UsageError
from rt_mailbox.mailbox import Mailbox
from rt_moderator.mcp import server
from rt_moderator.mcp.connection import Connection
from rt_participant import tools
from tests.helpers import Bus

TAKES = {
    "a!": "text", "n": "count", "s": "seconds", "f": "flag", "many": "texts", "by": "words", "x": "any",
}  # fmt: skip
TOOL = tools.Tool("sample", "A sample.", TAKES, {"done!": "flag"}, lambda _, args: args)


@pytest.mark.parametrize(
    "given",
    [
        {}, {"a": 1}, {"a": None}, {"a": "x", "n": -1}, {"a": "x", "n": True}, {"a": "x", "n": 1.5}, {"a": "x", "s": "1"},
        {"a": "x", "f": 1}, {"a": "x", "many": "one"}, {"a": "x", "many": [1]}, {"a": "x", "by": {"k": 1}}, {"a": "x", "b": "y"},
    ],
)  # fmt: skip
def test_arguments_of_another_type_are_refused(given: dict[str, object]) -> None:
    """A missing, unknown or mistyped argument is a usage error before anything is done."""
    with pytest.raises(UsageError):
        TOOL.checked(given)


def test_what_fits_is_taken() -> None:
    """Null means absent; a whole number is a number of seconds too."""
    given = {"a": "x", "n": 0, "s": 2, "f": False, "many": [], "by": {"k": "v"}, "x": [1]}
    assert TOOL.checked(given | {"f": None}) == {name: value for name, value in given.items() if name != "f"}
    listed = TOOL.listed()
    assert listed["inputSchema"]["required"] == ["a"]
    assert listed["inputSchema"]["additionalProperties"] is False
    assert listed["outputSchema"]["required"] == ["done"]


def test_bytes_that_are_no_text_are_marked() -> None:
    """No result holds a lone surrogate: several clients refuse the whole message then."""
    found = tools.payload(tools.Answer({"messages": [{"body": "caf\udce9 ok"}]}))
    assert found["structuredContent"] == {"messages": [{"body": "caf� ok"}]}


def test_a_call_that_goes_wrong_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """An error of nobody's making has the code `internal`, its trace goes to stderr, and the server lives."""
    broken = tools.Tool("broken", "", {}, {}, lambda _, args: args["missing"])
    found = tools.answer(broken, None, {})  # type: ignore[arg-type]
    assert (found.error, found.result["error_code"]) == (True, "internal")
    assert "KeyError" in capsys.readouterr().err


def test_a_wait_ends_with_its_request() -> None:
    """A cancelled wait asks no more; one with a timeout asks at least once and ends in time."""
    asked: list[float] = []

    def never(seconds: float) -> bool:
        asked.append(seconds)
        time.sleep(min(seconds, 0.01))
        return False

    assert tools.patiently(never, None, lambda: len(asked) == 1) is False
    assert len(asked) == 1
    began = time.monotonic()
    assert tools.patiently(never, 0.05, lambda: False) is False
    assert time.monotonic() - began < 1
    assert tools.patiently(lambda _: True, 0, lambda: False) is True


def test_every_tool_says_what_it_is_for() -> None:
    """Names are one namespace, types are known, and each tool has a sentence."""
    for name, tool in server.ALL.items():
        assert name == tool.name
        assert tool.about.endswith(".")
        assert tool.listed()["inputSchema"]["type"] == "object"
    assert len(server.ALL) > 30


def test_what_a_cancelled_call_took_goes_back(bus: Bus, rt_home: object) -> None:
    """Mail that was leased for a request which was taken back is due at once, and the connection holds nothing."""
    import threading

    connection, stop = Connection(str(rt_home)), threading.Event()
    stop.set()
    with Mailbox(bus.url) as box:
        box.send_mail("agent-deck/notes", "ann", "hello")
        found = server._run(connection, "mailbox_recv", {"addresses": ["agent-deck/notes"]}, stop)
        assert found.result["status"] == "received"
        assert connection.held() == {}
        assert [one.body for one in box.recv("agent-deck/notes")] == ["hello"]
