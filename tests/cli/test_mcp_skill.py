"""The roundtable skill of the second kind: its MCP calls, in its order, with its parameters, against `rt mcp`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from tests.cli.mcp_world import Person, person
from tests.cli.world import World

ID = "rt-20261130-1200-cache"
GROUP = f"group/roundtable-{ID}"
PATH = f"work/roundtable-{ID}"
CONTROL = "Task: {id}\nAction: roundtable_participant_turn\nRound: 1\n\n## Moderator Request\nWhich cache?"


async def resolve_command(world: World) -> str:
    """The skill's resolver script, as `rt` has it, here with a profile that only waits."""
    argv = [sys.executable, "-c", "import time; time.sleep(600)"]
    world.configure(f'[profiles.waits]\nextends = "command"\nargv = {json.dumps(argv)}\n')
    words = ("profiles", "resolve", "--role", "roundtable_participant", "--profile", "waits")
    assert world.json(*words)["profile"] == "waits"
    return shlex.join(argv)


async def seated(moderator: Person, me: str, slug: str, command: str, folder: Path) -> str:
    """Resolve, else create, then require: the session's id."""
    title = f"roundtable-{ID}-{slug}"
    assert (await moderator.call("agent_deck_resolve_session", session=title))["status"] == "not_found"
    made = await moderator.call(
        "agent_deck_create_session", ensure_title=title, ensure_cmd=command, workdir=str(folder), parent_session_id=me,
        group_path=PATH, no_parent_link=False, startup_instruction="", listener_message="",
    )  # fmt: skip
    assert (made["status"], made["title"], made["group_path"]) == ("created", title, PATH)
    assert (await moderator.call("agent_deck_resolve_session", session=title))["status"] == "found"
    required = {"session_id": made["session_id"], "workdir": str(folder)}
    assert (await moderator.call("agent_deck_require_session", **required))["status"] == "ready"
    elsewhere = {**required, "workdir": str(folder.parent)}
    assert await moderator.refused("agent_deck_require_session", **elsewhere) == "workdir_mismatch"
    return str(made["session_id"])


async def drained(moderator: Person) -> list[dict[str, Any]]:
    """Group mailbox_recv until it returns no_message."""
    found: list[dict[str, Any]] = []
    while True:
        got = await moderator.call("mailbox_recv", addresses=[GROUP], as_person="moderator")
        if got["status"] == "no_message":
            return found
        assert got["status"] == "received"
        found.append(got["message"])


async def answered(anybody: Person, session: str, slug: str, text: str) -> None:
    """What a participant does with its control mail, as itself; here over the same connection, to start one server only."""
    mine, who = {"addresses": [f"agent-deck/{session}"]}, f"participant/{slug}"
    assert (await anybody.call("mailbox_wait", **mine, timeout=5))["status"] == "message_available"
    mail = (await anybody.call("mailbox_recv", **mine))["delivery"]
    assert mail["body"] == CONTROL.format(id=ID)
    assert (await anybody.call("mailbox_recv", addresses=[GROUP], as_person=who))["message"]["body"]
    reply = {"to_address": GROUP, "from_address": who, "subject": f"roundtable: {ID} r1 {who}", "body": text}
    assert (await anybody.call("mailbox_send", group=True, **reply))["mode"] == "group"
    settle = {"delivery_id": mail["delivery_id"], "lease_token": mail["lease_token"]}
    assert (await anybody.call("mailbox_ack", **settle))["status"] == "acked"


async def test_the_skill_runs_as_written(world: World) -> None:
    """S4.7, S4.13, S4.14, S4.15, S4.6: start, user turn, drain, end and clean-up; its three shell lines are commands of rt."""
    command = await resolve_command(world)
    async with person(world.work) as moderator:
        me = (await moderator.call("mailbox_status"))["session_id"]
        notify, slugs, group = f"agent-deck/{me}", ("skeptic", "builder"), {"group_address": GROUP}
        assert (await moderator.call("mailbox_group_create", **group))["status"] == "created"
        await moderator.call("mailbox_group_add_member", **group, person="moderator")
        await moderator.call(
            "mailbox_group_add_subscriber", **group, notify_address=notify, person="moderator"
        )
        for slug in slugs:
            await moderator.call("mailbox_group_add_member", **group, person=f"participant/{slug}")
        sessions = {slug: await seated(moderator, me, slug, command, world.work) for slug in slugs}

        opening = {"group": True, "to_address": GROUP, "from_address": notify, "subject": "opening"}
        sent = await moderator.call("mailbox_send", **opening, body="Which cache?")
        assert (sent["status"], sent["message_id"], sent["eligible_count"]) == ("sent", f"{ID}/m1", 2)
        for session in sessions.values():
            control = {"to_address": f"agent-deck/{session}", "from_address": notify, "subject": "turn"}
            mail = await moderator.call("mailbox_send", **control, body=CONTROL.format(id=ID))
            assert mail["delivery_id"]
        assert await drained(moderator) == []  # its own words are no news to it (S4.6)

        for slug, session in sessions.items():
            await answered(moderator, session, slug, f"## Position\n{slug} speaks")
        told = (await moderator.call("mailbox_recv", addresses=[notify]))["delivery"]
        assert f"Group-Address: {GROUP}\nAs-Person: moderator" in told["body"]
        heard = await drained(moderator)
        assert [(one["message_id"], one["sender"]) for one in heard] == [
            (f"{ID}/m2", "participant/skeptic"), (f"{ID}/m3", "participant/builder"),
        ]  # fmt: skip
        await moderator.call("mailbox_ack", delivery_id=told["delivery_id"], lease_token=told["lease_token"])

        said = await moderator.call("mailbox_send", **opening, body="And when it is cold?")
        assert said["message_id"] == f"{ID}/m4"
        await moderator.call("mailbox_send", to_address=f"agent-deck/{sessions['skeptic']}", from_address=notify,
                             subject="turn", body=CONTROL.format(id=ID))  # fmt: skip
        await answered(moderator, sessions["skeptic"], "skeptic", "## Position\nThen it is slow")
        assert [one["message_id"] for one in await drained(moderator)] == [f"{ID}/m5"]

        for session in sessions.values():
            assert world.json("deck", "remove", session)["removed"] is True
        assert world.json("deck", "group", "delete", PATH)["deleted"] == PATH
        raw = await moderator.call("mailbox_list", address=GROUP, as_person="moderator")
        assert len(raw["messages"]) == 5
