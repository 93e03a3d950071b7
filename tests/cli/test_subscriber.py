"""The moderator's notify address: replies are heard of by mail alone."""

from __future__ import annotations

from tests.cli.world import ECHO, World


def test_replies_are_noticed_at_the_moderators_address(world: World) -> None:
    """S4.12, S4.23: a start subscribes the moderator; no host and no terminal is needed to hear of a reply, once."""
    table = world.start("--seat", f"a={world.program('echo', ECHO)}")
    address = f"moderator/{table}"
    assert world.json("mail", "wait", address, "--timeout", "20")["ready"] is True
    world.answered(table)
    (notice,) = world.json("mail", "recv", address)["messages"]
    assert f"Group-Address: group/roundtable-{table}" in notice["body"]
    assert "As-Person: moderator\nUnread: 1" in notice["body"]
    assert [one["kind"] for one in world.json("drain")["messages"]] == ["reply"]
    world.json("mail", "ack", notice["id"], "--lease", notice["lease"])
    assert world.json("mail", "recv", address)["messages"] == []
