# ruff: noqa: PLR0913 (who asks, where, for how much)
"""Personal mail over several spaces: an address can have mail in one and notices in others. Nothing is atomic across them.

A message of another space than the asked one has an id that starts with it, `<space>/d00000007`; the notice of a table's
group needs none, its group names the table.
"""

from __future__ import annotations

import threading
import time

from rt_config.errors import BusDownError, RoundtableError
from rt_mailbox import queues
from rt_mailbox.keys import key
from rt_mailbox.waiting import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rt_mailbox.door import Door, Reply

_LONGEST_BLOCK_MS = 30_000
_BELL_BLOCK_MS = 1000  # how soon a bell that nobody needs any more notices
_NOTICE = "notice/group/"
_TABLE_GROUP = "group/roundtable-"


def space_of_group(group: str, default: str) -> str:
    """The space of a group: group/roundtable-<table id> is in that table's, any other in `default`."""
    return group.removeprefix(_TABLE_GROUP) if group.startswith(_TABLE_GROUP) else default


def space_of_address(door: Door, space: str, address: str) -> str:
    """The space of a personal address, as seen from `space`: a seat's inbox is in its table's."""
    table, mark, _ = address.removeprefix("agent-deck/").rpartition("--")
    if mark and address.startswith("agent-deck/") and door.command("HEXISTS", key(space, "directory"), table):
        return table
    return space


def outer_id(mail_id: str, space: str, home: str) -> str:
    """The id of a message of `space`, for somebody who asks from `home`."""
    if space == home or mail_id.startswith(f"{_NOTICE}roundtable-{space}/"):
        return mail_id
    return f"{space}/{mail_id}"


def located(door: Door, home: str, mail_id: str) -> tuple[str, str]:
    """(space, id in it) for an id that `recv` or `listed` gave to somebody who asks from `home`."""
    if mail_id.startswith(_NOTICE):
        group = "group/" + mail_id.removeprefix(_NOTICE).partition("/")[0]
        space = space_of_group(group, home)
        here = space == home or door.command("EXISTS", key(home, "group", group))
        return (home if here else space), mail_id
    space, found, rest = mail_id.partition("/" + _NOTICE)
    if found:
        return space, _NOTICE + rest
    space, _, bare = mail_id.rpartition("/")
    return space or home, bare


def recv(
    door: Door,
    space: str,
    addresses: Sequence[str],
    *,
    most: int,
    lease_ms: int,
    holder: str,
    max_hold_ms: int,
) -> list[Reply]:
    """Lease up to `most` messages at any of these addresses, oldest first in each space, this space first; never blocks.

    Raises:
        UsageError: no address, or more than 10 messages.
    """
    found, elsewhere = queues.recv(
        door, space, addresses, most=most, lease_ms=lease_ms, holder=holder, max_hold_ms=max_hold_ms
    )
    for other, there in _by_space(elsewhere, space).items():
        left = most - len(found)
        if not left:
            break
        try:
            mails, _ = queues.recv(
                door, other, there, most=left, lease_ms=lease_ms, holder=holder, max_hold_ms=max_hold_ms
            )
        except RoundtableError:
            if found:  # what is leased already must reach its reader
                break
            raise
        found += [mail | {"id": outer_id(mail["id"], other, space)} for mail in mails]
    return found


def wait(door: Door, space: str, addresses: Sequence[str], holder: str, seconds: float) -> bool:
    """Block until `recv` would give something; False when that took longer than `seconds`.

    Returns when mail comes or comes due, a lease ends, or a notice is due; one blocked read a space.

    Raises:
        UsageError: no address. BusDownError.
    """
    end = time.monotonic() + seconds
    with _Bells(door, space) as bells:
        while True:
            bells.quiet()
            ready, soonest, elsewhere = queues.due(door, space, addresses, holder)
            spaces = _by_space(elsewhere, space)
            if not ready and bells.listen(spaces):
                continue  # what came while we began to listen
            for other, there in spaces.items():
                if ready:
                    break
                ready, next_ms, _ = queues.due(door, other, there, holder)
                soonest = min((ms for ms in (soonest, next_ms) if ms >= 0), default=-1)
            left = int((end - time.monotonic()) * 1000)
            if ready or left <= 0:
                return ready
            bells.block(min(left, soonest if soonest >= 0 else left, _LONGEST_BLOCK_MS))


def _by_space(elsewhere: list[tuple[str, str]], home: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for address, space in elsewhere:
        if space != home:
            found.setdefault(space, []).append(address)
    return found


class _Bell:
    """A blocked read of one space, on a connection and a thread of its own."""

    def __init__(self, url: str, space: str, rung: threading.Event) -> None:
        from rt_mailbox.client import RedisDoor

        self._door, self._rung, self._stopped = RedisDoor(url), rung, False
        self.error: BusDownError | None = None
        self._watch = Watch(self._door, space, "wake")
        threading.Thread(target=self._listen, name=f"wait {space}", daemon=True).start()

    def close(self) -> None:
        """Stop listening. The thread closes its own connection, within a second: redis-py's may not be closed under a read."""
        self._stopped = True

    def _listen(self) -> None:
        try:
            while not self._stopped:
                if self._watch.block(_BELL_BLOCK_MS):
                    self._rung.set()
        except BusDownError as exc:
            self.error = exc
            self._rung.set()
        finally:
            self._door.close()


class _Bells:
    """Everything that may end a wait. One space needs no thread: its read blocks the caller itself."""

    def __init__(self, door: Door, space: str) -> None:
        self._door, self._space = door, space
        self._watch = Watch(door, space, "wake")
        self._rung = threading.Event()
        self._bells: dict[str, _Bell] = {}

    def __enter__(self) -> _Bells:
        return self

    def __exit__(self, *_: object) -> None:
        for bell in self._bells.values():
            bell.close()

    def quiet(self) -> None:
        """Forget what rang: the question is asked after this.

        Raises:
            BusDownError: a read has broken.
        """
        self._rung.clear()
        for bell in self._bells.values():
            if bell.error is not None:
                raise bell.error

    def listen(self, others: dict[str, list[str]]) -> bool:
        """Listen in these spaces too; True when one of them is new."""
        wanted = {*others, self._space} if others else set()
        new = [space for space in wanted if space not in self._bells]
        for space in new:
            self._bells[space] = _Bell(self._door.url, space, self._rung)
        return bool(new)

    def block(self, ms: int) -> None:
        """Wait until something happens in any of the spaces, or for `ms`."""
        if self._bells:
            self._rung.wait(max(1, ms) / 1000)
        else:
            self._watch.block(ms)
