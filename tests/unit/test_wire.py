"""Messages as JSON: names, times, citations, every byte."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_mailbox import wire
from rt_mailbox.messages import Message, MessageOut, as_dict

MESSAGE = Message(12, "participant/a", "reply", 3, "r3/a", "s", "See m2 and m7.", 1_796_047_625_629, 4)


def test_a_message_has_the_names_of_the_contract() -> None:
    """The JSON holds exactly what scripts rely on, under these names."""
    assert wire.to_json(as_dict(MESSAGE), "rt-x") == {
        "seq": 12,
        "id": "rt-x/m12",
        "from": "participant/a",
        "kind": "reply",
        "round": 3,
        "turn": "r3/a",
        "subject": "s",
        "body": "See m2 and m7.",
        "sent_at": "2026-11-30T14:07:05.629Z",
        "citations": [2, 7],
    }


def test_the_model_is_the_same_json() -> None:
    """The typed model at the JSON edge and the light function never differ."""
    model = MessageOut.of(MESSAGE, "rt-x")
    assert model.model_dump(by_alias=True) == wire.to_json(as_dict(MESSAGE), "rt-x")
    assert (model.sender, MESSAGE.citations) == ("participant/a", model.citations)


def test_json_keeps_every_byte() -> None:
    """Bytes that are no UTF-8 go through the model and JSON and come back."""
    raw = bytes(range(256))
    message = MESSAGE._replace(body=raw.decode("utf-8", "surrogateescape"))
    text = json.dumps(MessageOut.of(message, "rt-x").model_dump(by_alias=True))
    assert text.isascii()
    assert json.loads(text)["body"].encode("utf-8", "surrogateescape") == raw


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("", []),
        ("m12", [12]),
        ("as m3 and m12 say, and m3 again", [3, 12]),
        ("(m1), m2; m3:m4/m5-m6\nm7", [1, 2, 3, 4, 5, 6, 7]),
        ("rt-x/m9", [9]),
        ("team4 xm5 m6x m7_ _m8 ém9 m10é", []),
        ("m0 m01 m m- M5 mm3", []),
        ("m١", []),
        ("m" + "1" * 5000, []),
    ],
)
def test_citations_are_words_of_m_and_a_number(body: str, found: list[int]) -> None:
    """The m of m12 starts a word and the digits end it; each number once, in order."""
    assert wire.citations(body) == found


@given(st.lists(st.integers(1, 10**6)))
def test_every_citation_is_found(seqs: list[int]) -> None:
    """However many there are."""
    assert wire.citations(", ".join(f"m{seq}" for seq in seqs)) == list(dict.fromkeys(seqs))


@given(st.integers(0, 4_000_000_000_000))
def test_times_are_iso_in_utc(ms: int) -> None:
    """To the millisecond, as datetime would write them."""
    expected = datetime.fromtimestamp(ms // 1000, UTC).replace(microsecond=ms % 1000 * 1000)
    assert datetime.fromisoformat(wire.iso(ms)) == expected
    assert len(wire.iso(ms)) == 24


def test_the_hot_door_imports_nothing_heavy() -> None:
    """What a turn's command needs of the bus brings in neither redis-py nor pydantic, asyncio, re, json or pathlib."""
    heavy = {"redis", "pydantic", "asyncio", "re", "pathlib", "typing", "socket", "click", "datetime"}
    code = (
        "import sys; before = set(sys.modules)\n"
        "from rt_mailbox import access, groups, hot, records, turns, waiting, wire\n"
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert heavy & set(done.stdout.split()) == set()
