"""The transport `tui`: this process becomes the agent's own screen. Everything it needs is on the bus or in its launch spec.

Killed before that and started again, it does the same again. The agent then asks for its turns by itself, rung by the host.
"""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import packed_spec
from rt_config.errors import BusError, RoundtableError
from rt_mailbox import tables
from rt_mailbox.door import mapping
from rt_mailbox.keys import key
from rt_mailbox.patience import WAIT_SECONDS, PatientDoor
from rt_participant import tui_home
from rt_participant.pane import Pane

if TYPE_CHECKING:
    from rt_mailbox.access import Seat
    from rt_mailbox.door import Door

BUS_GONE, CANNOT = 75, 126


def enter(door: Door, who: Seat, home: str) -> int:
    """Write what the agent reads at its start, then become it; returns an exit status only when that cannot be.

    Returns:
        0: the seat was dropped. 75: the bus stayed away. 126: the agent cannot be started, and the pane says why.
    """
    pane = Pane()
    try:
        argv, env, cwd = prepared(PatientDoor(door, WAIT_SECONDS, pane.status), who, home)
    except BusError as exc:
        pane.status(f"{exc}; this seat stops until it is started again")
        return BUS_GONE
    except RoundtableError as exc:
        pane.status(f"{exc}")
        return exc.exit_code
    except OSError as exc:
        pane.status(f"this seat's files cannot be written: {exc}")
        return CANNOT
    finally:
        door.close()
    if not argv:
        pane.status("this seat was dropped.")
        return 0
    try:
        os.chdir(cwd)
        os.execvpe(argv[0], argv, env)  # noqa: S606 (an argv, no shell)
    except OSError as exc:
        print(f"· {argv[0]} cannot be started: {exc.strerror}", file=sys.stderr)  # noqa: T201
        return CANNOT


def prepared(door: Any, who: Seat, home: str) -> tuple[list[str], dict[str, str], str]:
    """(argv, environment, folder) of the agent; an empty argv when the seat was dropped. Files and bus are as they must be.

    Raises:
        BusError, OSError.
    """
    seat = mapping(door.command("HGETALL", key(who.table, "seat", who.slug)))
    if seat.get("state") == "dropped":
        return [], {}, ""
    spec = packed_spec.unpacked(seat["spec"])
    fresh = _must_be_fresh(door, who, seat, spec)
    session = seat.get("native_session", "")
    about = {"launched": "fresh" if fresh else "resumed", "launched_as": seat.get("generation", "")}
    if fresh:
        session = str(uuid.uuid4()) if spec["session"] == "set" else ""
        fields = {"native_session": session, "native_ready": "0", "native_upto": "0", "native_turn": ""}
        about |= fields
    tables.set_seat(door, who.table, who.slug, about)
    topic = door.command("HGET", key(who.table, "table"), "topic") or ""
    folder = Path(home) / "tables" / who.table / f"{who.slug}.home"
    values = tui_home.values(spec, folder, _role(seat, topic), session)
    tui_home.write(spec, folder, values)
    argv = [tui_home.filled(word, values) for word in spec["start" if fresh else "resume"]]
    env = {name: tui_home.filled(text, values) for name, text in spec["env"].items()}
    cwd = spec["cwd"] or str(Path.cwd())
    return argv, os.environ | {"PWD": cwd} | env, cwd


def _must_be_fresh(door: Any, who: Seat, seat: dict[str, str], spec: dict[str, Any]) -> bool:
    """Whether the agent's session, if there is one, does not count: the record then says what it would have known."""
    if not spec["resume"] or not seat.get("native_session") or seat.get("native_ready") != "1":
        return True
    if seat.get("fresh") == "1":
        return True
    turn = door.command("ZRANGE", key(who.table, "pending", who.slug), 0, 0)
    return bool(turn) and door.command("HGET", key(who.table, "turn", turn[0]), "rebuild") == "1"


def _role(seat: dict[str, str], topic: str) -> str:
    """What the agent is told about its seat. Others' words are not in it."""
    from rt_participant import prompt

    if seat.get("fresh") == "1":  # not even who it is
        return prompt.role(seat | {"role": "", "viewpoint": ""}, "")
    return prompt.role(seat, topic)
