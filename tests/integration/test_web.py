"""`rt web` as a real process over HTTP on loopback, against a real bus: who gets in, what is shown, what is said."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest

from rt_mailbox import journal, keys, records, server, tables
from rt_mailbox.keeping import archives
from tests import showcase
from tests.cli.laid import Laid
from tests.helpers import Bus, eventually
from tests.web_visitor import Visitor, serving, serving_here

Opened = tuple[Laid, Visitor]


@pytest.fixture(name="opened")
def table_on_a_page(bus: Bus) -> Iterator[Opened]:
    """A table worth looking at, and somebody who looks."""
    laid = showcase.lay(bus)
    with serving_here(bus) as url:
        yield laid, Visitor(url)


def csrf(page: str) -> str:
    """The token of the page's forms."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found
    return found[1]


def test_only_the_link_lets_in(opened: Opened) -> None:
    """Issue 6: no token no page, a cookie that no other site sends, other names, other origins and bare forms are refused."""
    laid, visitor = opened
    page, say = f"/t/{laid.table}", f"/t/{laid.table}/say"
    assert visitor.get(page, anonymous=True).status == 401
    assert visitor.get("/?token=guess", anonymous=True).status == 401
    assert visitor.get(f"{page}/events", anonymous=True).status == 401
    welcome = visitor.get(f"{page}?at=3&{visitor.url.query}", anonymous=True)
    assert "HttpOnly" in welcome.headers["set-cookie"]
    assert "samesite=strict" in welcome.headers["set-cookie"].lower()
    assert f'url={page}?at=3"' in welcome.text  # goes on without the token
    assert visitor.get(page, host="evil.example:80").status == 421
    assert visitor.get(page, host=f"evil.example:{visitor.url.port}").status == 421
    form = {"text": "hello", "to": "!note", "csrf": csrf(visitor.get(page).text)}
    assert visitor.post(say, form, origin="http://evil.example").status == 403
    assert visitor.post(say, form, origin="null").status == 403
    assert visitor.post(say, form | {"csrf": "guess"}).status == 403
    assert visitor.post(say, form, content_type="text/plain").status == 415
    assert [one for one in laid_bodies(laid) if one == "hello"] == []
    for path in (page, "/static/page.css", "/nowhere"):
        policy = visitor.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def laid_bodies(laid: Laid) -> list[str]:
    """Every body of the record."""
    return [one["body"] for one in records.messages(laid.door, laid.table, laid.group, [(1, 1 << 50)])]


def test_reading_shows_everything_and_marks_nothing(bus: Bus, opened: Opened) -> None:
    """Issue 6: list, search, page with what is degraded first, ranges of a long record, an archived one; nothing becomes read."""
    laid, visitor = opened
    before = laid.unread(), laid.unread("user")
    assert showcase.TOPIC in visitor.get("/?q=billing+skeptic").text
    assert showcase.TOPIC not in visitor.get("/?q=nothing-like-it").text
    page = visitor.get(f"/t/{laid.table}").text
    order = [
        "Degraded",
        "<h1>",
        "Synthesis",
        "Where the seats part",
        "Points",
        "Scores",
        'id="record"',
        'id="m1"',
    ]
    places = [page.index(one) for one in order]
    assert places == sorted(places)
    assert 'href="#m4" class="cite"' in page
    assert "46,633 tokens" in page
    assert "Compare" in visitor.get(f"/t/{laid.table}/search?q=refunds").text
    for n in range(110):
        laid.post("user", f"note {n}")
    page = visitor.get(f"/t/{laid.table}").text
    assert page.count("<article") == 100
    assert 'href="?at=4#m4"' in page
    around = visitor.get(f"/t/{laid.table}?at=4").text
    assert 'id="m4"' in around
    some = visitor.get(f"/t/{laid.table}/messages?from=5&to=7", accept="application/json").json()
    assert [one["seq"] for one in some["messages"]] == [5, 6, 7]
    assert visitor.get(f"/t/{laid.table}/messages?from=1&to=9999").text.count("<article") == 100
    kept = showcase.lay(bus, "rt-20260101-1300-kept")
    kept.mark("archived")
    archives.offload(kept.door, bus.settings.space, kept.table, lambda _line: None)
    assert kept.table in visitor.get("/?archived=1").text
    page = visitor.get(f"/t/{kept.table}").text
    assert ('id="m9"' in page, 'data-live="no"' in page, 'id="say"' in page) == (True, True, False)
    for kind in ("html", "md", "json"):
        assert (
            "attachment" in visitor.get(f"/t/{laid.table}/transcript.{kind}").headers["content-disposition"]
        )
    assert visitor.get("/t/rt-none", accept="application/json").json()["error_code"] == "unknown_table"
    assert (laid.unread(), laid.unread("user")) == (before[0] + 110, before[1])


def test_the_page_speaks_as_the_user(opened: Opened) -> None:
    """Issue 6: what is said there is said by `user`, once for a key, asks whom it names; refusals are typed."""
    laid, visitor = opened
    page = f"/t/{laid.table}"
    form = {"text": "For later.", "csrf": csrf(visitor.get(page).text)}
    assert "next step" in visitor.post(f"{page}/say", form).json()["text"]  # a format runs
    tables.set_table(laid.door, laid.table, {"phase": "done"})
    form = {
        "text": "What would\r\nyou cut?",
        "to": "builder",
        "key": "k1",
        "csrf": csrf(visitor.get(page).text),
    }
    said = visitor.post(f"{page}/say", form).json()
    assert (said["asked"], visitor.post(f"{page}/say", form).json()["seq"]) == (["builder"], said["seq"])
    told = visitor.get(f"{page}/messages?from={said['seq']}", accept="application/json").json()["messages"]
    assert [(one["from"], one["kind"], one["body"]) for one in told] == [
        ("user", "intent", "What would\nyou cut?")
    ]
    plain = visitor.post(f"{page}/say", form | {"key": "k2", "to": "!note"}, accept="text/html")
    assert (plain.status, plain.headers["location"]) == (
        303,
        f"{page}?at={said['seq'] + 1}#m{said['seq'] + 1}",
    )
    assert visitor.post(f"{page}/decide", form | {"choice": "stop"}).json()["error_code"] == "no_gate"
    assert visitor.post(f"{page}/say", form | {"key": "", "text": " "}).json()["error_code"] == "empty_body"
    laid.mark("ended")
    assert visitor.post(f"{page}/say", form | {"key": "k3"}).json()["error_code"] == "table_ended"
    assert 'id="say"' not in visitor.get(page).text


def test_a_gate_has_its_buttons(opened: Opened) -> None:
    """Issue 6: at a gate the page offers what the format offers, and decides as the user through the same function as rt decide."""
    laid, visitor = opened
    page = f"/t/{laid.table}"
    assert 'name="choice"' not in visitor.get(page).text
    fields = {
        "gate": "r2.gate",
        "gate_reason": "round_over",
        "gate_details": "See m9 <b>.",
        "gate_options": '["continue", "stop"]',
    }
    tables.set_table(laid.door, laid.table, fields)
    shown = visitor.get(page).text
    assert re.findall(r'name="choice" value="(\w+)"', shown) == ["continue", "stop"]
    assert "waits for a decision: round over" in shown
    assert '<a href="#m9" class="cite"' in shown
    form = {"csrf": csrf(shown), "text": "Enough."}
    assert visitor.post(f"{page}/decide", form | {"choice": "veto"}).json()["error_code"] == "bad_choice"
    assert visitor.post(f"{page}/decide", form | {"choice": "stop"}).json()["choice"] == "stop"
    stood = journal.get(laid.door, laid.table, keys.decision("r2.gate"))
    assert stood == {"choice": "stop", "text": "Enough.", "person": "user"}
    assert laid_bodies(laid)[-1] == "Enough."


def test_pages_follow_the_table(bus: Bus) -> None:
    """Issue 6: each page hears of each message once, one reader for all, over a restart of the bus; Ctrl-C ends it all."""
    laid = showcase.lay(bus)
    with serving() as (process, url):
        visitor = Visitor(url)
        path = f"/t/{laid.table}/events"
        with (
            visitor.stream(path) as one,
            visitor.stream(path) as two,
            visitor.stream(path, last_event_id="9") as three,
        ):
            seq = laid.post("user", "hear, hear <b>m2</b>")
            for stream in (one, two):
                _, number, data = stream.next("message")
                assert (number, 'href="#m2"' in data, "<b>" in data) == (str(seq), True, False)
            assert [three.next("message")[1] for _ in range(3)] == ["10", "11", str(seq)]
            assert "systems is still answering" in one.next("parts")[2]
            eventually(lambda: readers(laid) == 1)
            laid.reply("m8/systems", "The split costs two weeks.")
            assert [stream.next("message")[1] for stream in (one, two, three)] == [str(seq + 1)] * 3
            server.stop(bus.settings, 5.0)
            while "does not answer" not in one.next("notice")[2]:
                pass
            server.ensure(bus.settings, lambda _line: None)
            assert laid.post("user", "back again") == seq + 2
            assert [stream.next("message")[1] for stream in (one, two, three)] == [str(seq + 2)] * 3
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10)
            assert (process.returncode, out, err) == (0, "", "")
            with pytest.raises(EOFError):
                one.next("message")


def readers(laid: Laid) -> int:
    """Clients that wait for streams."""
    return str(laid.door.command("CLIENT", "LIST")).count("cmd=xread")
