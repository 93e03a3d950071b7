"""A crowd at one bus, each a process of its own: senders, drainers of one person, workers at one queue.

    python -m tests.integration.bus_crowd URL SPACE FOLDER

Everybody writes what they did into FOLDER, a line of JSON each, with monotonic times that all processes share. Senders stop
when FOLDER/stop is there, the others when nothing is left to do. The bus may die at any time: who meets that goes on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from rt_config.errors import BusDownError, LeaseLostError
from rt_mailbox.client import RedisDoor
from rt_mailbox.hot import HotDoor
from rt_mailbox.mailbox import Mailbox
from rt_mailbox.messages import Mail

GROUP, QUEUE, READER = "group/crowd", "agent-deck/work", "reader"
SENDERS, DRAINERS, WORKERS = 8, 4, 4
LEASE_SECONDS = 2.0
_PAUSE = 0.01


class Member:
    """One process: a mailbox and a log."""

    def __init__(self, url: str, space: str, folder: Path, name: str, number: int) -> None:
        self.name, self.folder = f"{name}{number}", folder
        self.box = Mailbox("", space, door=HotDoor(url) if number % 2 else RedisDoor(url))
        self.log: TextIO = (folder / f"{self.name}.jsonl").open("w", encoding="utf-8", buffering=1)

    def stopped(self) -> bool:
        """Whether senders shall stop."""
        return (self.folder / "stop").exists()

    def over(self) -> bool:
        """Whether every sender has."""
        return len(list(self.folder.glob("*.done"))) == SENDERS

    def tried(self, what: str, call: Callable[[], Any], **about: Any) -> Any:
        """Do it, note how it went; None when the bus was away."""
        begun = time.monotonic_ns()
        try:
            found = call()
        except (BusDownError, LeaseLostError) as exc:
            self.note(what, begun, **about, error=exc.error_code)
            if isinstance(exc, BusDownError):
                time.sleep(_PAUSE)
                return None
            return False
        self.note(what, begun, **about, **(found if isinstance(found, dict) else {}))
        return found

    def note(self, what: str, begun: int, **about: Any) -> None:
        """Write down what was done from `begun` to now."""
        line = {"what": what, "who": self.name, "from": begun, "to": time.monotonic_ns()}
        self.log.write(json.dumps(line | about) + "\n")


def send(me: Member) -> None:
    """Send to the group and to the queue in turns, each with a key and again until it is acknowledged."""
    number = 0
    while not me.stopped():
        number += 1
        key = f"{me.name} {number}"

        def post(key: str = key) -> dict[str, Any]:
            found = me.box.send(GROUP, me.name, key, key=key)
            return {"seq": found.seq, "duplicate": found.duplicate}

        def queue(key: str = key) -> dict[str, Any]:
            found = me.box.send_mail(QUEUE, me.name, key, key=key)
            return {"id": found.id, "duplicate": found.duplicate}

        what, call = ("post", post) if number % 2 else ("queue", queue)
        while me.tried(what, call, key=key) is None:
            pass
    (me.folder / f"{me.name}.done").touch()


def drain(me: Member) -> None:
    """Take what is unread, and mark it; who could not mark it takes it again."""
    while True:
        over = me.over()
        drained = me.tried("ask", lambda: me.box.drain(GROUP, READER, max_messages=20))
        if drained is None:
            continue
        seqs = [m.seq for m in drained.messages]
        if not seqs:
            if over:
                return
            time.sleep(_PAUSE)
            continue
        me.note("shown", time.monotonic_ns(), seqs=seqs)
        me.tried("commit", drained.commit, seqs=seqs)


def work(me: Member) -> None:
    """Lease one message after the other and acknowledge it, as often as that takes."""
    while True:
        over = me.over()
        mails = me.tried("recv", lambda: me.box.recv(QUEUE, lease_seconds=LEASE_SECONDS))
        if mails is None:
            continue
        for mail in mails:
            settle(me, mail)
        if not mails:
            if over and me.tried("look", lambda: nothing_left(me)):
                return
            time.sleep(_PAUSE)


def settle(me: Member, mail: Mail) -> None:
    """Acknowledge it, again until it is known whether that was in time."""
    about = {"id": mail.id, "deliveries": mail.deliveries, "key": mail.body}

    def ack() -> bool:
        me.box.ack(mail.id, mail.lease)
        return True

    me.note("got", time.monotonic_ns(), **about)
    while me.tried("ack", ack, **about) is None:
        pass


def nothing_left(me: Member) -> bool:
    """Whether the queue is empty and nobody holds anything."""
    return not any(me.box.list_mail(QUEUE, state=state)[0] for state in ("queued", "leased"))


def notes(folder: Path) -> Iterator[dict[str, Any]]:
    """Everything that anybody wrote down, in the order in which it ended."""
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    yield from sorted(map(json.loads, lines), key=lambda note: note["to"])


def main(url: str, space: str, folder: str) -> int:
    """Be all of them; how many failed."""
    children = []
    for role, count in ((send, SENDERS), (drain, DRAINERS), (work, WORKERS)):
        for number in range(count):
            pid = os.fork()
            if not pid:
                role(Member(url, space, Path(folder), role.__name__, number))
                os._exit(0)
            children.append(pid)
    return sum(os.waitpid(pid, 0)[1] != 0 for pid in children)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
