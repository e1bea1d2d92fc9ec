"""The sample on a real Slurm cluster that loses a job, its node and the run itself, to the same bytes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.slurm.cluster import MISSING, Cluster, cluster, wait_until

from project import Project, sample

pytestmark = [pytest.mark.slurm, pytest.mark.pipeline]

#: A figure of the sample whose trials are cut, so that it goes job by job.
LARGE = ("mean_operator", "release")
SLURM = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "1", "--", "all")
#: What stays with the run, and must never be seen on the cluster.
LOCAL = {"all", "fetch", "table_guarantees"}
LOCAL |= {"draw_scorecard", "draw_judge", "draw_guarantees", "draw_multiverse"}
#: What a job says that starts after its run.
FAREWELL = "the run that started this job is over"
#: What must have been seen on the cluster.
REMOTE = {"prepare_mnist", "figure", "release", "learn", "score", "table_guarantees_spread", "table_claims"}


def new_project(root: Path) -> Project:
    """A copy of the project with the sample's configuration, and one figure cut into as many jobs as it can be."""
    project, config = Project.build(root), sample()
    paper, figure = LARGE
    block = config["papers"][paper]["figures"][figure]
    block["trials"] = 4  # the profile's jobs are twice as long
    for arm in (*block["release"].values(), *block["learn"].values()):
        arm["chunk"] = 1
    project.configure(config)
    return project


@dataclass
class Story:
    """What happened on the cluster."""

    project: Project
    at_once: int = 0
    rules: set[str] = field(default_factory=set)
    killed: str = ""
    lost: set[str] = field(default_factory=set)
    down: str = ""
    late: set[str] = field(default_factory=set)
    outlived: bool = False
    farewell: bool = False
    states: dict[str, str] = field(default_factory=dict)
    submitted: list[str] = field(default_factory=list)
    said: str = ""
    apart: bool = False


class Chronicle:
    """Plays the story on a cluster: one run that is hurt three times, and one that brings it to its end."""

    def __init__(self, slurm: Cluster, project: Project, said: Path) -> None:
        self.slurm, self.story, self.said = slurm, Story(project, apart=slurm.apart), said
        self._run: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start Snakemake as a user of the cluster does."""
        self._run = self.story.project.start(*SLURM, said=self.said, **self.slurm.environment)

    def close(self) -> None:
        """End the run, however it stands."""
        if self._run and self._run.poll() is None:
            os.killpg(self._run.pid, signal.SIGKILL)
            self._run.wait()

    def look(self) -> dict[str, str]:
        """The jobs at work now; takes note of them."""
        assert self._run is not None
        running = self.slurm.running()
        self.story.at_once = max(self.story.at_once, len(running))
        self.story.rules |= {re.sub(r"^rule_|_wildcards_.*$", "", comment) for comment in running.values()}
        return running

    def wait_for_jobs(self, least: int) -> set[str]:
        """Ids of jobs that have only just begun, with at least so many at work."""
        before, deadline = set(self.look()), time.monotonic() + 240
        while True:
            assert self._run is not None
            assert self._run.poll() is None, f"the run ended:\n{self.said.read_text(encoding='utf-8')}"
            assert time.monotonic() < deadline, "no jobs at work"
            running = set(self.look())
            fresh = {job for job in running - before if self.slurm.processes(job)}
            if fresh and len(running) >= least:
                return fresh
            before = running - (running - before - fresh)
            time.sleep(0.1)

    def kill_a_job(self) -> None:
        """SIGKILL to all processes of a job."""
        self.story.killed = min(self.wait_for_jobs(2))
        self.slurm.signal_job(self.story.killed, signal.SIGKILL)
        wait_until(lambda: self.story.killed in self.slurm.states(), "Slurm sees the killed job end")

    def crash_the_node(self) -> None:
        """The node goes down with all its jobs, stays down until Slurm notices, and comes back."""
        self.wait_for_jobs(2)
        self.story.lost = set(self.look())
        self.slurm.crash_node()
        wait_until(lambda: self.slurm.node_state().startswith("down"), "Slurm sees the node down", 120)
        self.story.down = self.slurm.node_state()
        self.slurm.start_node()

    def kill_the_run(self) -> None:
        """SIGKILL to Snakemake while jobs that are held up work for it; they go on when the next run is there."""
        assert self._run is not None
        self.story.late = self.wait_for_jobs(1)
        for job in self.story.late:
            self.slurm.signal_job(job, signal.SIGSTOP)
        os.killpg(self._run.pid, signal.SIGKILL)
        self._run.wait()
        time.sleep(1)
        self.story.outlived = self.story.late <= set(self.slurm.running())
        owner = self.story.project.file(".snakemake/unveil/run")
        before = owner.read_text(encoding="utf-8")
        self.start()
        wait_until(lambda: owner.read_text(encoding="utf-8") != before, "the next run takes the folder")
        for job in self.story.late:
            self.slurm.signal_job(job, signal.SIGCONT)
        wait_until(self._hear_a_late_job, "a late job says why it ends")

    def _hear_a_late_job(self) -> bool:
        logs = self.story.project.root.glob("logs/**/*.log")
        self.story.farewell = any(FAREWELL in log.read_text(encoding="utf-8", errors="replace") for log in logs)
        return self.story.farewell

    def finish(self) -> Story:
        """Let the run end."""
        assert self._run is not None
        deadline = time.monotonic() + 3000
        while self._run.poll() is None:
            self.look()
            assert time.monotonic() < deadline, self.said.read_text(encoding="utf-8")
            time.sleep(0.2)
        self.story.said = self.said.read_text(encoding="utf-8")
        assert self._run.returncode == 0, self.story.said
        wait_until(lambda: not self.slurm.running(), "no job is left")
        self.story.states = self.slurm.states()
        self.story.submitted = re.findall(r"submitted with SLURM jobid (\d+)", self.story.said)
        return self.story


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The whole story, once."""
    if MISSING:
        reason = f"no Slurm here: install slurm-wlm and munge ({', '.join(MISSING)} missing)"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    folder = tmp_path_factory.mktemp("slurm")
    project = new_project(folder / "project")
    with cluster() as slurm:
        chronicle = Chronicle(slurm, project, folder / "said.txt")
        try:
            chronicle.start()
            chronicle.kill_a_job()
            chronicle.crash_the_node()
            chronicle.kill_the_run()
            return chronicle.finish()
        finally:
            chronicle.close()


@pytest.fixture(scope="module")
def local(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The same on this machine alone, from the same raw data."""
    project = new_project(tmp_path_factory.mktemp("local") / "project")
    # A source that does not answer in time gives way to the next one: what was fetched is no property of the cluster.
    shutil.copytree(story.project.file("data/raw"), project.file("data/raw"))
    project.run("--cores", "2", "all")
    return project


def results(project: Project) -> dict[str, bytes]:
    """Scores, verdicts, pictures and tables."""
    return project.bytes_of("results/sample/**/*.csv", "results/sample/**/*.meta.json", "figures/sample/**/*.*")


def test_jobs_ran_under_slurm_and_side_by_side(story: Story) -> None:
    assert story.rules >= REMOTE, story.rules
    assert not {rule for rule in story.rules if rule in LOCAL or rule.startswith("render_")}
    assert story.at_once >= 2
    assert len(story.submitted) >= 20
    assert {story.states[job] for job in story.submitted} >= {"COMPLETED", "FAILED", "NODE_FAIL"}


def test_a_killed_job_failed_and_was_tried_again(story: Story) -> None:
    assert story.states[story.killed] == "FAILED"
    job = re.search(rf"^Job (\S+) .* SLURM jobid {story.killed} ", story.said, re.MULTILINE)
    assert job
    # The end of one job's log, or where that of several lies; others are handed in before the next line on it.
    log = rf"(?:its log, \S+/{story.killed}\.log, ends:|\slog: \S+/{story.killed}\.log \(check).*"
    assert re.search(rf"{log}\n(?:.*\n)*?Trying to restart job {job[1]}\.", story.said)


def test_the_node_was_down_and_took_its_jobs_with_it(story: Story) -> None:
    assert story.down.startswith("down")
    assert len(story.lost) >= 2
    assert {story.states[job] for job in story.lost} == {"NODE_FAIL"}


def test_jobs_of_a_killed_run_end_when_the_next_one_begins(story: Story) -> None:
    assert {story.states[job] for job in story.late} == {"FAILED"}
    assert story.farewell
    assert story.outlived or not story.apart


def test_no_draft_is_left(story: Story) -> None:
    assert not [path for path in story.project.root.glob("results/**/.*.tmp*") if path.is_file()]


def test_the_bytes_are_those_of_a_local_run(story: Story, local: Project) -> None:
    ours, theirs = results(story.project), results(local)
    timed = {name for name in ours if name.endswith("timings.csv")}
    assert timed
    assert ours.keys() == theirs.keys()
    assert {name for name in ours.keys() - timed if ours[name] != theirs[name]} == set()
