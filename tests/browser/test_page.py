"""The page as people use it: live, spoken on, by keyboard, narrow, dark, without script, with a hostile record."""

from __future__ import annotations

from typing import Any

import pytest

from rt_mailbox import server, tables
from tests.browser.chromium import violations
from tests.browser.conftest import Chair
from tests.helpers import Bus, eventually, rt

NARROW = {"width": 390, "height": 844}


def test_a_message_appears_by_itself(bus: Bus, chair: Chair) -> None:
    """Issue 6: what is posted elsewhere is on the page, read out politely; a new round and a synthesis too; no reload."""
    seat = chair.sit()
    page, laid = seat.page, seat.laid
    page.evaluate("window.here = true")
    seq = laid.post("user", "Straight from **elsewhere**, see m2.")
    page.wait_for_selector(f"#m{seq} strong")
    eventually(lambda: f"m{seq}" in page.text_content("#announce"))
    laid.reply("m8/systems", "## Position\n\nTwo weeks.\n\n## Challenge\n- Two weeks is a guess (m9)")
    page.wait_for_selector("text=Two weeks is a guess >> nth=0")
    tables.conclude(laid.door, laid.table, laid.group, "Now we agree, m2 and m9.")
    page.wait_for_selector(".synthesis-panel >> text=Now we agree")
    laid.ask("And then?", "builder")
    page.wait_for_selector("#round-3 article >> text=And then?")
    page.wait_for_selector(".seats li:has-text('builder') >> text=left")
    server.stop(bus.settings, 5.0)
    page.wait_for_selector("#connection:not([hidden]) >> text=does not answer")
    server.ensure(bus.settings, lambda _line: None)
    page.wait_for_selector("#connection", state="hidden")
    last = laid.post("user", "And we are back.")
    page.wait_for_selector(f"#m{last}")
    assert page.evaluate("window.here") is True
    assert page.locator("#rounds article").evaluate_all("all => all.map(one => +one.dataset.seq)") == [
        *range(1, last + 1)
    ]
    assert seat.trouble == []


def test_speaking_by_keyboard_alone(chair: Chair) -> None:
    """Issue 6: from the top of the page, without a mouse: to the record, a round folded, words said as user, once."""
    seat = chair.sit()
    page = seat.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "record"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.evaluate("document.getElementById('round-1').open") is False
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "text":
            break
    page.keyboard.type("Nobody moves on the 28th.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#said >> text=posted")
    page.wait_for_selector("#rounds article >> text=Nobody moves on the 28th.")
    assert page.input_value("#text") == ""
    page.keyboard.type("And again.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#rounds article >> text=And again.")
    said = [one for one in bodies(seat.laid) if one in ("Nobody moves on the 28th.", "And again.")]
    assert said == ["Nobody moves on the 28th.", "And again."]
    assert seat.trouble == []


def bodies(laid: Any) -> list[str]:
    """Every body of the record."""
    from rt_mailbox import records

    return [one["body"] for one in records.messages(laid.door, laid.table, laid.group, [(1, 1 << 50)])]


def test_deep_links_into_a_long_record(chair: Chair) -> None:
    """Issue 6: #m12 works whether it is on the page, in a folded round or a thousand messages away; gaps are filled by range."""
    for n in range(1200):
        chair.laid.post("user", f"note {n}, see m{n + 1}")
    seat = chair.sit("#m3")
    page = seat.page
    page.wait_for_selector("#m3.reached")
    assert page.evaluate("Math.abs(document.getElementById('m3').getBoundingClientRect().top) < innerHeight")
    assert seat.count("#rounds article") < 400
    page.evaluate("location.hash = '#m700'")
    page.wait_for_selector("#m700.reached")
    page.click("#m700 .body a.cite")
    page.wait_for_selector(".reached:not(#m700)")
    gaps = seat.count(".gap")
    page.locator(".gap a").first.click()
    page.wait_for_function(
        "n => document.querySelectorAll('.gap').length !== n || document.getElementById('m100')", arg=gaps
    )
    order = page.locator("#rounds article").evaluate_all("all => all.map(one => +one.dataset.seq)")
    assert order == sorted(set(order))
    assert seat.trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_everybody_can_read_it(chair: Chair, axe: str, scheme: str, width: int) -> None:
    """Issue 6: at 390 and 1440 px, light and dark, axe-core finds nothing and nothing sticks out; the list and the gate too."""
    gate = {"gate": "r2.gate", "gate_reason": "round over", "gate_options": '["continue", "steer", "stop"]'}
    tables.set_table(chair.laid.door, chair.laid.table, gate)
    seat = chair.sit(color_scheme=scheme, viewport={"width": width, "height": 900})
    for place in (seat.url, seat.home, f"{seat.url}/search?q=refunds", f"{seat.home}nowhere"):
        seat.page.goto(place)
        assert violations(seat.page, axe) == [], place
        assert seat.page.evaluate("document.documentElement.scrollWidth") <= width


HOSTILE = [
    "<script>alert('script')</script><img src=x onerror=alert('img')>",
    "[click](javascript:alert('link')) [data](data:text/html,<script>alert(1)</script>) ![pixel](http://evil.example/p.png)",
    "x" * (1 << 20),
    "\u202eright to left\u202c and \u2066isolated\u2069 \x1b[2J\x1b]0;title\x07 \x9b31m",
    '<style>body{display:none}</style><base href="http://evil.example/"><form action="http://evil.example/"><input name=q></form>',
    "</article></details></main><h1>Not the title</h1>",
    '<p id="page" data-table="evil"></p> [m2](http://evil.example "\'><script>alert(1)</script>")',
    "| " + "a | " * 300 + "\n" + "|" + "-|" * 300,
    "שלום, זה מימין לשמאל, m2",
]  # fmt: skip


def test_a_hostile_record_is_only_words(chair: Chair) -> None:
    """S0.9: scripts, foreign links, a mebibyte on one line, turned text and escape sequences do nothing, live or loaded."""
    for body in HOSTILE:
        chair.laid.post("user", body)
    tables.set_table(chair.laid.door, chair.laid.table, {"goal": "<script>alert('goal')</script>\u202e"})
    seat = chair.sit(viewport=NARROW)
    page = seat.page
    last = [chair.laid.post("user", body) for body in HOSTILE][-1]
    page.wait_for_selector(f"#m{last}")
    assert seat.count("h1") == 1
    assert page.locator("script").evaluate_all("all => all.map(one => one.getAttribute('src'))") == [
        "/static/page.js"
    ]
    assert (
        seat.count("#rounds img, #rounds form, #rounds style, #rounds base, #rounds input, #rounds iframe")
        == 0
    )
    links = page.locator("#rounds a").evaluate_all("all => all.map(one => one.protocol)")
    assert set(links) <= {"http:", "https:", "mailto:"}
    assert all(one.startswith(seat.home) for one in seat.asked), seat.asked
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    text = page.evaluate("document.body.textContent")
    assert not set(text) & set("\u202e\u202c\u2066\u2069\x1b\x07\x9b")
    assert len(text) < 200_000  # of a long body the page has the beginning
    assert page.get_by_role("link", name="The rest of m").count() == 2
    assert seat.trouble == []


def test_without_script(chair: Chair) -> None:
    """Issue 6: the page reads whole, its links lead on and its form speaks when no script runs."""
    for n in range(150):
        chair.laid.post("user", f"note {n}")
    seat = chair.sit(java_script_enabled=False)
    page = seat.page
    page.click("#round-1 summary")
    page.click("#round-1 .gap a")
    assert page.locator("#m1").is_visible()
    page.fill("#text", "No script here.")
    page.click("text=Say it")
    assert page.locator("article >> text=No script here.").count() == 1


def test_the_file_reads_offline(chair: Chair, axe: str, rt_home: Any) -> None:
    """Issue 6: the exported file asks nobody for anything, passes axe-core in both schemes, and its links lead to messages."""
    done = rt("transcript", "-t", chair.laid.table, "--format", "html")
    path = rt_home.parent / "table.html"
    path.write_text(done.stdout, encoding="utf-8")
    for scheme, width in (("light", 390), ("dark", 1440)):
        context = chair.chrome.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True
        )
        page = context.new_page()
        asked: list[str] = []
        trouble: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda one, trouble=trouble: trouble.append(one.text))
        page.goto(f"{path.as_uri()}#m3")
        assert page.locator("#m3").is_visible()
        page.click(".synthesis-panel .body a.cite >> nth=0")
        assert page.url.endswith("#m4")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgba(0, 0, 0, 0)"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert (len(asked), trouble) == (1, [])
        assert violations(page, axe) == []


def test_deciding_at_a_gate(chair: Chair) -> None:
    """Issue 6: the gate comes up by itself, a button decides as the user, and the page says so."""
    seat = chair.sit()
    gate = {"gate": "r2.gate", "gate_reason": "round over", "gate_options": '["continue", "steer", "stop"]'}
    tables.set_table(chair.laid.door, chair.laid.table, gate, event="gate")
    seat.page.wait_for_selector("text=The table waits for a decision")
    seat.page.fill("#decide-text", "Look at the restore of October.")
    seat.page.click("button:has-text('Steer')")
    seat.page.wait_for_selector("article >> text=Look at the restore of October.")
    eventually(lambda: "Decided: steer." in seat.page.text_content("#announce"))
    assert seat.trouble == []
