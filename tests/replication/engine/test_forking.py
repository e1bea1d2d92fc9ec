"""Scripts in forks of the stock: how they end, what they find imported, and when the stock itself ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from snakemake import script

from project import ROOT
from replication.engine import forking, stock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere scripts are started, not forked")


@pytest.fixture(scope="module")
def requests() -> Iterator[socket.socket]:
    """A stock that has imported nothing yet: the libraries are tried by the sample run."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    program = (
        "import socket\nfrom replication.engine import stock\nstock.warm = lambda: None\n"
        f"stock.serve(socket.socket(fileno={theirs.fileno()}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with theirs:
        server = subprocess.Popen([sys.executable, "-c", program], pass_fds=[theirs.fileno()], env=environment)
    yield ours
    ours.close()
    assert server.wait(timeout=20) == 0


def written(folder: Path, program: str) -> str:
    path = folder / "job.py"
    path.write_text(program, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("program", "well"),
    [
        ("pass", True),
        ("import sys; sys.exit(1)", False),
        ("import sys; sys.exit()", False),
        ("raise ValueError", False),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", False),
        ("import os; os._exit(0)", False),
        ("1 +", False),
        ("import sys; sys.stdout = open('/dev/full', 'w'); print('x')", False),
    ],
)
def test_a_script_counts_where_it_came_to_its_end(
    requests: socket.socket, tmp_path: Path, program: str, well: bool
) -> None:
    assert forking.ended_well(requests, written(tmp_path, program)) is well


def test_a_script_is_waited_for(requests: socket.socket, tmp_path: Path) -> None:
    """Also by a process that it has started and that outlives it: that one holds nothing of the run's."""
    program = "import subprocess, sys, time\ntime.sleep(.3)\nsubprocess.Popen(['sleep', '30'])"
    start = time.monotonic()
    assert forking.ended_well(requests, written(tmp_path, program))
    assert 0.3 < time.monotonic() - start < 20


def test_scripts_run_side_by_side_and_each_ends_for_itself(requests: socket.socket, tmp_path: Path) -> None:
    def one(number: int) -> bool:
        folder = tmp_path / str(number)
        folder.mkdir()
        return forking.ended_well(requests, written(folder, f"import sys; sys.exit(1) if {number % 3} else None"))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(120))) == [not number % 3 for number in range(120)]


def test_a_script_finds_what_a_new_interpreter_would(requests: socket.socket, tmp_path: Path) -> None:
    """Its own name and arguments, signals that interrupt it, children that it can wait for."""
    program = (
        "import json, signal, subprocess, sys\n"
        "found = [__name__, sys.argv, signal.getsignal(signal.SIGINT) is signal.default_int_handler]\n"
        "found += [subprocess.run(['sh', '-c', 'exit 3']).returncode]\n"
        f"open({str(tmp_path / 'found.json')!r}, 'w').write(json.dumps(found))"
    )
    path = written(tmp_path, program)
    assert forking.ended_well(requests, path)
    assert json.loads((tmp_path / "found.json").read_text()) == ["__main__", [path], True, 3]


def test_an_interrupt_ends_the_script_and_not_the_stock(requests: socket.socket, tmp_path: Path) -> None:
    interrupt = "import os, signal\nfor process in (os.getppid(), os.getpid()): os.kill(process, signal.SIGINT)\n"
    assert not forking.ended_well(requests, written(tmp_path, interrupt + "import time; time.sleep(30)"))
    assert forking.ended_well(requests, written(tmp_path, "pass"))


def test_a_stock_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        theirs.close()
        with pytest.raises(BrokenPipeError):
            forking.ended_well(ours, written(tmp_path, "pass"))


def test_the_stock_holds_nothing_of_a_figure() -> None:
    """What a learner's process has imported before it is confined, all processes of the run have."""
    program = "import sys; from replication.engine import stock; stock.warm(); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert set(stock.LIBRARIES) <= loaded
    closed = ("replication.papers", "replication.data", "replication.judging", "unveil.estimators", "unveil.mechanisms")
    assert [name for name in loaded if name.startswith(closed)] == []


def test_scripts_of_another_environment_are_started_there(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(script.PythonScript, "execute_script", lambda _, name, edit: started.append((name, edit)))
    monkeypatch.setattr(script, "PythonScript", script.PythonScript)  # to be found here again afterwards
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    monkeypatch.setattr(socket, "socketpair", lambda *_: (ours, theirs))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: None)
    forking.fork_scripts()
    job = object.__new__(script.PythonScript)
    job.conda_env, job.container_img, job.env_modules = "envs/unveil", None, None
    job.execute_script("job.py", edit=True)
    assert started == [("job.py", True)]
    job.conda_env = None
    with ours, pytest.raises(BrokenPipeError):  # a stock was asked, and there is none
        job.execute_script("job.py")
