"""A seat's session on the deck: its environment, its token, its command. The host has one, too."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config import env
from rt_deck.records import Spec
from rt_mailbox import access, tables
from rt_moderator import naming

if TYPE_CHECKING:
    from rt_deck.sessions import Deck
    from rt_mailbox.door import Door, Reply

_PASSED = ("RT_CONFIG", "RT_SPACE", "RT_MAX_BODY_BYTES")


def folder(table: str) -> Path:
    """The folder of a table's seat files."""
    return Path(env.home()) / "tables" / table


def command(*words: str) -> list[str]:
    """This very `rt` with these words, whatever PATH says."""
    script = Path(sys.executable).with_name("rt")
    return [str(script), *words] if script.is_file() else [sys.executable, "-m", "rt_moderator.main", *words]


def new_token(table: str, slug: str, url: str) -> str:
    """Write a fresh session file for the seat; returns the token's sha1 for the seat's hash."""
    token = secrets.token_hex(16)
    env.private_folder(str(folder(table)))
    access.write_seat_file(str(_seat_file(table, slug)), token, url)
    return hashlib.sha1(token.encode(), usedforsecurity=False).hexdigest()


def ensure(
    door: Door,
    deck: Deck,
    snapshot: Reply,
    url: str,
    slugs: Iterable[str] | None = None,
    *,
    with_host: bool = False,
) -> list[str]:
    """Give every live seat (or these), and the host when asked, a running session; returns the slugs that got a new one.

    A seat whose session is there and runs is left alone; a dead one is replaced.

    Raises:
        DeckError, CliMissingError, WorkdirMissingError.
    """
    table = snapshot["table"]["id"]
    wanted = [
        s for s in snapshot["seats"] if s["state"] != "dropped" and (slugs is None or s["slug"] in set(slugs))
    ]
    sessions = {one.name: one for one in deck.list()}
    running = {name for name, one in sessions.items() if one.state == "running"}
    missing = [seat for seat in wanted if seat["tmux"] not in running]
    deck.remove_many([seat["tmux"] for seat in missing])
    for seat in missing:
        # A new generation: a runner that is still alive somewhere, out of this deck's sight, sees it and goes.
        fields = {"generation": secrets.token_hex(4)}
        if not _seat_file(table, seat["slug"]).is_file():
            fields["token_sha"] = new_token(table, seat["slug"], url)
        tables.set_seat(door, table, seat["slug"], fields)
    specs = [_spec(table, seat) for seat in missing]
    if with_host and (host := host_spec(snapshot)).name not in running:
        deck.remove(host.name)
        specs.append(host)
    deck.create_many(specs)
    return [seat["slug"] for seat in missing]


def host_spec(snapshot: Reply) -> Spec:
    """The session of the table's host. It passes on what the seats' CLIs need, because it restarts them."""
    table, group = snapshot["table"]["id"], snapshot["table"].get("deck_group", "")
    own = {"RT_HOME": env.home(), **_environment(_PASSED), **_environment(("RT_REDIS_URL",))}
    for seat in snapshot["seats"]:
        own |= _environment(_variables(seat))
    return Spec(naming.host_session(table), f"host-{table}", group, "/", command("host", table), own)


def _spec(table: str, seat: Reply) -> Spec:
    own = {
        "RT_HOME": env.home(),
        "RT_TABLE": table,
        "RT_SEAT": seat["slug"],
        "RT_TOKEN_FILE": str(_seat_file(table, seat["slug"])),
        "PATH": os.pathsep.join((str(Path(command()[0]).parent), os.environ.get("PATH", os.defpath))),
        **_environment(_PASSED),
        **_environment(_variables(seat)),
    }
    return Spec(
        seat["tmux"],
        seat["session"],
        seat.get("deck_group", ""),
        seat["workdir"],
        command("seat", "run"),
        own,
    )


def _variables(seat: Reply) -> list[str]:
    """The names of the variables that the seat's CLI takes from the operator's environment (keys, base URLs)."""
    import json

    names: list[str] = json.loads(seat.get("spec") or "{}").get("pass_env", [])
    return names


def _environment(names: Iterable[str]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _seat_file(table: str, slug: str) -> Path:
    return folder(table) / f"{slug}.seat"
