"""What must hold for the whole working tree: sizes, words, the error tree, the lock, the scripts."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rt_config import errors
from tests.helpers import BIN

ROOT = Path(__file__).parents[2]
ROOMS = ("config", "mailbox", "deck", "participant", "moderator")
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").iterdir() if not path.name.startswith(("_", ".")))
_LONGEST_MODULE = 300

# Written in pieces, so that this file does not name what it looks for.
_FORBIDDEN = re.compile(
    "|".join(
        (
            r"(?<![\w.])/" + r"work/(?:main|shared)",
            r"\." + r"library\b",
            r"\bshared/" + r"(?:reference|seeds|hooks|DESIGN)",
            r"(?:pypi|pythonhosted|npmjs|crates)" + r"\.(?:org|com|io)\b",
            r"Co-Authored" + r"-By",
            r"(?i:generated" + r" (?:with|by) (?:an? )?(?:ai|claude|codex|gemini|copilot)\b)",
        )
    )
)


def tracked_files() -> list[Path]:
    """Files under version control, and those that would be."""
    git = [
        "git",
        "-c",
        f"safe.directory={ROOT}",
        "-C",
        str(ROOT),
        "ls-files",
        "-z",
        "-co",
        "--exclude-standard",
    ]
    names = subprocess.run(git, capture_output=True, check=True, text=True).stdout.split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def modules() -> list[Path]:
    """Every Python and Lua source outside the tests."""
    return [
        path
        for path in tracked_files()
        if path.suffix in {".py", ".lua"} and path.relative_to(ROOT).parts[0] != "tests"
    ]


def project() -> dict[str, Any]:
    """Read pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def direct_requirements() -> list[Requirement]:
    """Everything pyproject.toml asks for: to build, to run, to develop."""
    found = project()
    lines = (
        found["build-system"]["requires"]
        + found["project"]["dependencies"]
        + found["dependency-groups"]["dev"]
    )
    return [Requirement(line) for line in lines]


def locked() -> dict[str, tuple[str, list[str]]]:
    """Name → (version, hashes) of requirements.lock."""
    text = (ROOT / "requirements.lock").read_text().replace("\\\n", " ")
    entries = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)(.*)$", text, flags=re.MULTILINE)
    return {
        canonicalize_name(name): (version, re.findall(r"--hash=sha256:[0-9a-f]{64}", rest))
        for name, version, rest in entries
    }


def supported_machines() -> Iterator[dict[str, str]]:
    """Marker environments of every Python and platform that the lock must serve."""
    for python in ("3.11.0", "3.11.2", "3.11.9", "3.12.0", "3.13.0", "3.14.0"):
        for system, machine in (
            ("linux", "x86_64"),
            ("linux", "aarch64"),
            ("darwin", "arm64"),
            ("darwin", "x86_64"),
        ):
            yield {
                **{name: str(value) for name, value in default_environment().items()},
                "python_version": python.rpartition(".")[0],
                "python_full_version": python,
                "sys_platform": system,
                "platform_system": system.capitalize(),
                "platform_machine": machine,
            }


def test_modules_are_short() -> None:
    """No module outside the tests has more than 300 lines."""
    long = {
        str(path.relative_to(ROOT)): lines
        for path in modules()
        if (lines := len(path.read_text().splitlines())) > _LONGEST_MODULE
    }
    assert not long


def test_files_speak_of_the_project_alone() -> None:
    """No file names a workplace path, a registry's host, or who wrote it."""
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_files()
        if path.suffix not in {".png", ".gif", ".jpg"}
        for match in _FORBIDDEN.finditer(path.read_text(errors="replace"))
    ]
    assert not found


def test_forbidden_words_are_found() -> None:
    """The search above is able to fail."""
    for line in (
        "see /wor" + "k/main/x",
        "from py" + "pi.org",
        "the ." + "library folder",
        "Co-Auth" + "ored-By: x",
    ):
        assert _FORBIDDEN.search(line), line
    for line in ("a framework/main.py", "docs/shared/notes", "/var/work/main"):
        assert not _FORBIDDEN.search(line), line


def test_packages_are_typed() -> None:
    """Every package tells type checkers that it has types."""
    packages = [
        path for room in ROOMS for path in (ROOT / room).glob("rt_*") if (path / "__init__.py").is_file()
    ]
    assert len(packages) == len(ROOMS)
    assert [str(path) for path in packages if not (path / "py.typed").is_file()] == []


def test_every_test_says_what_it_shows() -> None:
    """Each test has a docstring."""
    silent = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert silent == []


def test_error_tree_in_the_docstring_is_the_real_one() -> None:
    """The docstring draws every error class below its base, leaves with their code, and none that does not exist."""
    drawn: dict[str, tuple[str, str]] = {}
    path: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"([│├└─ ]*)(\w+Error)\b\s*([a-z_]+(?=\s|$))?", line):
            depth = len(match[1]) // 4
            path[depth] = match[2]
            drawn[match[2]] = (path.get(depth - 1, ""), match[3] or "")
    real = {cls.__name__: cls for cls in own_classes(errors.RoundtableError)}
    assert set(drawn) == set(real)
    for name, cls in real.items():
        base, code = drawn[name]
        assert base == ("" if cls is errors.RoundtableError else cls.__bases__[0].__name__), name
        if not cls.__subclasses__():
            assert code == cls.error_code, name


def test_error_codes_are_unique_and_exported() -> None:
    """Every error class has a code of its own, and can be imported from `rt_config.errors`."""
    classes = own_classes(errors.RoundtableError)
    assert len({cls.error_code for cls in classes}) == len(classes)
    assert [cls.__name__ for cls in classes if cls.__name__ not in errors.__all__] == []


def own_classes(cls: type[errors.RoundtableError]) -> list[type[errors.RoundtableError]]:
    """The class and all below it that `rt_config` defines."""
    below = [found for sub in cls.__subclasses__() for found in own_classes(sub)]
    return [cls, *below] if cls.__module__.startswith("rt_config.") else below


def test_lock_holds_every_direct_dependency() -> None:
    """What pyproject.toml asks for is locked, in a version that it allows."""
    lock = locked()
    for wanted in direct_requirements():
        version, _ = lock[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version), wanted


def test_lock_is_complete_for_every_supported_python_and_platform() -> None:
    """A locked package needs nothing that is not locked, on no Python from 3.11.0 and on no platform we support."""
    lock = locked()
    machines = list(supported_machines())
    missing = set()
    for name in lock:
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # locked for another Python or platform
            continue
        for need in map(Requirement, needs):
            applies = any(need.marker is None or need.marker.evaluate({**machine}) for machine in machines)
            if applies and canonicalize_name(need.name) not in lock:
                missing.add(f"{name} needs {need}")
    assert not missing


def test_lock_pins_by_hash_and_names_no_place() -> None:
    """Every locked package has hashes, and the lock says nothing about the machine that made it."""
    lock = locked()
    assert [name for name, (_, hashes) in lock.items() if not hashes] == []
    text = (ROOT / "requirements.lock").read_text()
    assert re.findall(r"https?://|file:|^-", text, flags=re.MULTILINE) == []
    assert re.findall(r"(?:\s|=)/\w+", text) == []


def test_every_dependency_is_justified() -> None:
    """Each dependency line of pyproject.toml ends in a comment that says what it is for."""
    text = (ROOT / "pyproject.toml").read_text()
    blocks = re.findall(r"^(?:dependencies|dev) = \[\n(.*?)^\]", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]
    assert len(lines) == len(direct_requirements()) - len(project()["build-system"]["requires"])
    assert [line for line in lines if not re.search(r",\s+# \S+", line)] == []


def test_imports_run_downward_only() -> None:
    """The import contracts of pyproject.toml hold."""
    done = subprocess.run(
        [BIN / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", [".ci/run", *(f"scripts/{name}" for name in SCRIPTS)])
def test_scripts_parse_and_are_executable(path: str) -> None:
    """Each script can be started, and its own shell understands it."""
    script = ROOT / path
    assert script.stat().st_mode & 0o111
    shell = script.read_text().splitlines()[0].rpartition("/")[2].split()[-1]
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_command_is_installed() -> None:
    """`rt` lies beside the interpreter that runs the tests, and starts that one."""
    first = (BIN / "rt").read_text().splitlines()[:2]
    assert str(Path(sys.executable).parent) in "\n".join(first)
