"""rt mail and rt group: each command once as a script uses it, bytes, exit codes, and nothing lost to a closed pipe."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox.mailbox import Mailbox
from rt_moderator.cli.app import main
from tests.cli.laid import Laid
from tests.helpers import BIN, Bus, rt

BYTES = bytes(range(1, 256))
DESK = "agent-deck/desk"
Run = Callable[..., Any]


@pytest.fixture(name="run")
def in_this_process(bus: Bus, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command with --json: its object, or with `code` the error_code of one that must fail; all on one bus."""
    monkeypatch.chdir(os.environ["HOME"])

    def run(line: str, *more: str, code: int = 0) -> Any:
        argv = [*line.split(), *more, "--json"]
        capfd.readouterr()
        got = main(argv)
        out, err = capfd.readouterr()
        assert got == code, (argv, out, err)
        return json.loads(out) if out else json.loads(err.splitlines()[-1])["error_code"]

    return run


@pytest.fixture(name="box")
def straight(bus: Bus) -> Iterator[Mailbox]:
    """The mailbox behind the commands."""
    with Mailbox(bus.url) as box:
        yield box


def test_mail_from_send_to_ack(run: Run) -> None:
    """A new address is said; received once, renewed, and gone after the ack."""
    sent = run(f"mail send {DESK} --from ann --subject s -m hello")
    assert sent == {"id": sent["id"], "address": DESK, "new_address": True, "duplicate": False}
    assert run("mail send agent-deck/typo --must-exist --from ann -m x", code=1) == "unknown_address"
    assert run(f"mail wait {DESK} --timeout 0") == {"ready": True}
    [mail] = run(f"mail recv {DESK} agent-deck/other --max 10 --hold 60")["messages"]
    assert {"id", "address", "lease", "deliveries", "subject", "body", "from", "sent_at"} <= set(mail)
    assert (mail["id"], mail["body"], mail["from"], mail["deliveries"]) == (sent["id"], "hello", "ann", 1)
    assert run(f"mail recv {DESK}") == {"messages": []}
    assert run(f"mail renew {mail['id']} --lease {mail['lease']} --for 100")["seconds_left"] >= 98
    assert run(f"mail ack {mail['id']} --lease {mail['lease']}") == {"id": mail["id"], "state": "acked"}
    assert run(f"mail ack {mail['id']} --lease {mail['lease']}", code=1) == "lease_lost"
    assert run(f"mail read {mail['id']}")["messages"][0]["state"] == "acked"


def test_mail_that_fails_becomes_a_dead_letter(run: Run, box: Mailbox) -> None:
    """Listed, shown with its reason and requeued; deferred and released it does not count."""
    sent = run(f"mail send {DESK} --from ann -m poison")["id"]
    for how, state in (("defer --until 2020-01-01T00:00:00Z", "queued"), ("release", "queued"), ("fail --reason why", "queued"),
                       ("fail --reason why", "queued"), ("fail --reason why", "dead")):  # fmt: skip
        assert box.wait_mail(DESK, 10)
        [mail] = run(f"mail recv {DESK} --holder me")["messages"]
        verb, *options = how.split()
        assert run(f"mail {verb} {sent} --lease {mail['lease']}", *options)["state"] == state
        if verb == "fail" and state == "queued":
            box.door.command("ZADD", "rt:{default}:queue:" + DESK, 0, sent)
    assert [m["id"] for m in run("mail dead list")["messages"]] == [sent]
    assert run(f"mail dead show {sent}")["messages"][0]["reason"] == "why"
    assert run(f"mail dead requeue {sent}") == {"id": sent, "state": "queued"}
    assert run(f"mail dead requeue {sent}", code=1) == "not_dead"
    copy = run(f"mail forward {sent} agent-deck/other --from bob")
    assert run(f"mail read {copy['id']}")["messages"][0]["forwarded_from"] == DESK


def test_mail_lists_page_by_cursor(run: Run) -> None:
    """next_cursor goes on, and is null at the end."""
    for n in range(3):
        run(f"mail send {DESK} --from ann -m {n}")
    first = run(f"mail list {DESK} --limit 2")
    assert len(first["messages"]) == 2
    assert "body" not in first["messages"][0]
    rest = run("mail list --limit 2 --cursor", first["next_cursor"])
    assert (len(rest["messages"]), rest["next_cursor"]) == (1, None)


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("mail recv", 2, "usage"),
        (f"mail recv {DESK} --max 11", 2, "usage"),
        ("mail send nowhere --from ann -m x", 2, "bad_address"),
        (f"mail send {DESK} --from ann", 1, "empty_body"),
        (f"mail send {DESK} --from ann --file /no/such/file", 2, "usage"),
        (f"mail send {DESK} --from ann -m x --file y", 2, "usage"),
        ("mail defer d1 --lease x --until tomorrow", 2, "usage"),
        ("mail read d1", 1, "unknown_mail"),
        ("group recv none --as ann", 1, "unknown_group"),
        ("group delete none --yes", 1, "unknown_group"),
        ("group create agent-deck/x", 2, "bad_address"),
        ("group list x", 2, "usage"),
    ],
)
def test_what_is_refused(run: Run, line: str, code: int, error: str) -> None:
    """With its error_code and exit code."""
    assert run(line, code=code) == error


def test_a_group_from_create_to_delete(run: Run) -> None:
    """Members, sends with keys, peek and recv, marks, lists, close and delete."""
    assert run("group create ideas") == {"group": "group/ideas"}
    assert run("group create group/ideas", code=1) == "group_exists"
    run("group add-member ideas ann")
    run("group add-member ideas bob --history none")
    sent = run("group send ideas --from ann --subject s --key k -m hello")
    assert sent == {"seq": 1, "id": "group/ideas/m1", "duplicate": False, "late": False, "eligible_count": 1}
    assert run("group send ideas --from ann --subject s --key k -m hello")["duplicate"]
    assert run("group send ideas --from ann --key k -m other", code=1) == "idempotency_conflict"
    assert run("group wait ideas --as bob --timeout 0") == {"ready": True, "unread": 1}
    [peeked] = run("group peek ideas --as bob")["messages"]
    assert {"seq", "id", "from", "kind", "round", "turn", "subject", "body", "sent_at", "citations"} == set(
        peeked
    )
    assert run("group recv ideas --as bob --max 1") == {
        "group": "group/ideas",
        "messages": [peeked],
        "unread_left": 0,
    }
    assert run("group recv ideas --as bob")["messages"] == []
    [listed] = run("group list ideas --as ann")["messages"]
    assert {k: listed[k] for k in ("seq", "subject", "read", "read_count", "eligible_count")} == {
        "seq": 1, "subject": "s", "read": True, "read_count": 1, "eligible_count": 1,
    }  # fmt: skip
    run("group send ideas --from bob -m more")
    assert run("group mark-read ideas --as ann --to m2")["unread_left"] == 0
    assert [m["seq"] for m in run("group history ideas --from m2")["messages"]] == [2]
    run("group remove-member ideas bob")
    assert [m["active"] for m in run("group members ideas")["members"]] == [True, False]
    assert run("group close ideas")["state"] == "closed"
    assert run("group send ideas --from ann -m x", code=1) == "group_closed"
    assert run("group list") == {"groups": ["group/ideas"]}
    assert run("group delete ideas") == {"group": "group/ideas", "messages": 2}
    assert run("group list") == {"groups": []}


def test_a_table_s_group_is_found_by_its_name(run: Run, bus: Bus) -> None:
    """In its table's space, with its ids; its notices come to an address of the default space; never deleted by hand."""
    laid = Laid(bus, "a")
    name = laid.group
    run(f"group add-subscriber {name} {DESK} --person moderator")
    assert run(f"group add-subscriber {name} {DESK} --person moderator")["duplicate"]
    assert run(f"group subscribers {name}")["subscribers"] == [{"address": DESK, "person": "moderator"}]
    sent = run(f"group send {name} --from user -m hello")
    assert sent["id"] == f"{laid.table}/m1"
    assert run(f"mail wait {DESK} --timeout 5") == {"ready": True}
    [notice] = run(f"mail recv {DESK}")["messages"]
    assert notice["id"] == f"notice/{name}/moderator/1"
    run(f"group recv {name} --as moderator")
    run(f"mail ack {notice['id']} --lease {notice['lease']}")
    run(f"group send {name} --from {DESK} -m mine")
    assert run(f"mail wait {DESK} --timeout 0", code=3) == {"ready": False}
    assert run(f"group delete {name} --yes", code=1) == "table_group"
    assert run(f"group close {name}", code=1) == "table_group"
    run(f"group remove-subscriber {name} {DESK}")
    laid.door.close()


def test_spaces_do_not_see_each_other(run: Run) -> None:
    """--space chooses one."""
    run("group create ideas --space mine")
    assert run("group list") == {"groups": []}
    assert run("group list --space mine") == {"groups": ["group/ideas"]}
    run(f"mail send {DESK} --space mine --from ann -m x")
    assert run(f"mail recv {DESK}") == {"messages": []}
    assert len(run(f"mail recv {DESK} --space mine")["messages"]) == 1


def test_bodies_come_back_byte_for_byte(bus: Bus, box: Mailbox) -> None:
    """From stdin and from a file, through mail and group, whatever bytes they are; JSON keeps them, text drops controls."""
    box.create_group("group/ideas")
    for person in ("ann", "bob"):
        box.add_member("group/ideas", person)
    path = Path(os.environ["HOME"], "body")
    path.write_bytes(BYTES)
    assert rt("mail", "send", DESK, "--from", "ann", "--file", "-", stdin=BYTES).returncode == 0
    assert rt("group", "send", "ideas", "--from", "ann", "--file", path).returncode == 0
    mail = json.loads(rt("mail", "recv", DESK, "--json").stdout)["messages"][0]
    note = json.loads(rt("group", "peek", "ideas", "--as", "bob", "--json").stdout)["messages"][0]
    for body in (mail["body"], note["body"]):
        assert body.encode("utf-8", "surrogateescape") == BYTES
    text = rt("group", "recv", "ideas", "--as", "bob").stdout
    assert "\x1b" not in text
    assert "ABC" in text


def test_a_closed_pipe_loses_nothing(bus: Bus, box: Mailbox) -> None:
    """What could not be printed whole is neither read nor leased: the next call gives it again."""
    box.create_group("group/ideas")
    for person in ("ann", "bob"):
        box.add_member("group/ideas", person)
    box.send("group/ideas", "ann", "x" * 200_000)
    box.send_mail(DESK, "ann", "x" * 200_000)
    for words in (["group", "recv", "ideas", "--as", "bob"], ["mail", "recv", DESK]):
        reader = subprocess.Popen([BIN / "rt", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert reader.stdout
        reader.stdout.read(10)
        reader.stdout.close()
        assert reader.wait(20) == 1
    assert box.unread("group/ideas", "bob") == 1
    assert len(box.recv(DESK)) == 1


def test_what_a_person_sees(bus: Bus, box: Mailbox) -> None:
    """Text for a terminal: what to do next, no control characters of others; a delete asks first, and there is nobody to ask."""
    box.create_group("group/ideas")
    box.send_mail(DESK, "ann", "\x1b[2Jhello", subject="a\x07b")
    shown = rt("mail", "recv", DESK).stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "rt mail ack d00000001 --lease " in shown
    assert rt("mail", "recv", DESK).stdout == "nothing is due.\n"
    done = rt("group", "delete", "ideas")
    assert (done.returncode, done.stdout) == (2, "")
    assert "confirmation_needed" in done.stderr
    done = rt("group", "list", env={"RT_TABLE": "t", "RT_SEAT": "a"})
    assert "not_in_a_seat" in done.stderr
