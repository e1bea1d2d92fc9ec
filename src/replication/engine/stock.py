"""The process that a run's jobs are forked from: it has imported what most of them need.

It imports nothing of a figure: a learner's code is imported in its own process, when that has been confined.
"""

from __future__ import annotations

import gc
import os
import runpy
import signal
import socket
import sys
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

LIBRARIES = (
    "fontTools.subset",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "matplotlib.style",
    "numba",
    "numpy.random",
    "pandas",
    "replication.engine.boundary",
    "replication.engine.job",
    "replication.engine.task",
    "replication.settings",
    "replication.style",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
    "scipy.stats",
    "sklearn.linear_model",
    "sklearn.svm",
    "snakemake.iocontainers",
    "snakemake.logging",
)


def serve(requests: socket.socket) -> None:
    """Fork a job for every script that is sent, with the pipe it came with, until the run is over."""
    for number in (signal.SIGINT, signal.SIGCHLD):  # jobs see to the one themselves, and their pipes tell the other
        signal.signal(number, signal.SIG_IGN)
    # The allocator of pyarrow keeps a thread, and sees to forks.
    warnings.filterwarnings("ignore", message=".*multi-threaded", category=DeprecationWarning)
    warm()
    while True:
        path, pipes, *_ = socket.recv_fds(requests, 4096, 1)
        if not path:
            return
        if os.fork() == 0:
            requests.close()
            run(path.decode(), *pipes)
        os.close(*pipes)


def warm() -> None:
    """Import the libraries, and let Numba read what it reads before the first kernel of a process."""
    for name in LIBRARIES:
        import_module(name)
    target = import_module("numba.core.registry").cpu_target
    target.typing_context.refresh()
    target.target_context.refresh()
    gc.freeze()  # what the collector does not look at stays shared with all forks


def run(path: str, pipe: int) -> NoReturn:
    """Run a script as a new interpreter would; one that fails does not come to the line that says otherwise."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.set_inheritable(pipe, False)
        sys.argv = [path]
        runpy.run_path(path, run_name="__main__")
        sys.stdout.flush()  # a log that cannot be written is a failure, too
        os.write(pipe, b"+")
    except SystemExit:
        pass  # it has said why
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(0)  # to take all libraries down in good order takes longer than to let go of them


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
