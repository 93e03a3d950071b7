"""Posts about a table: a real bus, a receiver on loopback that misbehaves, processes that are killed between send and event."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from rt_config.sinks import Sink
from rt_mailbox import journal, tables
from rt_mailbox.keys import key
from rt_moderator import status_view
from rt_moderator.engine import results
from rt_moderator.engine.model import Outcome
from rt_moderator.sinks.poster import Poster
from rt_participant.show import dumps
from tests.cli.laid import Laid
from tests.helpers import Bus, rt
from tests.receiver import SECRET, Receiver, Say, listening


@pytest.fixture(name="receiver")
def receiver_on_loopback() -> Iterator[Receiver]:
    """Somebody who takes posts."""
    with listening() as found:
        yield found


@pytest.fixture(name="laid")
def table_with_words(bus: Bus) -> Laid:
    """A debate with a question, two answers and a synthesis."""
    laid = Laid(bus, "builder", "skeptic", format="debate", mode="redteam", topic="Should we @everyone move the whole billing to events now?")  # fmt: skip
    step = laid.ask("The request of the format.", "builder", "skeptic")
    laid.reply(f"{step}/builder", "Not this quarter.")
    laid.reply(f"{step}/skeptic", "Replays.")
    tables.conclude(laid.door, laid.table, laid.group, "Both want it small: m2, m3.")
    return laid


def sink(receiver: Receiver | None = None, **fields: Any) -> Sink:
    """A webhook, or what the fields make of it."""
    where = {"type": "webhook", "url": receiver.url} if receiver else {}
    return Sink.model_validate({"name": "team", "timeout_seconds": 0.3, **where, **fields})


def posted(laid: Laid, found: Sink) -> tuple[Poster, list[str]]:
    """Post all that is due, as the host's thread does; what it said."""
    said: list[str] = []
    poster = Poster(laid.door, laid.table, found, say=said.append)
    poster.look()
    end = time.monotonic() + 10
    while (pause := poster.step()) is not None and time.monotonic() < end:
        time.sleep(pause)
    return poster, said


def events(laid: Laid, *kinds: str) -> list[tuple[str, str]]:
    """(type, what) of the events of these kinds."""
    found = tables.events(laid.door, laid.table)
    return [(one["type"], one.get("what", "")) for one in found if one["type"] in kinds]


def test_a_thread_holds_opening_replies_and_synthesis(laid: Laid, receiver: Receiver) -> None:
    """S0.8: a thread per table, topic cut to 8 words + [[MODE]]; long replies split, nobody is pinged, the URL stays secret."""
    code = "\n".join(f"call({n})  # @here <@123>" for n in range(150))
    laid.reply(laid.ask("Again?", "builder") + "/builder", f"Long:\n\n```python\n{code}\n```")
    posted(laid, sink(receiver, template="discord"))
    opening, first, second, synthesis, *long = receiver.got
    assert opening.body["thread_name"] == "Should we @\u200beveryone move the whole billing to… [[REDTEAM]]"
    assert opening.query == {"wait": "true"}
    assert all(one.query["thread_id"] == "777" and "thread_name" not in one.body for one in receiver.got[1:])
    assert all(one.body["allowed_mentions"] == {"parse": []} for one in receiver.got)
    assert "Not this quarter." in first.body["content"]
    assert "Replays." in second.body["content"]
    assert synthesis.body["content"].endswith("Both want it small: m2, m3.")
    assert len(long) > 3  # the question and the answer in parts
    contents = [one.body["content"] for one in receiver.got]
    assert all(len(text) <= 2000 and text.count("```") % 2 == 0 for text in contents)
    assert "@here" not in "".join(contents)
    assert "<@" not in "".join(contents)
    assert [what for _, what in events(laid, "posted")] == ["opening", "m2", "m3", "m4", "m5", "m6"]
    posted(laid, sink(receiver, template="discord"))
    assert len(set(receiver.tokens)) == len(receiver.tokens) == len(receiver.got)
    kept = dumps(journal.read(laid.door, laid.table)) + dumps(tables.events(laid.door, laid.table))
    assert SECRET not in kept + repr(sink(receiver))


def test_no_thread_falls_back_to_the_channel_and_no_channel_to_the_terminal(
    laid: Laid, receiver: Receiver
) -> None:
    """S0.8: when making the thread fails the channel gets it all; when that is gone status and `rt run` say so, without the URL."""
    receiver.answers = [Say(400, {"message": "Webhooks can only create threads in forum channels"})]
    posted(laid, sink(receiver, template="discord"))
    assert len(receiver.got) == 5
    assert all("thread_name" not in one.body and "thread_id" not in one.query for one in receiver.got[1:])
    receiver.rule = lambda _got: Say(404, {"message": f"Unknown Webhook {SECRET} at {receiver.url}"})
    poster, said = posted(laid, sink(receiver, name="gone", template="discord"))
    assert poster.due == 4
    snapshot = tables.snapshot(laid.door, laid.table)
    assert snapshot is not None
    warning = next(text for text in status_view.view(snapshot)["warnings"] if "sink gone" in text)
    assert "404" in warning
    assert ("post_off", "") in events(laid, "post_off")
    assert SECRET not in warning + dumps(said) + dumps(tables.events(laid.door, laid.table))
    receiver.rule = lambda _got: None
    posted(laid, sink(receiver, name="gone", template="discord"))  # as after a change of config.toml
    assert len({one.token for one in receiver.got[6:]}) == 4


def test_what_is_not_taken_is_tried_again_in_order_and_once(laid: Laid, receiver: Receiver) -> None:
    """Issue 6: 429 with retry-after and 500 then 200: every post is there once, in order, not before its time; 400 is not tried again."""
    at: list[float] = []
    receiver.answers = [
        Say(429, {"retry_after": 9}, {"Retry-After": "0.4"}, first=lambda: at.append(time.monotonic())),
        Say(200, first=lambda: at.append(time.monotonic())),
        Say(500, "oops"),
        Say(200),
        Say(422, {"message": "too odd"}),
    ]
    posted(laid, sink(receiver))
    assert at[1] - at[0] >= 0.4
    kinds = [one.body["id"] or one.body["event"] for one in receiver.got]
    assert kinds == ["opening", "opening", "m2", "m2", "m3", "m4"]
    assert receiver.tokens[0] == receiver.tokens[1] != receiver.tokens[2] == receiver.tokens[3]
    assert events(laid, "posted", "post_failed") == [
        ("posted", "opening"), ("posted", "m2"), ("post_failed", "m3"), ("posted", "m4"),
    ]  # fmt: skip


def test_silence_is_only_met_with_a_second_try_where_that_is_safe(laid: Laid, receiver: Receiver) -> None:
    """Issue 6: a time-out is tried again with the same token where the receiver knows tokens; else it is said, not doubled."""
    receiver.answers = [Say(never=True)]
    posted(laid, sink(receiver, remembers_seconds=60, events=["synthesis"]))
    assert len(receiver.got) == 2
    assert len(set(receiver.tokens)) == 1
    receiver.answers = [Say(never=True)]
    _, said = posted(laid, sink(receiver, name="other", events=["replies"]))
    assert [one.body["id"] for one in receiver.got[2:]] == ["m2", "m3"]
    assert events(laid, "post_uncertain") == [("post_uncertain", "m2")]
    assert "m2" in said[0]


def kill_the_sender() -> None:
    """Every process that this one waits for."""
    for one in psutil.Process().children():
        one.kill()


def test_a_sender_that_is_killed_before_its_event_never_posts_twice(
    laid: Laid, receiver: Receiver, tmp_path: Path
) -> None:
    """Issue 6: killed between send and event: the next one marks it uncertain, or repeats the token; files hold it once."""
    laid.door.command("DEL", key(laid.table, "host"))  # no host: `rt sinks send` posts
    config = Path(os.environ["RT_CONFIG"])
    line = '[[sink]]\nname = "{name}"\ntype = "webhook"\nurl = "{url}"\nevents = ["synthesis", "replies"]\n{more}'

    def killed(name: str, more: str = "") -> dict[str, Any]:
        config.write_text(line.format(name=name, url=receiver.url, more=more))
        receiver.answers = [Say(first=kill_the_sender)]
        first = rt("sinks", "send", "-t", laid.table, "--json")
        assert first.returncode == -9, first
        second = rt("sinks", "send", "-t", laid.table, "--json")
        assert second.returncode == 0, second.stderr
        found: dict[str, Any] = json.loads(second.stdout)
        return found

    assert killed("doubted")["sinks"] == [{"name": "doubted", "sent": 3, "due": 0, "why": None}]
    assert [one.body["id"] for one in receiver.got] == ["m2", "m3", "m4"]
    assert events(laid, "post_uncertain") == [("post_uncertain", "m2")]
    killed("known", "remembers_seconds = inf")
    assert [one.body["id"] for one in receiver.got[3:]] == ["m2", "m2", "m3", "m4"]
    assert receiver.tokens[3] == receiver.tokens[4]
    notes = sink(name="notes", type="file", path=str(tmp_path / "{table}.md"))
    posted(laid, notes)
    lines = key(laid.table, "journal")
    begun = journal.get(laid.door, laid.table, "post/notes/m3.0/1") | {
        "started": "1.0"
    }  # by a process that is gone
    laid.door.command("HDEL", lines, "post/notes/m3", "post/notes/m3.0")
    laid.door.command("HSET", lines, "post/notes/m3.0/1", dumps(begun))
    posted(laid, notes)
    assert events(laid, "posted").count(("posted", "m3")) == 4
    text = (tmp_path / f"{laid.table}.md").read_text()
    assert text.count("Replays.") == text.count("(m3, round 1)") == 1


def test_gates_and_ends_are_posted_once(laid: Laid, receiver: Receiver) -> None:
    """S0.8, issue 6: a gate while it waits, the result with what is degraded, a command gets the text on stdin."""
    tables.set_table(
        laid.door, laid.table,
        {"gate": "r1.gate", "gate_reason": "no_replies", "gate_details": "Nobody **answered**.", "gate_options": '["continue", "stop"]'},
    )  # fmt: skip
    posted(laid, sink(receiver, events=["gate", "concluded"]))
    outcome = Outcome(result="no_consensus", consensus_pct=57.2, rounds=2, synthesis="Small.", degraded=[{"seat": "x", "why": "dropped", "action": ""}])  # fmt: skip
    journal.put(laid.door, laid.table, results.LINE, {"outcome": outcome.model_dump(mode="json"), "at": 1_796_000_000_000})  # fmt: skip
    tables.set_table(laid.door, laid.table, {"gate": "", "phase": "done", "concluded_at": "1796000000000"})
    posted(laid, sink(receiver, events=["gate", "concluded"]))
    gate, end = (one.body for one in receiver.got)
    assert (gate["event"], gate["reason"], gate["options"]) == ("gate", "no replies", ["continue", "stop"])
    assert (end["result"], end["consensus_pct"], end["text"]) == ("no consensus", 57.2, "Small.")
    assert end["degraded"] == [{"seat": "x", "why": "dropped", "action": ""}]
    out = Path(os.environ["RT_HOME"]) / "said"
    posted(laid, sink(name="cmd", type="command", argv=["sh", "-c", f'cat > "{out}"; echo $RT_SINK_EVENT >> "{out}"'], events=["concluded"]))  # fmt: skip
    assert "DEGRADED: x dropped" in out.read_text()
    assert out.read_text().endswith("concluded\n")
    _, said = posted(laid, sink(name="bad", type="command", argv=["sh", "-c", "echo no such room >&2; exit 3"], events=["concluded"]))  # fmt: skip
    assert "exit 3: no such room" in said[0]
