"""Sinks as a person has them: configured, looked at, tried, and served by the host of a table."""

from __future__ import annotations

from pathlib import Path

from tests.cli.world import World
from tests.helpers import eventually
from tests.receiver import SECRET, Say, listening

FILE = '[[sink]]\nname = "notes"\ntype = "file"\npath = "{path}"\n'
HOOK = '[[sink]]\nname = "team"\ntype = "webhook"\ntemplate = "discord"\nurl_file = "{file}"\n'


def test_a_host_posts_and_is_never_held_up(world: World, tmp_path: Path) -> None:
    """S0.8, issue 6: opening, answers and the end are posted by the host, while another sink hangs; the table goes on."""
    out = tmp_path / "notes.md"
    with listening() as receiver:
        receiver.usual = Say(never=True)
        (tmp_path / "url").write_text(receiver.url + "\n")
        world.configure(FILE.format(path=out) + HOOK.format(file=tmp_path / "url"))
        table = world.start("--seat", "a=rehearsal", topic="Which cache?")
        world.answered(table)
        eventually(lambda: receiver.got, what="a post that hangs")
        assert world.inside("synthesis", "-m", "Small first: m2.").returncode == 0
        eventually(lambda: "Small first: m2." in out.read_text(), what="the synthesis")
        assert len(receiver.got) == 1
        receiver.usual = Say()
        receiver.closing.set()  # its answer to the first post never comes
        done = world.inside("archive", "-t", table)
        assert done.returncode == 0, done.stderr
        text = out.read_text()
        assert (
            text.index("# Which cache? [[OPEN]]")
            < text.index("## a")
            < text.index("Synthesis by moderator")
            < text.index("## Over: ended")
        )
        assert ["**Over: ended**" in one.body["content"] for one in receiver.got].count(True) == 1
        events = world.inside("events", "-t", table).stdout
        assert "sink=notes  what=m2" in events
        assert SECRET not in events + world.inside("status", "-t", table).stdout


def test_sinks_are_listed_tried_and_refused_clearly(world: World, tmp_path: Path) -> None:
    """S0.8, S4.33: list says what is wrong and hides the URL; test sends one post; a name or template that is none is an error."""
    assert "[[sink]]" in world.inside("sinks", "list").stdout
    with listening() as receiver:
        (tmp_path / "url").write_text(receiver.url)
        odd = '[[sink]]\nname = "odd"\ntype = "file"\npath = "x"\ntemplate = "carrier-pigeon"\n'
        world.configure(HOOK.format(file=tmp_path / "url") + odd)
        listed = world.inside("sinks", "list").stdout
        assert "http://127.0.0.1/…" in listed
        assert "no template 'carrier-pigeon'; there are discord, json, markdown, slack" in listed
        receiver.answers = [Say(400)]
        assert "took a test post" in world.inside("sinks", "test", "team").stdout
        assert len(receiver.got) == 2  # no threads there: the channel
        receiver.usual = Say(403, {"message": f"not with {receiver.url}"})
        refused = world.inside("sinks", "test", "team")
        assert refused.returncode == 1
        assert "HTTP 403" in refused.stderr
        assert SECRET not in listed + refused.stderr
    assert world.refused("sinks", "test", "nobody", exit_code=2) == "unknown_sink"
    assert world.refused("sinks", "test", "odd", exit_code=2) == "bad_config"
    (world.work / "rt.toml").write_text(FILE.format(path="x"))
    assert world.refused("profiles", "list", exit_code=2) == "bad_config"
