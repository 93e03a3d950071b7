"""The server-side scripts: each says what it is for, and touches only what it may."""

from __future__ import annotations

import re

import pytest

from rt_mailbox import keys, lua


def own_text(name: str) -> str:
    """The script without its libraries."""
    return lua._read(f"{name}.lua")


@pytest.mark.parametrize("name", lua.names())
def test_a_script_says_what_it_takes_and_guarantees(name: str) -> None:
    """Its head has one line for the server, one for the libraries, then what it does, its args and its guarantee."""
    first, uses, *rest = own_text(name).splitlines()
    assert re.fullmatch(r"#!lua flags=((no-writes,)?allow-oom)?", first)
    assert uses.startswith("-- uses: base")
    comment = []
    for line in rest:
        if not line.startswith("--"):
            break
        comment.append(line.removeprefix("--").strip())
    text = " ".join(comment)
    assert re.match(r"[A-Z].+?\. ", text)
    assert "args: " in text
    assert "Guarantee: " in text


@pytest.mark.parametrize("name", lua.names())
def test_a_script_makes_keys_by_the_one_rule(name: str) -> None:
    """Every key comes from key(kind, …) with a kind that `keys` describes: nothing outside the space can be touched."""
    kinds = set(re.findall(r"^    (\w+)(?::<| )", keys.__doc__ or "", re.MULTILINE))
    text = lua.text(name)
    calls = re.findall(r"redis\.call\('(\w+)', ?([^\n]*)", text)
    assert calls
    for command, rest in calls:
        if command == "TIME":
            assert rest == "" or rest.startswith(")")
        else:
            assert rest.startswith(("key(", "own_of(", "notice_key(", "name)")), (command, rest)
    assert set(re.findall(r"\bkey\('(\w+)'", text)) <= kinds
    assert text.count("KEYS[") == 1


def test_libraries_are_only_those_that_are_used() -> None:
    """What a script does not use need not be sent with it: each library named has a function that the rest calls."""
    for name in lua.names():
        head, body = own_text(name).split("\n", 2)[1:]
        libraries = head.removeprefix("-- uses:").split()
        for library in libraries:
            text = lua._read(f"lib/{library}.lua")
            functions = re.findall(r"^local function (\w+)", text, re.MULTILINE)
            others = body + "".join(lua._read(f"lib/{other}.lua") for other in libraries if other != library)
            assert any(re.search(rf"\b{function}\(", others) for function in functions), (name, library)


def test_scripts_for_old_servers_differ_in_the_first_line_only() -> None:
    """Servers before 7 do not know `#!lua`; the rest, line numbers included, is the same."""
    for name in lua.names():
        new, old = lua.text(name).split("\n", 1), lua.text(name, shebang=False).split("\n", 1)
        assert (new[0].startswith("#!lua"), old[0], new[1] == old[1]) == (True, "", True)


def test_a_space_is_one_hash_slot() -> None:
    """Every key of a space starts with its hash tag, in Python and in Lua by the same rule."""
    assert keys.key("s", "log", "group/x") == "rt:{s}:log:group/x"
    assert keys.root("s") == "rt:{s}"
    assert keys.key("s", "table") == "rt:{s}:table"
    assert "return part and root .. ':' .. kind .. ':' .. part or root .. ':' .. kind" in keys.LUA
