"""Sixteen processes at one bus that is killed meanwhile: what each of them was told holds for all of them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from rt_config.errors import BusDownError
from rt_config.settings import Settings
from rt_mailbox import server
from rt_mailbox.mailbox import Mailbox
from tests.helpers import eventually
from tests.integration.bus_crowd import DRAINERS, GROUP, LEASE_SECONDS, READER, SENDERS, WORKERS, notes
from tests.integration.bus_fixtures import root_of
from tests.integration.server_fixtures import embedded_settings, kill_the_server, silent  # noqa: F401 (fixture)

Notes = list[dict[str, Any]]


@pytest.mark.parametrize(
    ("kills", "between"),
    [
        pytest.param(2, 60),
        pytest.param(20, 500, marks=[pytest.mark.full, pytest.mark.timeout(600)]),
    ],
)
def test_a_crowd_and_a_server_that_is_killed(
    embedded: Settings, tmp_path: Path, kills: int, between: int
) -> None:
    """Weak point 25: 8 senders, 4 drainers of one person, 4 workers at one queue, kill -9 of the server now and then.

    The order is dense, nothing acknowledged is lost, nothing acked comes again, nothing committed is shown again, and
    whatever came twice is explained by a kill.
    """
    url = server.ensure(embedded, silent)
    with Mailbox(url, "crowd") as box:
        box.create_group(GROUP)
        for person in (READER, *(f"send{n}" for n in range(SENDERS))):
            box.add_member(GROUP, person)
        crowd = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.bus_crowd", url, "crowd", str(tmp_path)],
            cwd=root_of(""),
        )
        try:
            for _ in range(kills):
                await_messages(box, between)
                kill_the_server()
                server.ensure(embedded, silent)
            await_messages(box, between)
            (tmp_path / "stop").touch()
            assert crowd.wait(30) == 0
        finally:
            crowd.kill()
            crowd.wait()
        found = list(notes(tmp_path))
        assert {n["error"] for n in found if "error" in n} >= {"bus_down"}
        check_the_record(box, found)
        check_the_reader(box, found)
        check_the_queue(box, found)


def await_messages(box: Mailbox, more: int) -> None:
    """Return when that many more messages are in the record."""
    wanted = box.head(GROUP) + more

    def enough() -> bool:
        try:
            return box.head(GROUP) >= wanted
        except BusDownError:
            return False

    eventually(enough, seconds=60, what=f"{wanted} messages")


def check_the_record(box: Mailbox, found: Notes) -> None:
    """Dense, each message once and where its sender was told, in the order of each sender."""
    record = list(box.history(GROUP))
    assert [m.seq for m in record] == list(range(1, len(record) + 1))
    at = {m.body: m.seq for m in record}
    assert len(at) == len(record)
    told = {n["key"]: n["seq"] for n in found if n["what"] == "post" and "seq" in n}
    assert told == at
    for sender in {m.sender for m in record}:
        numbers = [int(m.body.split()[1]) for m in record if m.sender == sender]
        assert numbers == sorted(numbers)
    repeated_after_a_kill(found)


def repeated_after_a_kill(found: Notes) -> None:
    """A send that found itself there already was one whose answer a kill had taken."""
    failed = {n["key"] for n in found if n["what"] in ("post", "queue") and "error" in n}
    for note in found:
        if note.get("duplicate"):
            assert note["key"] in failed, note


def check_the_reader(box: Mailbox, found: Notes) -> None:
    """Four drainers of one person: everything was shown, and nothing to a drain that began after its commit was acknowledged.

    Two of them may be shown the same when both ask before either has committed; a commit whose answer was lost by a kill
    promises nothing.
    """
    commits = [n for n in found if n["what"] == "commit" and "error" not in n]
    shown = {seq for n in found if n["what"] == "shown" for seq in n["seqs"]}
    assert shown == set(range(1, box.head(GROUP) + 1))
    assert box.unread(GROUP, READER) == 0
    asks: dict[str, int] = {}
    for note in sorted(found, key=lambda n: n["from"]):
        if note["what"] == "ask":
            asks[note["who"]] = note["from"]
        elif note["what"] == "shown":
            before = max((n["seqs"][-1] for n in commits if n["to"] < asks[note["who"]]), default=0)
            assert note["seqs"][0] > before, (note, before)
            assert note["seqs"] == sorted(set(note["seqs"]))
    assert len({n["who"] for n in found if n["what"] == "shown"}) == DRAINERS


def check_the_queue(box: Mailbox, found: Notes) -> None:
    """Everything queued was acked once; what was delivered again had not been, and its first lease met a kill or ran out."""
    queued = {n["id"]: n["key"] for n in found if n["what"] == "queue" and "id" in n}
    given: dict[str, Notes] = defaultdict(list)
    acks: dict[str, Notes] = defaultdict(list)
    for note in found:
        if note["what"] in ("got", "ack"):
            (given if note["what"] == "got" else acks)[note["id"]].append(note)
    assert {(i, n["key"]) for i, notes_ in given.items() for n in notes_} == set(queued.items())
    assert box.dead_mail() == ([], "")
    assert len({n["who"] for n in found if n["what"] == "got"}) == WORKERS
    for mail_id, deliveries in given.items():
        done = [n for n in acks[mail_id] if "error" not in n]
        assert len(done) <= 1, done
        assert all(n["to"] <= done[0]["to"] for n in deliveries) if done else True
        numbers = [n["deliveries"] for n in deliveries]
        assert numbers == sorted(set(numbers))
        for number in range(1, numbers[-1]):
            assert explained(number, deliveries, acks[mail_id], found), (mail_id, deliveries, acks[mail_id])
    lost_answers = [n for notes_ in acks.values() for n in notes_ if n.get("error") == "lease_lost"]
    assert all(Counter(n["error"] for n in acks[n["id"]] if "error" in n)["bus_down"] for n in lost_answers)


def explained(number: int, deliveries: Notes, acks: Notes, found: Notes) -> bool:
    """Why a delivery was not the last one of its message."""
    one = next((n for n in deliveries if n["deliveries"] == number), None)
    if one is None:  # nobody was told of it: a kill took the answer of a recv
        return any(n["what"] == "recv" and n.get("error") == "bus_down" for n in found)
    mine = [n for n in acks if n["deliveries"] == number]
    if any(n.get("error") == "bus_down" for n in mine):
        return True
    held = int(mine[-1]["to"]) - int(one["from"])
    return held > LEASE_SECONDS * 1e9  # a machine that stood still
