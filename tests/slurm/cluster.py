"""A real Slurm cluster of one node, started by hand: no service manager, no accounting, nothing outside its folder."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

#: Daemons are kept where not every user looks.
PATH = os.pathsep.join([os.environ["PATH"], "/usr/sbin"])
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun")
MISSING = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
NODE = "unveil-node"

_CONFIGURATION = """\
ClusterName=unveil
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/completed.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=2
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=6
KillWait=2
JobRequeue=0
NodeName={node} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=16000 State=UNKNOWN
PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


def wait_until(condition: Callable[[], object], what: str, patience: float = 60.0) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"not within {patience:.0f} s: {what}"
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _own_host() -> list[str]:
    """A command that starts the node's daemon with a host name of its own, where the kernel lets us."""
    prefix = ["unshare", "--uts", "sh", "-c", f'hostname {NODE} && exec "$@"', "sh"]
    return prefix if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0 else []


@dataclass
class Cluster:
    """The daemons, and what can be done to them."""

    folder: Path
    cpus: int = 4
    apart: bool = False
    _daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _before: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What a user of this cluster has in the environment."""
        path = os.pathsep.join([str(self.folder / "bin"), PATH])
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def configure(self) -> None:
        """Write the configuration; the node is called otherwise than this machine where that is possible."""
        self._before = _own_host()
        self.apart = bool(self._before)
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o600)
        values = {
            "folder": self.folder,
            "host": socket.gethostname(),
            "node": NODE if self.apart else socket.gethostname(),
            "user": user,
            "cpus": self.cpus,
            "controller_port": _free_port(),
            "node_port": _free_port(),
        }
        (self.folder / "slurm.conf").write_text(_CONFIGURATION.format(**values), encoding="utf-8")

        # The executor clears SLURM_CONF inside a job, where it expects a configuration in its usual place.
        step = self.folder / "bin" / "srun"
        step.parent.mkdir()
        step.write_text(
            f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {shutil.which("srun", path=PATH)} "$@"\n',
            encoding="utf-8",
        )
        step.chmod(0o755)

    def _start(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as output:
            self._daemons[name] = subprocess.Popen(
                command,
                env={**os.environ, **self.environment},
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def start(self) -> None:
        """Start all daemons, and wait until the node takes jobs."""
        at = self.folder
        files = [f"--{name}-file={at / f'munge.{name}'}" for name in ("key", "pid", "seed", "log")]
        socket_file = at / "munge.socket"
        self._start("munged", "munged", "--foreground", "--force", f"--socket={socket_file}", *files)
        wait_until(socket_file.exists, "munged listens")
        self._start("slurmctld", "slurmctld", "-D", "-f", str(at / "slurm.conf"))
        self.start_node()

    def start_node(self) -> None:
        """Start the node's daemon, for the first time or again."""
        # Cores are what the configuration says, not what this machine has: then several jobs are in flight anywhere.
        config = str(self.folder / "slurm.conf")
        self._start("slurmd", *self._before, "slurmd", "-D", "-f", config)
        wait_until(lambda: self.node_state() in ("idle", "mixed", "allocated"), "the node takes jobs")

    def crash_node(self) -> None:
        """Kill the node's daemon and everything that runs on the node, at once, as when the power fails."""
        daemon = self._daemons.pop("slurmd")
        doomed = [daemon.pid, *self._on_node()]
        for pid in doomed:
            _signal(pid, signal.SIGSTOP)  # so that none sees another one die and reports it
        for pid in dict.fromkeys([*doomed, *self._on_node()]):
            _signal(pid, signal.SIGKILL)
        daemon.wait()

    def _on_node(self) -> list[int]:
        """Every process that belongs to the node: the step daemons, and all that carries this cluster's job ids."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                name, environment = _read(entry / "comm"), _read(entry / "environ").split(b"\0")
                in_job = any(item.startswith(b"SLURM_JOB_ID=") for item in environment)
                if mark in environment and (in_job or name.startswith(b"slurmstepd")):
                    found.append(int(entry.name))
        return found

    def stop(self) -> None:
        """End every daemon and every job, whatever happened before."""
        for pid in self._on_node():
            _signal(pid, signal.SIGKILL)
        for daemon in self._daemons.values():
            with suppress(ProcessLookupError):
                os.killpg(daemon.pid, signal.SIGKILL)  # with its helpers
            daemon.wait()
        for pid in self._on_node():
            _signal(pid, signal.SIGKILL)

    def processes(self, job: str) -> list[int]:
        """What a job runs, without the daemons that watch over it."""
        wanted = f"SLURM_JOB_ID={job}".encode()
        return [
            pid
            for pid in self._on_node()
            if wanted in _read(Path(f"/proc/{pid}/environ")).split(b"\0")
            and not _read(Path(f"/proc/{pid}/comm")).startswith((b"slurmstepd", b"srun"))
        ]

    def signal_job(self, job: str, number: signal.Signals) -> None:
        """Send a signal to all processes of a job, not by way of Slurm."""
        for pid in self.processes(job):
            _signal(pid, number)

    def tell(self, *command: str) -> str:
        """What a Slurm command says."""
        environment = {**os.environ, **self.environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    def node_state(self) -> str:
        """`idle`, `mixed`, `allocated`, or `down*`."""
        return self.tell("sinfo", "--noheader", "--format=%T")

    def running(self) -> dict[str, str]:
        """The jobs at work by id, with the rule in their comment."""
        lines = self.tell("squeue", "--noheader", "--states=RUNNING", "--format=%i|%k").splitlines()
        return dict(line.split("|", 1) for line in lines)

    def completed(self) -> list[dict[str, str]]:
        """Every job that came to an end, as the completion log has it."""
        path = self.folder / "completed.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [dict(item.split("=", 1) for item in line.split() if "=" in item) for line in lines]

    def states(self) -> dict[str, str]:
        """How every job ended, by id."""
        return {job["JobId"]: job["JobState"] for job in self.completed()}

    def logs(self) -> str:
        """The end of every daemon's log, for when something goes wrong."""
        files = [*self.folder.glob("*.log"), *self.folder.glob("*.out")]
        texts = {file.name: file.read_text(encoding="utf-8", errors="replace")[-3000:] for file in files}
        return "\n".join(f"--- {name}\n{text}" for name, text in texts.items())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A cluster that is gone after the block."""
    # Not pytest's folder: munge wants its path open to all.
    folder = Path(tempfile.mkdtemp(prefix="unveil-slurm-"))
    folder.chmod(0o755)
    made = Cluster(folder)
    try:
        made.configure()
        made.start()
        yield made
    except BaseException as error:
        error.add_note(made.logs())
        raise
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)
