"""Profiles: one TOML per agent CLI, changed by the configuration, made into what a runner needs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from rt_config import packed_spec, profiles
from rt_config import settings as configuration
from rt_config.errors import BadConfigError, CliMissingError, UnknownProfileError
from rt_config.seat_spec import SeatSpec
from rt_config.settings import Settings
from rt_participant import launch

ROOT = Path(__file__).parents[2]
ROOMS = ("config", "mailbox", "deck", "participant", "moderator")


def loaded(**configured: Any) -> dict[str, profiles.Profile]:
    return profiles.load(Settings(profiles=configured))


def programs(folder: Path, *names: str) -> str:
    """A PATH on which these programs are."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return str(folder)


def test_no_python_file_names_an_agent_cli() -> None:
    """S1.27: what is specific to a CLI stands in its TOML file and nowhere else."""
    names = {
        name for name in loaded() if name not in ("command", "rehearsal", "cursor")
    }  # a cursor is also ours
    names |= {one.executable for one in loaded().values() if one.executable not in ("", "{python}", "cmd")}
    word = re.compile(rf"\b({'|'.join(names)})\b", re.IGNORECASE)
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 20
    lines = [
        (file, line) for file in files for line in file.read_text().splitlines() if "example=" not in line
    ]
    assert [(str(file), line) for file, line in lines if word.search(line)] == []


def test_a_new_cli_is_one_toml_table() -> None:
    """S1.27, S2.33: argv with placeholders, input, output and sessions come from data alone."""
    new = {
        "extends": "command",
        "executable": "agent9",
        "agent": True,
        "order": 1,
        "roles": ["roundtable_participant"],
        "model_args": ["-m", "{model}"],
        "headless": {
            "start": ["{executable}", "ask", "{options}", "{prompt}"],
            "resume": ["{executable}", "ask", "{options}", "--in", "{session}", "{prompt}"],
            "prompt": "argument",
            "session": "read",
            "output": {
                "format": "jsonl",
                "answer": {"path": "text", "where": {"kind": "done"}},
                "session": "id",
            },
        },
    }
    profile = loaded(agent9=new)["agent9"]
    spec = profiles.launch_spec(profile, model="m1", cwd="/w")
    assert spec["start"] == ["{executable}", "ask", "-m", "{model}", "{prompt}"]
    assert spec["resume"] == ["{executable}", "ask", "-m", "{model}", "--in", "{session}", "{prompt}"]
    assert spec["output"]["answer"] == [{"path": "text", "where": {"kind": "done"}, "take": "last"}]
    assert next(iter(loaded(agent9=new))) == "agent9"


BOTH = {
    "extends": "command",
    "executable": "agent9",
    "model_args": ["-m", "{model}"],
    "args": ["--quiet"],
    "headless": {"start": ["{executable}", "run"]},
    "acp": {
        "argv": ["{executable}", "{options}", "acp"],
        "auth_method": "key",
        "modes": {"read-only": "plan"},
    },
}


def test_a_profile_with_two_transports_knows_the_other() -> None:
    """S2.4, S2.21, S2.33: the flag overrides the default, and each spec holds the one to switch to."""
    profile = loaded(agent9=BOTH)["agent9"]
    spec = profiles.launch_spec(profile, model="m1", transport="acp", drain_timeout_seconds=7.0)
    assert spec["start"] == ["{executable}", "-m", "{model}", "--quiet", "acp"]
    assert (spec["auth_method"], spec["mode"], spec["drain_timeout_seconds"]) == ("key", "plan", 7.0)
    assert profiles.launch_spec(profile, access="write", transport="acp")["mode"] == ""
    other = spec["other"]
    assert (other["transport"], other["start"]) == (
        "headless",
        ["{executable}", "run", "-m", "{model}", "--quiet"],
    )
    assert profiles.launch_spec(profile, "m1")["other"]["transport"] == "acp"
    assert profiles.launch_spec(loaded()["claude"])["other"] == {}


def test_an_agent_that_does_not_ask_for_leave_is_held_by_its_own_guard() -> None:
    """S1.28, S2.16: over ACP, too, options and variables keep a reader from writing, and let a writer."""
    guards = {
        "read_only": ["--plan"],
        "write": ["--edit"],
        "read_only_env": {"MAY": "no"},
        "write_env": {"MAY": "yes"},
    }
    profile = loaded(agent9=BOTH | {"acp": {"argv": ["agent9", "{options}"], **guards}, "env": {"X": "1"}})[
        "agent9"
    ]
    reader = profiles.launch_spec(profile, transport="acp")
    writer = profiles.launch_spec(profile, access="write", transport="acp")
    assert (reader["start"], reader["env"]) == (["agent9", "--plan", "--quiet"], {"X": "1", "MAY": "no"})
    assert (writer["start"], writer["env"]) == (["agent9", "--edit", "--quiet"], {"X": "1", "MAY": "yes"})


def test_a_transport_that_takes_no_model_is_no_other() -> None:
    """A seat with a model of its own never switches to a transport that would run another."""
    profile = loaded(agent9=BOTH | {"acp": {"argv": ["agent9", "acp"], "model": False}})["agent9"]
    assert profiles.launch_spec(profile, "m1")["other"] == {}
    assert profiles.launch_spec(profile)["other"]["start"] == ["agent9", "acp", "--quiet"]
    with pytest.raises(BadConfigError, match="no model on acp"):
        profiles.launch_spec(profile, "m1", transport="acp")


GOLDEN = {
    ("claude", "read-only"): (
        "{executable} -p --output-format stream-json --verbose --include-partial-messages --permission-mode plan --allowedTools Bash(rt:*) --model {model} --effort {effort} --session-id {session}",
        "{executable} -p --output-format stream-json --verbose --include-partial-messages --permission-mode plan --allowedTools Bash(rt:*) --model {model} --effort {effort} --resume {session}",
    ),
    ("claude", "write"): (
        "{executable} -p --output-format stream-json --verbose --include-partial-messages --permission-mode acceptEdits --model {model} --effort {effort} --session-id {session}",
        "{executable} -p --output-format stream-json --verbose --include-partial-messages --permission-mode acceptEdits --model {model} --effort {effort} --resume {session}",
    ),
    ("codex", "read-only"): (
        (
            "{executable} exec --json --skip-git-repo-check -c sandbox_mode=read-only"
            " --model {model} -c model_reasoning_effort={effort} -o {out} -"
        ),
        (
            "{executable} exec resume --json --skip-git-repo-check -c sandbox_mode=read-only"
            " --model {model} -c model_reasoning_effort={effort} -o {out} {session} -"
        ),
    ),
}


@pytest.mark.parametrize(("name", "access"), GOLDEN)
def test_every_launch_reads_as_measured(name: str, access: Any) -> None:
    """S2.17, S1.6, S3.10: model and effort in the argv, read-only unless write is asked for, resume by an explicit id, no git needed."""
    spec = profiles.launch_spec(loaded()[name], "m1", "high", access, "/w")
    assert (" ".join(spec["start"]), " ".join(spec["resume"])) == GOLDEN[name, access]
    assert json.loads(json.dumps(spec)) == spec


@pytest.mark.parametrize("name", ["rehearsal", "llm", "claude", "codex", "command"])
def test_a_launch_spec_is_kept_without_what_is_blank(name: str) -> None:
    """Short as text and whole again; one that was kept in full reads the same."""
    argv = {"argv": ("cat",)} if name == "command" else {}
    spec = profiles.launch_spec(loaded()[name].model_copy(update=argv))
    text = packed_spec.packed(spec)
    assert packed_spec.unpacked(text) == packed_spec.unpacked(json.dumps(spec)) == spec
    assert len(text) < min(1000, len(json.dumps(spec)) - 200)


def test_without_a_model_no_model_is_asked_for() -> None:
    """The CLI's own default stays its own."""
    assert "{model}" not in profiles.launch_spec(loaded()["claude"])["start"]


BUILT_IN = list(loaded())
VERIFIED = ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "kimi", "grok", "llm", "rehearsal"]


def test_the_catalog_is_complete() -> None:
    """Every CLI of the design has a file; those that were never run are marked and have to be named."""
    assert [name for name in BUILT_IN if not loaded()[name].unverified] == [*VERIFIED, "command"]
    unverified = {name: loaded()[name] for name in BUILT_IN if name not in (*VERIFIED, "command")}
    assert list(unverified) == ["cursor", "agy", "commandcode", "ollama"]
    assert not any(one.proposable or one.roles for one in unverified.values())


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name != "command"])
def test_every_built_in_profile_can_be_launched(name: str) -> None:
    """Each built-in file is whole: what it launches, where its answer is, how it is installed."""
    profile = loaded()[name]
    spec = profiles.launch_spec(profile, access="read-only" if profile.proposable else "write")
    assert spec["start"]
    assert profile.install
    assert profile.login or not profile.agent
    assert profile.tested or profile.unverified
    assert spec["output"]["format"] == "text" or spec["output"]["answer"]
    assert bool(spec["resume"]) == (spec["session"] != "none")
    for pattern in profile.auth_failure:
        re.compile(pattern)


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("name", [name for name in BUILT_IN if name != "command"])
def test_every_placeholder_of_a_profile_is_filled(name: str, resume: bool, tmp_path: Path) -> None:
    """S2.33, S1.6: the argv of a first and of a later call holds what it must, and no braces are left."""
    profile = loaded()[name]
    wants_model, wants_effort = bool(profile.model_args), bool(profile.effort_args)
    access: Any = "read-only" if profile.headless and profile.headless.can_be_read_only else "write"
    model = profile.models[0] if profile.models else "M-1"
    spec = profiles.launch_spec(
        profile, model if wants_model else "", "E-1" if wants_effort else "", access, "/"
    )
    if resume and not spec["resume"]:
        pytest.skip("it has no sessions")
    call = launch.prepare(spec, "P-1", "S-1", resume=resume, mark="mark", folder=tmp_path)
    line = "\n".join(call.argv)
    assert not re.search(r"\{[a-z_]+\}", line)
    assert (model in line) == wants_model
    assert ("E-1" in line) == wants_effort
    assert ("S-1" in line) == (resume or spec["session"] == "set")
    assert ("P-1" in line) == (spec["prompt"] == "argument")
    assert (call.stdin == b"P-1") == (spec["prompt"] == "stdin")
    assert (str(tmp_path / "prompt.md") in line) == (spec["prompt"] == "file")
    assert {"PWD": "/"}.items() <= call.env.items()


GUARDS = {  # what keeps a seat from writing: words of the argv, or of the environment
    "claude": ["--permission-mode", "plan"],
    "codex": ["-c", "sandbox_mode=read-only"],
    "gemini": ["--approval-mode", "plan"],
    "opencode": ['"edit":"deny","bash":"deny"'],
    "copilot": ["--deny-tool=write", "--allow-tool=shell(rt:*)"],
    "qwen": ["--approval-mode", "plan"],
    "grok": ["--permission-mode", "plan", "--disallowed-tools", "run_terminal_command,search_replace,write"],
    "cursor": ["--mode", "ask"],
    "commandcode": ["--permission-mode", "plan"],
}


@pytest.mark.parametrize("name", GUARDS)
def test_read_only_is_the_default(name: str) -> None:
    """S1.28, S2.5, S2.17: every agent has a guard against writing unless write access is asked for."""
    profile = loaded()[name]
    default = profiles.launch_spec(profile)
    told = " ".join([*default["start"], *default["env"].values()])
    assert " ".join(GUARDS[name]) in told
    if default["resume"]:
        again = " ".join([*default["resume"], *default["env"].values()])
        assert " ".join(GUARDS[name]) in again
    writing = profiles.launch_spec(profile, access="write")
    assert " ".join(GUARDS[name]) not in " ".join([*writing["start"], *writing["env"].values()])


def test_what_cannot_be_kept_from_writing_never_sits_as_a_reader(tmp_path: Path) -> None:
    """S1.28: an agent without such a guard is refused for a read-only seat, and never proposed by itself."""
    with pytest.raises(BadConfigError, match="--access write"):
        profiles.launch_spec(loaded()["kimi"])
    assert profiles.launch_spec(loaded()["kimi"], access="write")["start"]
    path = programs(tmp_path, "kimi", "cursor-agent", "cmd", "agy", "ollama", "grok")
    assert [one.name for one in profiles.proposed(Settings(), path)] == ["grok"]
    guarded = {one.name for one in loaded().values() if one.agent and one.proposable}
    assert guarded <= set(GUARDS)


def test_the_configuration_changes_a_built_in() -> None:
    """What is given replaces or adds: env merges, args come with every launch."""
    changed = loaded(
        claude={"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, "args": ["--model", "opus"]}
    )["claude"]
    assert changed.env == {"DISABLE_AUTOUPDATER": "1", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}
    spec = profiles.launch_spec(changed)
    assert spec["start"][-4:] == ["--model", "opus", "--session-id", "{session}"]
    assert spec["resume"][-4:] == ["--model", "opus", "--resume", "{session}"]
    assert profiles.interactive_argv(changed) == ("claude", "--model", "opus")


def test_a_profile_of_ones_own_extends_another() -> None:
    """`extends` and `argv` make any program a participant, through several steps too."""
    found = loaded(
        reviewer={"extends": "command", "argv": ["my-agent", "--stdin"]},
        strict={"extends": "reviewer", "args": ["--strict"]},
        mine={"extends": "claude", "args": ["--verbose"]},
    )
    assert profiles.launch_spec(found["reviewer"])["start"] == ["my-agent", "--stdin"]
    assert profiles.launch_spec(found["strict"])["start"] == ["my-agent", "--stdin", "--strict"]
    assert found["strict"].executable == "my-agent"
    assert (found["mine"].name, found["mine"].family) == ("mine", "anthropic")


@pytest.mark.parametrize(
    ("configured", "reason"),
    [
        ({"x": {"extends": "x"}}, "extends itself"),
        ({"x": {"extends": "y"}, "y": {"extends": "x"}}, "extends itself"),
        ({"claude": {"colour": "red"}}, "profiles.claude.colour"),
        ({"claude": {"args": "--model"}}, "profiles.claude.args"),
        ({"claude": {"headless": {"start": ["claude", "{sesion}"]}}}, "unknown placeholder {sesion}"),
        ({"claude": {"headless": {"resume": ["claude", "--continue"]}}}, "whatever session is the latest"),
        ({"claude": {"headless": {"prompt": "argument"}}}, "needs {prompt}"),
        ({"claude": {"headless": {"session": "none"}}}, "go together"),
        ({"a/b": {"argv": ["x"]}}, "one plain word"),
    ],
)
def test_a_profile_that_cannot_work_is_refused_by_name(configured: dict[str, Any], reason: str) -> None:
    """A mistake in the configuration says where it is."""
    with pytest.raises(BadConfigError, match=re.escape(reason)):
        loaded(**configured)


def test_an_unknown_profile_lists_those_there_are() -> None:
    """The error says what could have been meant."""
    with pytest.raises(
        UnknownProfileError, match="claude, codex, gemini, opencode, copilot, qwen, kimi, grok, cursor"
    ):
        profiles.get(loaded(), "cluade")
    with pytest.raises(UnknownProfileError, match="rehearsal"):
        loaded(x={"extends": "nothing"})


@pytest.mark.parametrize("asked", [{"transport": "acp"}, {"effort": "high"}])
def test_what_a_profile_cannot_do_is_refused(asked: dict[str, str]) -> None:
    """A transport, model or effort that it has no arguments for is an error, not silence."""
    with pytest.raises(BadConfigError):
        profiles.launch_spec(loaded()["rehearsal"], **asked)  # type: ignore[arg-type]
    with pytest.raises(BadConfigError, match="argv"):
        profiles.launch_spec(loaded()["command"])


def test_a_role_resolves_to_what_is_installed(tmp_path: Path) -> None:
    """S4.7: the default role gives the best agent CLI on PATH, else the scripted seat, always with an argv."""
    role = profiles.DEFAULT_ROLE
    nothing = profiles.resolve_role(role, Settings(), path=str(tmp_path))
    assert nothing.argv == (sys.executable, "-m", "rt_participant.rehearsal")
    assert nothing.candidates == (
        *("claude", "codex", "gemini", "opencode", "copilot", "qwen", "grok", "rehearsal"),
    )
    path = programs(tmp_path, "codex")
    assert profiles.resolve_role(role, Settings(), path).argv == ("codex",)
    assert profiles.default_profile(Settings(), path) == "codex"
    assert profiles.default_profile(Settings(), str(tmp_path / "empty")) == "rehearsal"
    assert [one.name for one in profiles.proposed(Settings(), path)] == ["codex"]
    assert profiles.default_profile(Settings(default_profile="llm"), path) == "llm"
    programs(tmp_path, "claude")
    assert profiles.resolve_role(role, Settings(), path).profile == "claude"
    assert profiles.resolve_role(role, Settings(default_profile="codex"), path).profile == "codex"


def test_a_role_nobody_has_is_an_error(tmp_path: Path) -> None:
    """A misspelt role names those there are; one that nobody installed can fill says how to install."""
    with pytest.raises(BadConfigError, match="roundtable_participant"):
        profiles.resolve_role("moderator_of_all", Settings())
    one = {"reviewer": {"argv": ["no-such-agent"], "roles": ["reviewing"], "install": "pip install x"}}
    with pytest.raises(CliMissingError):
        profiles.resolve_role("reviewing", Settings(profiles=one), str(tmp_path))


def test_profiles_come_from_the_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of the documentation reads as written."""
    file = tmp_path / "config.toml"
    file.write_text('[profiles.reviewer]\nextends = "command"\nargv = ["my-agent", "--stdin"]\n')
    monkeypatch.setenv("RT_CONFIG", str(file))
    assert profiles.load(configuration.load(tmp_path))["reviewer"].argv == ("my-agent", "--stdin")


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("skeptic=claude", SeatSpec("skeptic", "claude")),
        ("skeptic=claude:opus", SeatSpec("skeptic", "claude", "opus")),
        ("skeptic=claude:opus:high@headless", SeatSpec("skeptic", "claude", "opus", "high", "headless")),
        ("s=claude@tui", SeatSpec("s", "claude", transport="tui")),
        ("s=opencode:anthropic/claude-opus", SeatSpec("s", "opencode", "anthropic/claude-opus")),
        ("s=ollama:llama3:8b", SeatSpec("s", "ollama", "llama3:8b")),
        ("s=ollama:llama3:8b:low", SeatSpec("s", "ollama", "llama3:8b", "low")),
        ("s=x:opus@20250805", SeatSpec("s", "x", "opus@20250805")),
        ("s=x:opus@20250805@acp", SeatSpec("s", "x", "opus@20250805", transport="acp")),
        (
            "s=!my-agent --say 'two words' a=b",
            SeatSpec("s", "command", argv=("my-agent", "--say", "two words", "a=b")),
        ),
    ],
)
def test_a_seat_reads_as_written(text: str, seat: SeatSpec) -> None:
    """SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT], or SLUG=!argv."""
    assert profiles.parse_seat(text) == seat


@pytest.mark.parametrize(
    "text",
    ["skeptic", "=claude", "s=", "s=:opus", "s=claude@headles", "s=claude:opus@tiu", "s=!", "s=!'x"],
)
def test_a_seat_that_does_not_read_as_one_is_refused(text: str) -> None:
    """The error quotes what was given."""
    with pytest.raises(BadConfigError, match=re.escape(text)):
        profiles.parse_seat(text)


def test_a_seat_with_a_command_of_its_own_works() -> None:
    """S4.7: a full command needs no profile."""
    profile = profiles.for_seat(loaded(), profiles.parse_seat("s=!cat -u"))
    assert profiles.launch_spec(profile)["start"] == ["cat", "-u"]
    assert profiles.available(profile)
    assert not profiles.available(loaded()["command"])
