"""`rt start --check`: who cannot answer is left out before round 1, and the table says so."""

from __future__ import annotations

import json

from tests.cli.shop import Shop
from tests.cli.world import World, world_of_its_own  # noqa: F401 (fixture)

OK = "cat >/dev/null; echo '## Position'; echo fine"
COUNTED = "cat >/dev/null; echo x >> {work}/calls; echo '## Position'; echo fine"


def events(world: World, table: str, kind: str) -> list[dict[str, str]]:
    return [one for one in world.json("events", "-t", table)["events"] if one["type"] == kind]


def test_a_seat_that_fails_its_check_is_left_out_and_named(world: World) -> None:
    """S2.12, S1.21, S3.8: no login, a refused model and a missing CLI leave the others to go on; each with what to do."""
    shop = Shop(world)
    shop.install("good", COUNTED.format(work=world.work))
    shop.install("keyless", "cat >/dev/null; echo 'not signed in' >&2; exit 1")
    shop.install("picky", "cat >/dev/null; echo 'Error: model_not_found' >&2; exit 1")
    shop.install("absent", OK)
    (world.work / "absent").unlink()
    seats = ("a=good", "b=keyless", "c=picky", "d=absent", "e=good", "f=rehearsal")
    args = [word for seat in seats for word in ("--seat", seat)]
    done = world.run("start", "Which cache?", *args, "--check", "--json", env={"PATH": shop.path})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [seat["slug"] for seat in found["seats"]] == ["a", "e", "f"]
    out = {one["seat"]: (one["why"], one["action"]) for one in found["degraded"]}
    assert out["b"] == ("left out: keyless is not logged in (not signed in)", "keyless login")
    assert "SLUG=PROFILE:MODEL" in out["c"][1]
    assert out["d"] == ("left out: absent is not installed", "get absent")
    assert "b left out: keyless is not logged in" in done.stderr
    table = found["table"]
    assert [one["seat"] for one in events(world, table, "left_out")] == ["b", "c", "d"]
    assert [one["seat"] for one in world.json("status", "-t", table)["degraded"]] == ["b", "c", "d"]
    world.answered(table)
    assert (world.work / "calls").read_text().count("x") == 3, (
        "one check for two seats of one CLI, and two turns"
    )


def test_when_nobody_passes_nothing_is_made(world: World) -> None:
    """S2.12: the error names each reason; no table is left behind."""
    shop = Shop(world)
    shop.install("keyless", "cat >/dev/null; echo 'not signed in' >&2; exit 1")
    done = world.run("start", "x", "--seat", "a=keyless", "--check", "--json", env={"PATH": shop.path})
    assert (done.returncode, done.stdout) == (1, "")
    error = json.loads(done.stderr.splitlines()[-1])
    assert error["error_code"] == "checks_failed"
    assert "not signed in" in error["message"]
    assert world.json("list")["tables"] == []


def test_another_candidate_only_after_a_clean_refusal(world: World) -> None:
    """S3.8: the named fallback sits down after a missing login, said with both names; after a crash nobody does."""
    shop = Shop(world)
    shop.install("keyless", "cat >/dev/null; echo 'not signed in' >&2; exit 1")
    shop.install("crash", "cat >/dev/null; echo x >> calls; exit 9")
    shop.install("good", OK)
    seats = "".join(
        f'[[seat]]\nslug = "{slug}"\nprofile = "{profile}"\nfallback = "good"\n'
        for slug, profile in (("a", "keyless"), ("b", "crash"), ("c", "good"))
    )
    (world.work / "seats.toml").write_text(seats)
    args = ("start", "x", "--seats", "seats.toml", "--check", "--dry-run", "--json")
    plan = json.loads(world.run(*args, env={"PATH": shop.path}).stdout)
    assert [(one["slug"], one["profile"]) for one in plan["seats"]] == [("a", "good"), ("c", "good")]
    first, second = plan["left_out"]
    assert first["kind"] == "substituted"
    assert first["why"].startswith("substituted: good instead of keyless: keyless is not logged in")
    assert (second["seat"], second["kind"]) == ("b", "left_out")
    assert "exit 9" in second["why"]


def test_the_roles_candidates_are_tried_in_order(world: World) -> None:
    """S4.7: a seat that names no profile takes the next installed candidate of the role when the first wants a login."""
    shop = Shop(world)
    shop.install("keyless", "cat >/dev/null; echo 'not signed in' >&2; exit 1", more="")
    shop.install("good", OK)
    for name, order in (("keyless", 1), ("good", 2)):
        shop.text = shop.text.replace(
            f'description = "{name}"',
            f'description = "{name}"\nroles = ["roundtable_participant"]\norder = {order}',
        )
    world.configure(shop.text)
    (world.work / "seats.toml").write_text('[[seat]]\nslug = "a"\n')
    args = ("start", "x", "--seats", "seats.toml", "--check", "--dry-run", "--json")
    plan = json.loads(world.run(*args, env={"PATH": shop.path}).stdout)
    assert [one["profile"] for one in plan["seats"]] == ["good"]
    assert "good instead of keyless" in plan["left_out"][0]["why"]
