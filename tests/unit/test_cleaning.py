"""From what a CLI printed to an answer: plain text, and values picked out of its JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_config import profiles
from rt_config.settings import Settings
from rt_participant import cleaning, outputs

CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "## Position\nyes",
    "session_id": "4f1c",
    "total_cost_usd": 0.012,
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 5},
}
CLAUDE_START = {"type": "system", "subtype": "init", "session_id": "4f1c", "model": "some-model-1"}
LLM = {"response": "yes", "conversation_id": "01k", "model": "m", "input_tokens": None}
CODEX = [
    {"type": "thread.started", "thread_id": "0199-abc"},
    {"type": "item.completed", "item": {"type": "error", "message": "a warning"}},
    {"type": "item.completed", "item": {"type": "reasoning", "text": "thinking"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "## Position\nyes"}},
    {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 2, "output_tokens": 5}},
]


def rules(name: str) -> dict[str, Any]:
    profile = profiles.load(Settings())[name]
    return dict(profiles.launch_spec(profile)["output"])


def answer(name: str, printed: bytes) -> outputs.Answer:
    collector = outputs.Collector(rules(name))
    for at in range(0, len(printed), 7):
        collector.feed(printed[at : at + 7])
    return outputs.read(rules(name), collector.close())


def test_a_result_is_read_whole() -> None:
    """S1.13, S3.29: answer, session, cost, model and usage come from the CLI's own result."""
    found = answer("claude", json.dumps(CLAUDE_START).encode() + b"\n" + json.dumps(CLAUDE).encode())
    assert found == outputs.Answer(
        text="## Position\nyes",
        session="4f1c",
        model="some-model-1",
        error="## Position\nyes",
        cost=0.012,
        usage={"input": 10, "cached": 4, "output": 5},
    )


def test_an_error_in_a_successful_looking_result_is_seen() -> None:
    """The error flag counts, whatever the subtype says."""
    found = answer("claude", json.dumps(CLAUDE | {"is_error": True, "result": "Not logged in"}).encode())
    assert found.failed
    assert found.error == "Not logged in"


def test_warnings_around_a_json_result_do_not_hide_it() -> None:
    """Lines before and after the object are skipped."""
    assert answer("llm", b"Warning: slow disk\n" + json.dumps(LLM).encode() + b"\nbye\n").text == "yes"


def test_events_are_read_line_by_line() -> None:
    """S1.13: the last message is the answer; warnings and reasoning are not."""
    printed = b"not json\n" + b"\r\n".join(json.dumps(one).encode() for one in CODEX)
    found = answer("codex", printed)
    assert (found.text, found.session) == ("## Position\nyes", "0199-abc")
    assert found.usage == {"input": 10, "cached": 2, "output": 5}
    assert not found.failed


def test_an_array_of_results_is_read_too() -> None:
    """A CLI that prints one array has its elements looked at."""
    printed = json.dumps(
        [{"response": "yes", "conversation_id": "01k", "model": "m", "input_tokens": None}]
    ).encode()
    found = answer("llm", printed)
    assert (found.text, found.session, found.model, found.usage) == ("yes", "01k", "m", {})


@pytest.mark.parametrize("session", ["--last", "a b", "", "x" * 300, "a\nb", "\ud800"])
def test_a_session_that_could_be_an_option_is_not_taken(session: str) -> None:
    """What a CLI calls its session goes into an argv, and never as anything but a plain word."""
    assert answer("claude", json.dumps(CLAUDE | {"session_id": session}).encode()).session == ""


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("\x1b[1mbold\x1b[0m \x1b[38;5;12mblue\x1b[m", "bold blue"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\", "ab"),
        ("\x1b[201~; rm -rf /", "; rm -rf /"),
        ("10%\r50%\rdone\r\nnext\r\n", "done\nnext"),
        ("a\x00b\x07c\x7fd\x9be", "abcd"),
        ("tab\tstays", "tab\tstays"),
        ("\x1bPdcs\x1b\\x\x1b(By\x1b", "xy"),
        ("unended \x1b]0;title\nnext", "unended \nnext"),
    ],
)
def test_terminal_sequences_and_progress_bars_are_gone(printed: str, text: str) -> None:
    """S1.13: what is left is what a person would read."""
    collector = outputs.Collector(rules("rehearsal"))
    collector.feed(printed.encode())
    assert outputs.read(rules("rehearsal"), collector.close()).text == text


def test_the_rules_of_a_cli_drop_its_banner_lines() -> None:
    """S1.13: tool errors and banners are dropped by prefix and by pattern; a pattern that is none drops nothing."""
    text = "Loading model\n## Position\n[tool] failed: x\nyes\n"
    changed = rules("rehearsal") | {"drop_prefixes": ["Loading"], "drop_patterns": [r"^\[tool\] failed", "("]}
    assert outputs.read(changed, text.encode()).text == "## Position\nyes"


def test_undecodable_bytes_are_marked() -> None:
    """Invalid UTF-8 is replaced and stops nothing."""
    assert outputs.read(rules("rehearsal"), b"a\xff\xfeb").text == "a\ufffd\ufffdb"


_JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["result", "usage", "type", "item", "text", "is_error", "response", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["claude", "codex", "llm", "rehearsal"]))
def test_any_bytes_are_read_without_a_crash(printed: bytes, name: str) -> None:
    """Whatever a CLI prints, there is an answer or none, and it is plain."""
    found = answer(name, printed)
    assert cleaning.plain(found.text) == found.text


def test_a_rule_can_join_add_and_name_keys() -> None:
    """S2.33: of several matching records a rule takes the last, the first, all text or the sum."""
    records = (
        b'{"t": "a", "n": 1, "m": {"big": 2}}\n{"t": "b", "n": 2.5, "m": {"big": 2}}\n{"t": 3, "n": "x"}'
    )
    changed = rules("codex") | {
        "answer": [_rule("t", "join")],
        "cost": [_rule("n", "sum")],
        "model": [_rule("m.@key", "first")],
    }
    found = outputs.read(changed, records)
    assert (found.text, found.cost, found.model) == ("ab", 3.5, "big")


def _rule(path: str, take: str) -> dict[str, Any]:
    return {"path": path, "where": {}, "take": take}


@settings(max_examples=200, deadline=None)
@given(st.lists(_JSONISH, max_size=4), st.sampled_from(["claude", "codex", "llm"]))
def test_any_json_is_read_without_a_crash(records: list[Any], name: str) -> None:
    """Values of any shape where a rule looks are taken or left, never an error."""
    answer(name, "\n".join(json.dumps(one) for one in records).encode())


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_plain_text_has_nothing_for_a_terminal(text: str) -> None:
    """No control character but tab and line feed survives, and doing it twice changes nothing."""
    once = cleaning.plain(text)
    assert not [
        c
        for c in once
        if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000
    ]
    assert cleaning.plain(once) == once
