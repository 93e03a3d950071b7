"""A seat's session on the deck: its environment, its token, its command. The host has one, too."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config import env, packed_spec
from rt_config.errors import SessionExistsError
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


def token(table: str, slug: str, url: str) -> str:
    """The sha1 of the token in the seat's session file, for the seat's hash; the file is made when there is none.

    Whoever races, or was killed half way, ends with the same token in both places.
    """
    path = _seat_file(table, slug)
    env.private_folder(str(folder(table)))
    while not (found := _read_token(path, url)):
        path.unlink(missing_ok=True)
        own = path.with_suffix(f".{os.getpid()}")
        access.write_seat_file(str(own), secrets.token_hex(16), url)
        with suppress(FileExistsError):
            path.hardlink_to(own)  # whole, and only the first of those who race
        own.unlink()
    return hashlib.sha1(found.encode(), usedforsecurity=False).hexdigest()


def _read_token(path: Path, url: str) -> str:
    """The token in a whole session file for this bus, else ''."""
    try:
        found, _, seated_on = path.read_text(encoding="utf-8").strip().partition("\n")
    except OSError:
        return ""
    return found if seated_on == url else ""


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
    wanted = [
        s for s in snapshot["seats"] if s["state"] != "dropped" and (slugs is None or s["slug"] in set(slugs))
    ]
    for _ in range(2):
        with suppress(SessionExistsError):  # a host or another command made one of them just now: look again
            return _ensure_once(door, deck, snapshot, url, wanted, with_host=with_host)
    return _ensure_once(door, deck, snapshot, url, wanted, with_host=with_host)


def _ensure_once(
    door: Door, deck: Deck, snapshot: Reply, url: str, wanted: list[Reply], *, with_host: bool
) -> list[str]:
    table = snapshot["table"]["id"]
    sessions = {one.name: one for one in deck.list()}
    running = {name for name, one in sessions.items() if one.state == "running"}
    missing = [seat for seat in wanted if seat["tmux"] not in running]
    # By id: what somebody made under this name since is not ours to remove.
    deck.remove_many([sessions[seat["tmux"]].id for seat in missing if seat["tmux"] in sessions])
    for seat in missing:
        # A new generation: a runner that is still alive somewhere, out of this deck's sight, sees it and goes.
        fields = {"generation": secrets.token_hex(4), "token_sha": token(table, seat["slug"], url)}
        if seat["state"] == "blocked":
            fields |= {"state": "starting", "reason": ""}
        tables.set_seat(door, table, seat["slug"], fields)
    specs = [_spec(table, seat, snapshot["table"].get("deck_group", "")) for seat in missing]
    if with_host and (host := host_spec(snapshot)).name not in running:
        if host.name in sessions:
            deck.remove(sessions[host.name].id)
        specs.append(host)
    deck.create_many(specs)
    return [seat["slug"] for seat in missing]


def host_spec(snapshot: Reply) -> Spec:
    """The session of the table's host. It passes on what the seats' CLIs need, because it restarts them."""
    table, group = snapshot["table"]["id"], snapshot["table"].get("deck_group", "")
    own = {"RT_HOME": env.home(), **_environment(_PASSED), **_environment(("RT_REDIS_URL",))}
    for seat in snapshot["seats"]:
        own |= _environment(_variables(seat))
    if snapshot["table"].get("format", "open") != "open":  # its host seats others later, and has jobs done
        own |= _environment(_any_cli())
    return Spec(naming.host_session(table), f"host-{table}", group, "/", command("host", table), own)


def _any_cli() -> list[str]:
    """The names of the variables that any configured CLI takes from the operator's environment."""
    from rt_config import profiles, settings

    found = profiles.load(settings.load(Path.cwd()))
    return sorted({name for profile in found.values() for name in profile.pass_env})


def _spec(table: str, seat: Reply, group: str) -> Spec:
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
        group,
        seat["workdir"],
        command("seat", "run"),
        own,
    )


def _variables(seat: Reply) -> list[str]:
    """The names of the variables that the seat's CLI takes from the operator's environment (keys, base URLs)."""
    names: list[str] = packed_spec.unpacked(seat.get("spec") or "{}")["pass_env"]
    return names


def _environment(names: Iterable[str]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _seat_file(table: str, slug: str) -> Path:
    return folder(table) / f"{slug}.seat"
