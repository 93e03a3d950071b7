"""What an MCP connection remembers, and what one call of a tool works with."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_mailbox.addresses import deck_address
from rt_mailbox.inbox import space_of_group
from rt_participant.acts import Actor
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_deck.sessions import Deck
    from rt_mailbox.mailbox import Mailbox
    from rt_mailbox.messages import Mail
    from rt_moderator.shell import Shell


@dataclass(frozen=True, slots=True)
class Held:
    """A lease that this connection holds."""

    address: str
    lease: str
    subject: str
    ends: float  # monotonic seconds


class Connection:
    """One client: whose mail it reads, how it signs, where it works, and the leases it holds. Safe for threads."""

    def __init__(self, workdir: str) -> None:
        """Until it binds others its address is that of its deck session, else one of its working folder."""
        self.holder = f"mcp-{uuid.uuid4().hex[:12]}"
        self.workdir = workdir
        self.session = os.environ.get("RT_SESSION", "") or _session_of(workdir)
        self.addresses: list[str] = [deck_address(self.session)]
        self.sender = self.addresses[0]
        self._held: dict[str, Held] = {}
        self._lock = threading.Lock()

    def hold(self, mails: Sequence[Mail], seconds: float) -> None:
        """Remember leases that were just taken."""
        with self._lock:
            for mail in mails:
                self._held[mail.id] = Held(mail.address, mail.lease, mail.subject, time.monotonic() + seconds)

    def settled(self, mail_id: str) -> None:
        """Forget a lease."""
        with self._lock:
            self._held.pop(mail_id, None)

    def held(self) -> dict[str, Held]:
        """The leases that have not ended, by the message's id."""
        now = time.monotonic()
        with self._lock:
            self._held = {mail_id: one for mail_id, one in self._held.items() if one.ends > now}
            return dict(self._held)


def _session_of(workdir: str) -> str:
    """The same for every connection of this user in this folder, so that mail outlives a restart of the client."""
    return f"moderator-{hashlib.sha256(os.fsencode(workdir)).hexdigest()[:8]}"


class Call:
    """One call of a tool, on one thread; the bus is opened when it is needed."""

    def __init__(self, connection: Connection, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.connection = connection
        self.cancelled = cancelled
        self._shell: Shell | None = None
        self._others: list[Any] = []

    @property
    def shell(self) -> Shell:
        """Settings and a bus that answers; an embedded server that does not run is started."""
        if self._shell is None:
            from rt_config import settings
            from rt_moderator.shell import Shell

            self._shell = Shell(settings.load(Path(self.connection.workdir)), _progress)
        return self._shell

    @property
    def deck(self) -> Deck:
        """The sessions in tmux."""
        from rt_deck.sessions import Deck

        return Deck()

    def box(self, group: str = "") -> Mailbox:
        """The mailbox of the space that `group` is in; without one, that of personal mail."""
        from rt_moderator.cli.boxes import box_in

        return box_in(self.shell, space_of_group(group, self.shell.space))

    def table(self, args: dict[str, Any]) -> str:
        """The table that is meant: the one named, else the only open one."""
        return self.shell.resolve(args.get("table"))

    def actor(self, args: dict[str, Any], use: str = "") -> Actor:
        """`as_person` (default moderator) at the table that is meant; for `read` also one that is only in a file."""
        name = self.table(args)
        shell = self.shell
        if use == "read":
            shell = shell.reading(name)
            self._others.append(shell.door)
        elif use == "wait":
            from rt_moderator import hosting

            hosting.ensure(shell, name)
        return Actor(shell.access, name, args.get("as_person") or "moderator")

    def close(self) -> None:
        """Give the connections up."""
        if self._shell is not None:
            self._shell.door.close()
        for door in self._others:
            door.close()


def _progress(text: str) -> None:
    sys.stderr.write(plain(text) + "\n")
