"""Runs are killed, starved, robbed and lied to at random moments; the next one ends with the same bytes.

Which fault strikes when, and where, is drawn once from a fixed seed. After it, the project is run as a user
would: where a run stops, what its message advises is done, and nothing else.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults import scene
from tests.faults.recovery import assert_clear, assert_recovers
from tests.faults.scene import PennyServer, Run

from project import Project

pytestmark = [pytest.mark.faults, pytest.mark.pipeline]

SEED = 20160619
#: The moments: a share of the steps of a run, and seconds after that.
_draw = random.Random(SEED)  # noqa: S311 - nothing secret
MOMENTS = [(round(_draw.uniform(0.05, 0.9), 2), round(_draw.uniform(0, 0.9), 2)) for _ in range(20)]
KILLS, ORPHANS, RECORDS = MOMENTS[:4], MOMENTS[5:7], MOMENTS[7:9]
FULL, READ_ONLY, GONE, FUTURE = MOMENTS[9:11], MOMENTS[11:13], MOMENTS[13:15], MOMENTS[15]
#: What a crash leaves of a record: the beginning, or nothing but its length.
HALVES = [b'{"rule": "sc', bytes(40)]

#: What lies downstream of an intermediate: made again, so that somebody reads it.
DOWNSTREAM = {
    "data/prepared/pennies/*.npy": ["results/toy", "figures/toy"],
    "data/prepared/pennies/provenance.json": ["results/toy/one/scores.csv", "figures/toy"],
    "results/toy/one/released/*/*.npz": ["results/toy/one/learned", "results/toy/one/scores.csv", "figures/toy"],
    "results/toy/one/learned/*/*.npz": ["results/toy/one/scores.csv", "figures/toy"],
    "results/*/*/scores.csv": ["results/claims.csv", "figures"],
    "results/*/*/scores.meta.json": ["results/claims.csv", "figures"],
    "results/claims.csv": ["figures/scorecard.svg"],
}


@pytest.fixture(scope="module")
def server() -> Iterator[PennyServer]:
    server = PennyServer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def undisturbed(server: PennyServer, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project after one run that nothing disturbed; its bytes are what all others must end with."""
    patch = pytest.MonkeyPatch()
    patch.delenv("UNVEIL_MIRROR", raising=False)
    project = scene.build(tmp_path_factory.mktemp("undisturbed") / "project", server)
    project.run("--cores", "2", "all")
    return project


@pytest.fixture
def fresh(undisturbed: Project, tmp_path: Path) -> Project:
    """The same project before its run."""
    made = shutil.ignore_patterns("raw", "prepared", "results", "figures", "logs", ".snakemake")
    shutil.copytree(undisturbed.root, tmp_path / "project", symlinks=True, ignore=made)
    return Project(tmp_path / "project")


@pytest.fixture
def finished(undisturbed: Project, tmp_path: Path) -> Project:
    """The same project after its run."""
    shutil.copytree(undisturbed.root, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


@pytest.mark.parametrize("moment", KILLS)
def test_a_run_is_killed_with_all_its_jobs(fresh: Project, undisturbed: Project, moment: tuple[float, float]) -> None:
    run = Run(fresh)
    run.reach(*moment)
    run.kill()
    assert len(assert_recovers(fresh, undisturbed)) == 1


@pytest.mark.parametrize("moment", ORPHANS)
def test_a_run_is_killed_and_its_jobs_are_orphans(
    fresh: Project, undisturbed: Project, moment: tuple[float, float]
) -> None:
    run = Run(fresh)
    run.reach(*moment)
    os.kill(run.process.pid, signal.SIGKILL)
    assert len(assert_recovers(fresh, undisturbed)) == 1
    run.end()


@pytest.mark.parametrize(("moment", "half"), list(zip(RECORDS, HALVES, strict=True)))
def test_a_run_is_killed_while_snakemake_writes_its_records(
    fresh: Project, undisturbed: Project, moment: tuple[float, float], half: bytes
) -> None:
    run = Run(fresh)
    run.reach(*moment)
    run.kill()
    records = sorted(fresh.root.glob(".snakemake/metadata/*"), key=lambda path: path.stat().st_mtime)
    records[-1].write_bytes(half)
    assert len(assert_recovers(fresh, undisturbed)) == 1


@pytest.fixture
def disk(tmp_path: Path, fresh: Project) -> Iterator[Callable[[str], Path]]:
    """Give a folder of the fresh project a small file system of its own."""
    mounted: list[Path] = []

    def give(folder: str) -> Path:
        place = fresh.file(folder)
        if not scene.mount(place, "3m"):
            assert not os.environ.get("CI"), "CI must be able to mount a tmpfs"
            pytest.skip("mounting a small disk takes root")
        mounted.append(place)
        return place

    yield give
    for place in mounted:
        scene.unmount(place)


@pytest.mark.parametrize(
    ("folder", "moment"), [("results", FULL[0]), ("data/prepared", (0.0, 0.0)), ("figures", FULL[1])]
)
def test_the_disk_is_full(
    fresh: Project, undisturbed: Project, disk: Callable[[str], Path], folder: str, moment: tuple[float, float]
) -> None:
    place = disk(folder)
    run = Run(fresh)
    if moment[0]:
        run.reach(*moment)
    filler = place / "filler.bin"
    _fill(filler)
    said = run.end()
    if run.process.returncode:
        assert_clear(said)
        assert "the disk is full: free some space and run again" in said
    else:
        assert moment[0] > 0.5, "the full disk went unnoticed"
    filler.unlink()
    assert len(assert_recovers(fresh, undisturbed)) == 1


def _fill(path: Path) -> None:
    """Take all space that is left, to the last block."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


@pytest.mark.parametrize(("folder", "moment"), list(zip(["results", "figures"], READ_ONLY, strict=True)))
def test_a_folder_becomes_read_only(
    fresh: Project, undisturbed: Project, disk: Callable[[str], Path], folder: str, moment: tuple[float, float]
) -> None:
    place = disk(folder)
    run = Run(fresh)
    run.reach(min(moment[0], 0.4), 0.0)
    _close(place)
    said = run.end()
    assert run.process.returncode
    assert_clear(said)
    assert "the folder is read-only: make it writable and run again" in said
    scene.remount(place, "rw")
    assert len(assert_recovers(fresh, undisturbed)) == 1


def _close(place: Path) -> None:
    """Read-only at the first moment when nobody has a file open for writing."""
    for _ in range(200):
        try:
            scene.remount(place, "ro")
        except subprocess.CalledProcessError:
            time.sleep(0.02)
        else:
            return
    pytest.fail(f"{place} was busy all the time")


@pytest.mark.parametrize(
    ("intermediate", "kept"),
    [(name, place % 2 == 0) for place, name in enumerate(DOWNSTREAM)] + [("results/toy/one/learned/*/*.npz", True)],
)
def test_an_intermediate_is_altered(finished: Project, undisturbed: Project, intermediate: str, kept: bool) -> None:
    draw = random.Random(f"{SEED} {intermediate} {kept}")  # noqa: S311
    victim = draw.choice(sorted(finished.root.glob(intermediate)))
    _harm(victim, draw, kept)
    if kept:
        for name in DOWNSTREAM[intermediate]:
            path = finished.file(name)
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert_recovers(finished, undisturbed, expect=f"error: {victim.relative_to(finished.root)} is damaged")


def _harm(victim: Path, draw: random.Random, kept: bool) -> None:
    """Flip one bit, or cut the end off."""
    before = victim.stat()
    content = bytearray(victim.read_bytes())
    place = draw.randrange(len(content))
    if draw.random() < 0.5:
        content[place] ^= 1 << draw.randrange(8)
    else:
        del content[place:]
    victim.write_bytes(content)
    if kept:
        os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("picture", ["toy/one.svg", "toy/one.md", "scorecard.pdf"])
def test_a_picture_is_truncated_or_deleted(finished: Project, undisturbed: Project, picture: str) -> None:
    path = finished.file(f"figures/{picture}")
    path.write_bytes(path.read_bytes()[:100])
    assert_recovers(finished, undisturbed, expect=f"error: figures/{picture} is damaged")
    path.unlink()
    assert len(assert_recovers(finished, undisturbed)) == 1


def test_two_files_are_swapped(finished: Project, undisturbed: Project) -> None:
    one, two = sorted(finished.root.glob("results/toy/one/released/flips/????-????.npz"))
    shutil.copy(one, two)
    assert_recovers(finished, undisturbed, expect=f"error: {two.relative_to(finished.root)} is damaged")


def test_the_record_of_the_raw_data_is_altered(finished: Project, undisturbed: Project) -> None:
    path = finished.file("data/raw/pennies/provenance.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"full"', '"fuel"'), encoding="utf-8")
    assert_recovers(finished, undisturbed, expect="error: data/raw/pennies/provenance.json is damaged")


def test_a_download_breaks_off(fresh: Project, undisturbed: Project, server: PennyServer) -> None:
    server.broken = True
    try:
        run = Run(fresh)
        said = run.end()
    finally:
        server.broken = False
    assert run.process.returncode
    assert_clear(said)
    assert "no source answered with the right bytes" in said
    assert not list(fresh.root.glob("data/raw/pennies/*"))
    assert len(assert_recovers(fresh, undisturbed)) == 1


def test_file_times_lie_in_the_future(fresh: Project, undisturbed: Project) -> None:
    run = Run(fresh)
    run.reach(max(FUTURE[0], 0.4), FUTURE[1])
    run.kill()
    later = time.time() + 86_400
    for place in ("data/prepared", "results"):
        for path in fresh.file(place).rglob("*.*"):
            os.utime(path, (later, later))
    assert_recovers(fresh, undisturbed, expect="is dated in the future")


@pytest.mark.parametrize("moment", GONE)
def test_the_results_are_removed_during_a_run(
    fresh: Project, undisturbed: Project, moment: tuple[float, float]
) -> None:
    run = Run(fresh)
    run.reach(*moment)
    shutil.rmtree(fresh.file("results"), ignore_errors=True)
    said = run.end()
    if run.process.returncode:
        assert "Traceback" not in said, said
    assert_recovers(fresh, undisturbed)


def test_the_results_are_removed_between_runs(finished: Project, undisturbed: Project) -> None:
    shutil.rmtree(finished.file("results"))
    finished.file("figures/toy/one.pdf").unlink()
    assert len(assert_recovers(finished, undisturbed)) == 1
