"""`rt skill`: every command line that the skills name works, and a person's own file is never touched."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import World

# The words in capitals of the skills, as a person would fill them in; TABLE comes from the run.
FILLED = {
    "TOPIC": "Which cache?", "GOAL": "a decision", "AUDIENCE": "the team", "CONSTRAINT": "four people", "STOP": "one option",
    "PROFILE": "rehearsal", "QUESTION": "What would change your mind?", "WORDS OF THE USER": "Hurry.", "TEXT": "cost",
}  # fmt: skip
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^(rt .+?)(?: <<'END'\n(.*?)^END)?$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`((?:rt|--)[^`\n]*)`")


def filled(line: str, table: str = "") -> str:
    """The line with the words in capitals filled in, longest first."""
    for word in sorted(FILLED, key=len, reverse=True):
        line = re.sub(rf"\b{word}\b", FILLED[word], line)
    return re.sub(r"\bTABLE\b", table, line)


def told(world: World, *words: str) -> dict[str, Any]:
    """The JSON of a command that must succeed, in this process, which takes a tenth of the time."""
    done = world.inside(*words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def lines_of(text: str) -> list[tuple[str, str]]:
    """(command line, its standard input) of every shell block, in order."""
    blocks = _BLOCK.findall(text)
    assert blocks
    assert text.count("```") == 2 * len(blocks)
    assert [left for block in blocks if (left := _LINE.sub("", block).strip())] == []
    return [(line, body) for block in blocks for line, body in _LINE.findall(block)]


@pytest.mark.timeout(180)
def test_every_line_of_the_moderators_skill_works(world: World) -> None:
    """S4.1, S2.1: the lines of the installed skill, run from top to bottom, moderate a table from its plan to its archive."""
    told(world, "skill", "install", "claude", "--only", "moderator")
    text = (Path.home() / ".claude/skills/roundtable/SKILL.md").read_text()
    laid: list[str] = []
    for line, body in lines_of(text):
        done = world.inside(*shlex.split(filled(line, laid[-1] if laid else ""))[1:], stdin=body)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        if line.startswith("rt start") and "--dry-run" not in line:
            laid.append([one["table"] for one in told(world, "list")["tables"]][-1])
    assert [one["table"] for one in told(world, "list", "--archived")["tables"]] == laid[:1]
    assert {m["kind"] for m in world.record(laid[0])} >= {"intent", "reply", "note", "synthesis"}
    assert not [name for name in world.sessions() if name.startswith(f"{laid[0]}--")]


def test_every_line_of_the_participants_skill_works_in_a_seat(world: World) -> None:
    """S4.22: the lines of the installed skill, run inside a seat's session, answer its turn and post a note."""
    told(world, "skill", "install", "codex", "--only", "participant")
    text = (Path.home() / ".codex/skills/roundtable-participant/SKILL.md").read_text()
    # The reply comes last: with it the turn is over, and the runner ends what still runs.
    lines = sorted(lines_of(text), key=lambda found: found[0].startswith("rt reply"))
    script = "\n".join(f"{line} <<'END' || exit 9\n{body}END" for line, body in lines)
    seat = world.program("seat", f"cat >/dev/null\n{script}\nexec sleep 300")
    table = world.start("--seat", f"a={seat}", "--seat", "b=rehearsal")
    world.answered(table)
    said = {(m["from"], m["kind"]): m["body"] for m in world.record(table)}
    assert said["participant/a", "reply"].startswith("## Position\nMy answer")
    assert said["participant/a", "note"] == "The numbers are in report.csv."


@pytest.mark.parametrize("role", ["moderator", "participant"])
def test_what_the_skills_name_in_passing_exists(world: World, role: str) -> None:
    """S4.13: a command or an option that stands in a sentence is known to the help of the command it belongs to."""
    shown = told(world, "skill", "show", role)["text"]
    helps: dict[str, str] = {}
    for span in _INLINE.findall(shown):
        words = shlex.split(filled(span, "ID"))
        command = words[1] if words[0] == "rt" and len(words) > 1 else "start"
        if command not in helps:
            done = world.inside(command, "--help")
            assert done.returncode == 0, (span, done.stderr)
            helps[command] = done.stdout
        for option in (word for word in words if word.startswith("-")):
            known = (
                helps[command]
                if words[0] == "rt" or option in helps["start"]
                else world.inside("list", "--help").stdout
            )
            assert re.search(rf"(^|[\s,]){re.escape(option)}\b", known), span


def test_a_skill_is_short_and_chosen_by_its_description(world: World) -> None:
    """S2.1: the description holds the words by which a person asks, and stays within what CLIs read of it."""
    described = told(world, "skill", "show", "moderator")["description"]
    asked = ("roundtable", "council", "second opinion", "multi-agent review", "audit this with codex", "have the agents debate this", "止", "结束")  # fmt: skip
    assert [words for words in asked if words not in described] == []
    for role in ("moderator", "participant"):
        found = told(world, "skill", "show", role)
        assert len(found["description"]) <= 1024
        assert ": " not in found["description"]  # a plain word in YAML
        assert len(found["text"].splitlines()) <= 150
        assert "<!-- formats" not in found["text"]


def test_the_first_question_is_how_involved_the_person_wants_to_be(world: World) -> None:
    """S2.6: the first section asks it, once; with the report only, choices are said in one line."""
    text = told(world, "skill", "show", "moderator")["text"]
    first = text.split("## ")[1]
    assert first.startswith("1. Ask first: how involved")
    assert [
        word for word in ("Hands-on", "Steer at gates", "Report only", "in one line") if word not in first
    ] == []


def test_a_persons_own_file_is_left_alone(world: World) -> None:
    """S1.26: a file that rt did not write, or that was changed by hand, stops the whole install until --force."""
    own = Path.home() / ".codex/skills/roundtable/SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine\n")
    assert world.refused("skill", "install", "gemini", "codex") == "skill_not_ours"
    assert own.read_text() == "mine\n"
    assert not (Path.home() / ".gemini").exists()
    rows = told(world, "skill", "install", "codex", "--force")["skills"]
    assert [row["action"] for row in rows] == ["replaced", "installed"]
    own.write_text(own.read_text() + "one more rule\n")
    states = [row["state"] for row in told(world, "skill", "list")["skills"] if row["cli"] == "codex"]
    assert states == ["edited", "current"]
    for verb in ("install", "remove"):
        assert world.refused("skill", verb, "codex") == "skill_not_ours"
    assert own.read_text().endswith("one more rule\n")


def test_an_older_copy_is_replaced_and_a_current_one_kept(world: World) -> None:
    """S4.1: installing again brings what is older up to date, writes nothing else, and leaves no part behind."""
    told(world, "skill", "install", "qwen")
    file = Path.home() / ".qwen/skills/roundtable/SKILL.md"
    before = file.stat().st_mtime_ns
    rows = told(world, "skill", "install", "qwen")["skills"]
    assert ([row["action"] for row in rows], file.stat().st_mtime_ns) == (["kept", "kept"], before)
    older = told(world, "skill", "show", "participant", "--for", "qwen")["text"]
    file.write_text(older)  # whole, ours, and not what it should be
    assert [row["action"] for row in told(world, "skill", "install", "qwen", "--dry-run")["skills"]] == [
        "replaced",
        "kept",
    ]
    assert file.read_text() == older
    assert [row["action"] for row in told(world, "skill", "install", "qwen")["skills"]] == [
        "replaced",
        "kept",
    ]
    assert list(file.parent.iterdir()) == [file]


def test_remove_takes_away_what_install_put_there(world: World) -> None:
    """S4.1: after remove neither the files nor their folders are left; other skills are."""
    other = Path.home() / ".gemini/skills/mine"
    other.mkdir(parents=True)
    told(world, "skill", "install", "gemini")
    rows = told(world, "skill", "remove", "gemini")["skills"]
    assert [row["action"] for row in rows] == ["removed", "removed"]
    assert list(other.parent.iterdir()) == [other]
    assert [row["action"] for row in told(world, "skill", "remove", "gemini")["skills"]] == [
        "absent",
        "absent",
    ]


def test_a_working_tree_and_a_cli_of_ones_own(world: World) -> None:
    """S1.27: --project writes below that folder; a CLI nobody knows is a table in a configuration file."""
    place = '[profiles.mine]\nextends = "command"\nargv = ["mine"]\n[profiles.mine.skill]\n'
    world.configure(
        place + f'home = "{world.work}/own"\nuser = "commands"\nfile = "{{name}}.md"\nfront_matter = false\n'
    )
    told(world, "skill", "install", "mine")
    command = world.work / "own/commands/roundtable.md"
    assert command.read_text().startswith("<!-- rt-roundtable ")
    told(world, "skill", "install", "copilot", "--project", str(world.work))
    assert (
        (world.work / ".github/skills/roundtable/SKILL.md").read_text().startswith("---\nname: roundtable\n")
    )
    assert not (Path.home() / ".copilot").exists()
    assert world.refused("skill", "install", "mine", "--project", ".", exit_code=2) == "usage"
    assert world.refused("skill", "install", "copilot", "--project", "none", exit_code=2) == "workdir_missing"
    for wrong in ((), ("rehearsal",)):
        assert world.refused("skill", "install", *wrong, exit_code=2) == "usage"


def test_the_hook_says_once_what_came(world: World) -> None:
    """S4.23: the wake waits for the open turns, says it once, and says nothing in a seat, without a table or a server."""
    assert world.text("skill", "wake") == ""
    go = world.work / "go"
    slow = world.program(
        "slow", f"cat >/dev/null; while ! [ -e '{go}' ]; do sleep 0.05; done; echo '## Position'; echo yes"
    )
    table = world.start("--seat", f"a={slow}")
    assert world.text("skill", "wake", "--timeout", "0.1") == ""
    waiting = world.popen("skill", "wake", stdout=subprocess.PIPE)
    go.touch()
    line = f"1 new in roundtable {table}. Run: rt drain -t {table}   and present it.\n"
    assert waiting.communicate(timeout=20)[0].decode() == line
    assert world.text("skill", "wake") == ""
    world.inside("say", "Again?")
    world.answered(table)
    assert world.run("skill", "wake", env={"RT_TABLE": table, "RT_SEAT": "a"}).stdout == ""
    assert world.text("skill", "wake") == line.replace("1", "2", 1)
