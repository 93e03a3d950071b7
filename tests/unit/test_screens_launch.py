"""How a seat with its own screen is launched: its spec, its files, the user's sign-in, and what its ladder does."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from rt_config import packed_spec, profiles
from rt_config import settings as configuration
from rt_config.errors import BadConfigError
from rt_participant import tui_home
from tests.unit.test_decide import NOW, actions, moment, seat, session, sessions, turn

CATALOG = profiles.load(configuration.Settings())
SCREENS = [name for name, one in CATALOG.items() if one.tui]


def spec(name: str, **more: str) -> dict[str, Any]:
    return profiles.launch_spec(CATALOG[name], cwd="/work/place", transport="tui", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_has_what_it_needs(name: str) -> None:
    """S2.33: argv, files and signals of every built-in screen, every placeholder known, the other transport to switch to."""
    found = spec(name)
    assert found["transport"] == "tui"
    assert found["other"]["transport"] == "headless"
    assert packed_spec.unpacked(packed_spec.packed(found)) == found
    known = tui_home.values(
        found, Path("/home/seat"), 'You are "X" 🙂', "11111111-2222-3333-4444-555555555555"
    )
    texts = [*found["start"], *found["resume"], *found["env"].values(), *found["files"].values()]
    for text in (tui_home.filled(one, known) for one in texts):
        assert not re.search(r"\{(home|rt|role|session|cwd)[a-z_]*\}", text)
        if text.lstrip().startswith(("{", "[{")):
            json.loads(text)


@pytest.mark.parametrize("name", SCREENS)
def test_a_read_only_screen_differs_from_one_that_may_write(name: str) -> None:
    """S1.28: whether files may be changed is the CLI's own rule, not a request to its model."""
    reads, writes = spec(name), spec(name, access="write")
    assert (reads["start"], reads["env"]) != (writes["start"], writes["env"])


def test_a_profile_without_a_screen_says_what_it_has() -> None:
    """A transport that a profile lacks is refused with those that it has."""
    with pytest.raises(BadConfigError, match="it has no transport tui; it has headless"):
        spec("llm")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"signals": {"ready": ["("], "draft": "(.*)"}}, "does not read"),
        ({"signals": {"ready": ["x"], "draft": "x"}}, "exactly one group"),
        ({"resume": ["x"]}, "go together"),
        ({"start": ["{nothing}"]}, "unknown placeholder"),
        ({"files": {"../x": ""}}, "below {home}"),
    ],
)
def test_a_broken_screen_profile_is_refused(changed: dict[str, Any], reason: str) -> None:
    """A user's profile that cannot work is named when it is loaded."""
    own = {"start": ["x"], "signals": {"ready": ["> "], "draft": "> (.*)"}} | changed
    given = {"mine": {"extends": "command", "argv": ["x"], "tui": own}}
    with pytest.raises(BadConfigError, match=re.escape(reason)):
        profiles.load(configuration.Settings(profiles=given))


def test_files_and_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written whole and private below the seat's folder; the user's sign-in is linked or read, never written."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "token.json").write_text("secret")
    (own / "config.json").write_text('// managed\n{"login": "me", "trusted": []}')
    monkeypatch.setenv("MY_HOME", str(own))
    monkeypatch.setenv("MY_KEY", "k" * 30 + "0123456789")
    sign_in = {
        "env": "MY_HOME",
        "folder": "~/.mine",
        "files": ["token.json", "none.json"],
        "merged": ["config.json"],
    }
    given = spec("claude") | {
        "files": {"deep/a.txt": "{end:MY_KEY} {cwd_json}", "config.json": '{"trusted": [{cwd_json}]}'},
        "sign_in": sign_in,
    }
    folder = tmp_path / "seat"
    for _ in range(2):
        tui_home.write(given, folder, tui_home.values(given, folder, "role", ""))
    written = folder / "deep" / "a.txt"
    assert written.read_text() == 'kkkkkkkkkk0123456789 "/work/place"'
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "token.json").readlink() == own / "token.json"
    assert not (folder / "none.json").exists()
    assert json.loads((folder / "config.json").read_text()) == {"login": "me", "trusted": ["/work/place"]}
    assert sorted(one.name for one in own.iterdir()) == ["config.json", "token.json"]
    assert (own / "config.json").read_text().startswith("// managed")


def test_what_a_value_holds_is_no_placeholder() -> None:
    """A role that looks like a placeholder stays as it is."""
    assert tui_home.filled("{role}!", {"role": "{home} {end:PATH}", "home": "x"}) == "{home} {end:PATH}!"


SCREEN = {"transport": "tui", "seen_mark": "k1"}


@pytest.mark.parametrize("code", [0, 1])
def test_an_agent_that_ends_before_its_screen_was_ready_is_struck(code: int) -> None:
    """Exit 0 by hand is no failure, but one that never was ready has failed, or it would be started for ever."""
    dead = sessions(session("a", "dead", code, mark="k2"))
    (struck, _) = actions(moment([seat("a", **SCREEN)]), dead)
    assert struck.reason == f"its session ended before it was ready (exit {code})"
    (again,) = actions(
        moment([seat("a", transport="tui", seen_mark="k2")]), sessions(session("a", "dead", 0, mark="k2"))
    )
    assert type(again).__name__ == "Reseat"


def test_a_session_that_cannot_be_resumed_is_no_strike() -> None:
    """S1.24: a resumed agent that goes before it was ready is started afresh."""
    dead = sessions(session("a", "dead", 1, mark="k2"))
    found = actions(moment([seat("a", launched="resumed", **SCREEN)]), dead)
    assert [type(one).__name__ for one in found] == ["Unresumed", "Reseat"]
    assert [
        type(one).__name__ for one in actions(moment([seat("a", launched="resumed", **SCREEN)]), dead, a="k2")
    ] == ["Reseat"]


def test_a_time_out_is_a_time_out_on_a_screen_too() -> None:
    """The deadline of a turn on a screen expires as any other."""
    late = turn("a", deadline=str(NOW))
    (found,) = actions(moment([seat("a", **SCREEN)], [late]), sessions(session("a")))
    assert type(found).__name__ == "Expire"
