"""What an audit is about, the brief that is made of it, and whether it is still what it was; on real working trees."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rt_moderator.formats.audit import brief, fingerprint
from rt_moderator.formats.audit.target import Target, folder_of, from_json, recognised

Git = Callable[..., str]
FACTS = {
    "topic": "Audit it",
    "goal": "find races",
    "constraint": "no rewrite",
    "stop_when": "both agree",
    "audience": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A working tree: a commit on main, another on the branch feature/x, checked out."""
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "auth.py").write_text("one\n")
    (folder / ".gitignore").write_text("*.log\nown/\n")
    (folder / "pyproject.toml").write_text("[tool.pytest]\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-q", "-b", "feature/x")
    (folder / "src" / "auth.py").write_text("one\ntwo\n")
    git(folder, "commit", "-qam", "second")
    return folder


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True, text=True
    ).stdout


def test_a_folder_a_file_and_a_topic(tree: Path) -> None:
    """S2.7: a feature is recognised from a folder, a file, or paths in the topic; the seats work in its folder."""
    assert folder_of("src", str(tree)) == str(tree / "src")
    assert folder_of("src/auth.py", str(tree)) == str(tree / "src")
    assert folder_of("nothing", str(tree)) == folder_of("", str(tree)) == str(tree)
    found = recognised("src", "", "Audit it", str(tree))
    assert (found.kind, found.folder) == ("feature", str(tree / "src"))
    assert recognised("src/auth.py", "", "Audit it", str(tree)).paths == ("auth.py",)
    assert recognised("", "", "Audit src/auth.py, please", str(tree)).paths == ("src/auth.py",)
    assert recognised("", "", "Audit ../../etc/passwd", str(tree)).kind == "text"


def test_a_diff_and_a_branch(tree: Path) -> None:
    """S2.7: --base, a branch's name or 'my changes' make a diff, with its stat against the base."""
    for found in (
        recognised("feature/x", "", "Audit it", str(tree)),
        recognised("", "", "audit feature/x against main", str(tree)),
        recognised("", "main", "Audit it", str(tree)),
        recognised(".", "main", "Audit it", str(tree)),
    ):
        assert (found.kind, found.base, found.folder, found.notes) == ("diff", "main", str(tree), ())
        assert "src/auth.py | 1 +" in found.stat
        assert "second" in found.said
    (tree / "src" / "auth.py").write_text("three\n")
    assert "src/auth.py | 3 +" in recognised("", "", "look at my changes", str(tree)).stat
    wrong = recognised("", "--output=/tmp/x", "Audit it", str(tree))
    assert wrong.notes == ("--output=/tmp/x is no commit here",)


def test_a_text(tree: Path) -> None:
    """S2.7: anything else is a text, and no input makes this fail."""
    for given in ("A spec: users log in by mail.", "\0", "-x", "x" * 5000, "~nobody/x"):
        assert recognised(given, "", "Audit it", str(tree)).kind == "text"
    assert recognised("", "", "Should we?", "/nowhere").kind == "text"


def test_a_pull_request(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.7: a number or an address is asked of gh; without gh that is a note, and the brief says so."""
    bin_ = tree.parent / "bin"
    bin_.mkdir()
    (bin_ / "gh").write_text(
        '#!/bin/sh\n[ "$3" = 12 ] || exit 1\n'
        'echo \'{"title":"T","body":"B","baseRefName":"main","headRefName":"x","files":[{"path":"a","additions":1,"deletions":2}]}\'\n'
    )
    (bin_ / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    for given in ("12", "#12", "https://github.example/o/r/pull/12"):
        found = recognised(given, "", "Audit it", str(tree))
        assert (found.kind, found.base, found.head, found.stat, found.said) == (
            "pull request",
            "main",
            "x",
            "a +1 -2",
            "T\n\nB",
        )
    assert recognised("", "", "audit PR #12", str(tree)).kind == "pull request"
    lost = recognised("", "", "audit PR 13", str(tree))
    assert "gh could not show pull request 13" in brief.made(lost, FACTS, "")


def test_the_brief(tree: Path) -> None:
    """S2.8: six headings, from target, type, goal, scope, checks and context; it points to files; a long one is warned of."""
    aim = recognised("", "", "Audit src/auth.py", str(tree))
    text = brief.made(aim, FACTS, "Mind the invoices.")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {head}" for head in brief.HEADINGS
    ]
    for part in (
        "find races",
        "- in: src/auth.py",
        "- out: no rewrite",
        "`python -m pytest`",
        "both agree",
        "Mind the invoices.",
    ):
        assert part in text
    assert brief.warnings(text) == []
    assert brief.warnings("line\n" * 151)[0].startswith("The brief has 151 lines")
    assert from_json(aim.as_json()) == aim
    assert brief.made(Target("text", "/nowhere", "x"), {"topic": "T"}, "").count("## ") == 6


def test_the_fingerprint_sees_what_changes(tree: Path) -> None:
    """S2.18: HEAD, tracked and untracked content count; ignored files and the run's own folders do not; a look changes nothing."""
    out = tree / "docs"
    before_git = (tree / ".git" / "index").stat().st_mtime_ns

    def look() -> dict[str, object]:
        return fingerprint.of(str(tree), [str(tree / "own"), str(out)])

    first = look()
    assert fingerprint.changed(first, look()) == ""
    assert "not ignored ones" in str(first["covered"])
    for path in ("a.log", "own/x", "docs/roundtable/final.md"):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text("x")
    assert fingerprint.changed(first, look()) == ""
    (tree / "src" / "auth.py").write_text("changed\n")
    second = look()
    assert fingerprint.changed(first, second) == "src/auth.py"
    (tree / "new file").write_text("x")
    assert fingerprint.changed(second, look()) == "new file"
    (tree / "new file").write_text("y")
    third = look()
    (tree / "new file").write_text("z")
    assert fingerprint.changed(third, look()) == "new file"
    assert (tree / ".git" / "index").stat().st_mtime_ns == before_git
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "third")
    assert fingerprint.changed(third, look()).startswith("HEAD ")


def test_the_fingerprint_of_what_is_no_working_tree(tmp_path: Path) -> None:
    """S2.18: without git every file counts; a pipe is not opened, a link not followed, a missing folder is said."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / os.fsdecode(b"\xff")).write_text("x")
    first = fingerprint.of(str(tmp_path))
    assert first["covered"] == "every file"
    (tmp_path / "sub" / "b").write_text("x")
    assert fingerprint.changed(first, fingerprint.of(str(tmp_path))) == "sub/b"
    assert fingerprint.changed(first, fingerprint.of(str(tmp_path), [str(tmp_path / "sub")])) != ""
    assert fingerprint.of(str(tmp_path), walk=False)["covered"] == "nothing: the target is a text"
    gone = fingerprint.of(str(tmp_path / "gone"))
    assert gone["covered"] == "nothing: there is no such folder"
    assert "it covers nothing" in fingerprint.changed(first, gone)


def test_a_repository_without_a_commit_and_one_inside_another(tmp_path: Path) -> None:
    """S2.18: an unborn HEAD, and files of a repository inside the target, are covered as well."""
    git(tmp_path, "init", "-q")
    (tmp_path / "in").mkdir()
    git(tmp_path / "in", "init", "-q")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    (tmp_path / "in" / "b").write_text("1")
    first = fingerprint.of(str(tmp_path))
    assert first["head"] == ""
    (tmp_path / "in" / "b").write_text("2")
    (tmp_path / "a").write_text("2")
    assert fingerprint.changed(first, fingerprint.of(str(tmp_path))) == "a, in/b"
