"""A table with seats on a real server, and their runners as real processes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import profiles
from rt_config import settings as configuration
from rt_mailbox import access, records, tables, turns
from rt_mailbox.addresses import deck_address, group_of, person_of, session_of
from rt_mailbox.door import mapping
from rt_mailbox.hot import HotDoor
from rt_mailbox.keys import key
from tests.helpers import Bus, changed_environment, eventually

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

TABLE = "rt-20260101-1200-seats"
RUNNER = "import sys; from rt_participant.runner import main; sys.exit(main())"


class Table:
    """One table, its operator's door, and what tests ask of it."""

    def __init__(self, bus: Bus, folder: Path, seats: Mapping[str, dict[str, Any]], **fields: str) -> None:
        self.url, self.folder = bus.url, folder
        self.door = HotDoor(bus.url)
        self.group = group_of(TABLE)
        rows = [self._seat(slug, spec) for slug, spec in seats.items()]
        table = {"id": TABLE, "topic": "Which cache?", **fields}
        persons = ["moderator", "user", *(row["person"] for row in rows)]
        tables.create(self.door, TABLE, self.group, table, persons, rows)

    def _seat(self, slug: str, spec: dict[str, Any]) -> dict[str, str]:
        token = f"token-{slug}"
        access.write_seat_file(str(self.folder / f"{slug}.seat"), token, self.url)
        return {
            "slug": slug,
            "person": person_of(slug),
            "role": slug,
            "name": slug.title(),
            "viewpoint": "",
            "address": deck_address(session_of(TABLE, slug)),
            "token_sha": hashlib.sha1(token.encode(), usedforsecurity=False).hexdigest(),
            "spec": json.dumps(spec),
            "generation": "1",
        }

    def ask(self, request: str, *slugs: str, seconds: float = 60) -> str:
        """Open a turn per seat; returns the step."""
        asked = [(slug, request, "please", "control") for slug in slugs]
        found = tables.ask(self.door, TABLE, self.group, request, asked, timeout_ms=int(seconds * 1000))
        return str(found["step"])

    @contextmanager
    def runner(self, slug: str, code: str = RUNNER) -> Iterator[subprocess.Popen[str]]:
        """The seat's runner; ended when the block is left."""
        changed = {"RT_TABLE": TABLE, "RT_SEAT": slug, "RT_TOKEN_FILE": str(self.folder / f"{slug}.seat")}
        argv = [sys.executable, "-c", code]
        log = self.folder / f"{slug}.log"
        with log.open("a") as out:
            process = subprocess.Popen(
                argv,
                env=changed_environment(changed),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                text=True,
            )
            try:
                yield process
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def log(self, slug: str) -> str:
        return (self.folder / f"{slug}.log").read_text()

    def messages(self) -> list[Reply]:
        return list(records.messages(self.door, TABLE, self.group, [(1, 10**9)]))

    def replies(self, count: int = 1, seconds: float = 20) -> list[Reply]:
        """The replies, when there are `count` of them."""

        def found() -> list[Reply]:
            replies = [m for m in self.messages() if m["kind"] == "reply"]
            assert len(replies) >= count, self.events()
            return replies

        return eventually(found, seconds=seconds, what=f"{count} replies")

    def events(self, kind: str = "") -> list[Reply]:
        return [e for e in tables.events(self.door, TABLE) if not kind or e["type"] == kind]

    def event(self, kind: str, count: int = 1, seconds: float = 20) -> Reply:
        """The event of that type, when there are `count` of them."""

        def found() -> Reply:
            events = self.events(kind)
            assert len(events) >= count, self.events()
            return events[count - 1]

        return eventually(found, seconds=seconds, what=f"event {kind}")

    def turn(self, turn: str) -> Reply:
        return mapping(self.door.command("HGETALL", key(TABLE, "turn", turn)))

    def seat(self, slug: str) -> Reply:
        return mapping(self.door.command("HGETALL", key(TABLE, "seat", slug)))

    def usage(self, slug: str, calls: int, seconds: float = 20) -> dict[str, Any]:
        """The seat's usage, when that many calls are counted: the last thing a runner writes of a turn."""

        def found() -> dict[str, Any]:
            usage: dict[str, Any] = json.loads(self.seat(slug).get("usage") or "{}")
            assert usage.get("calls") == calls
            return usage

        return eventually(found, seconds=seconds, what=f"{calls} calls of {slug}")

    def spent(self, turn: str) -> dict[str, Any]:
        """What the answer of a turn has cost."""
        found: dict[str, Any] = json.loads(
            self.door.command("HGET", key(TABLE, "turn", turn), "usage") or "{}"
        )
        return found

    def next_attempt(self, turn: str, failed: int = 1) -> None:
        turns.next_attempt(self.door, TABLE, turn, failed, "rebuild")


def script(folder: Path, name: str, body: str) -> list[str]:
    """An argv that runs `body` as Python."""
    path = folder / f"{name}.py"
    path.write_text(body)
    return [sys.executable, str(path)]


def spec(argv: list[str] | None = None, cwd: Path | None = None, **changes: Any) -> dict[str, Any]:
    """The launch spec of a seat with its own argv, or of the rehearsal seat."""
    known = profiles.load(configuration.load(Path("/")))
    seat = profiles.SeatSpec("x", "command" if argv else "rehearsal", argv=tuple(argv or ()))
    found = profiles.launch_spec(profiles.for_seat(known, seat), cwd=str(cwd or Path.cwd()))
    return found | {"kill_grace_seconds": 0.3} | changes


def pick(path: str) -> dict[str, Any]:
    """A rule for one value of a CLI's output."""
    return {"path": path, "where": {}, "take": "last"}
