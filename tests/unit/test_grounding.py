"""Search grounding: bounded in time and words, dated, and never in the way."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator.formats.debating import grounding


def configured(argv: list[str]) -> None:
    Path(os.environ["RT_CONFIG"]).write_text(f"[context]\nsearch = {json.dumps(argv)}\n")


def test_a_search_is_dated_and_gets_the_topic(tmp_path: Path) -> None:
    """S0.12: the command gets the topic in place of {query}, as one argument; what it says is dated."""
    configured([sys.executable, "-c", "import sys; print(sys.argv[1])", "about: {query}"])
    found = grounding.found("a; rm -rf $(x)", str(tmp_path))
    assert found["text"] == "about: a; rm -rf $(x)"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["date"])
    assert found["note"] == ""


def test_a_search_that_hangs_is_cut_with_everything_it_started(tmp_path: Path) -> None:
    """S0.12, S0.33: after its time the note `none available`, and no process of it is left."""
    pids = tmp_path / "pids"
    configured(["/bin/sh", "-c", f"echo $$ > {pids}; sleep 60 & echo $! >> {pids}; wait"])
    found = grounding.found("T", str(tmp_path), seconds=0.3)
    assert (found["text"], found["note"]) == ("", "none available")
    gone = [int(pid) for pid in pids.read_text().split()]
    assert len(gone) == 2
    until = time.monotonic() + 5
    while any(map(running, gone)) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(map(running, gone))


def running(pid: int) -> bool:
    """Whether it still runs; what waits to be reaped does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_time_is_ten_seconds() -> None:
    """S0.12: a search that says nothing for 10 s is left behind."""
    assert grounding.SECONDS == 10


@pytest.mark.parametrize(
    ("argv", "note"),
    [([], "none available"), (["/no/such/program", "{query}"], "none available"), (["/bin/false"], "none available"),
     (["/bin/true"], "none found"), (["/bin/echo", "[]"], "none found")],
)  # fmt: skip
def test_a_search_that_gives_nothing_leaves_a_note(tmp_path: Path, argv: list[str], note: str) -> None:
    """S0.33: not configured, missing or failed: none available; said nothing: none found."""
    configured(argv)
    assert grounding.found("T", str(tmp_path)) | {"date": ""} == {"text": "", "date": "", "note": note}


def test_results_as_json_are_lines() -> None:
    """S0.12: a list of results, as search tools print it, reads as lines."""
    rows = [
        {"title": "A", "url": "http://a", "abstract": "about a"},
        {"title": "", "x": 1},
        "plain",
        {"snippet": "s", "url": "u"},
    ]
    assert grounding.block(json.dumps(rows)) == "- A · about a · http://a\n- plain\n- s · u"


@settings(max_examples=40)
@given(
    st.text() | st.lists(st.text(min_size=1)).map(json.dumps) | st.integers(0, 600).map(lambda n: "word " * n)
)
def test_a_block_never_has_more_than_250_words(raw: str) -> None:
    """S0.12: at most 250 words, whatever was printed, and no control characters."""
    block = grounding.block(raw)
    assert len(block.removesuffix(" [… cut]").split()) <= 250
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", block)
