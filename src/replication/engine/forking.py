"""Snakemake's scripts as forks of one process, where each would start Python and import the libraries anew.

That takes longer than many a job's own work.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from snakemake import script

from replication.engine import stock


def fork_scripts() -> None:
    """From now on fork the scripts of this run, but for those of another host or environment."""
    if sys.platform != "linux":  # elsewhere what the libraries have started may not outlive a fork
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        program = [sys.executable, "-m", stock.__name__, str(theirs.fileno())]
        subprocess.Popen(program, pass_fds=[theirs.fileno()])  # noqa: S603 - our own program

    class Forked(script.PythonScript):
        def execute_script(self, fname: str, edit: bool = False) -> None:
            if self.conda_env or self.container_img or self.env_modules:
                super().execute_script(fname, edit)
            elif not ended_well(ours, fname):
                raise subprocess.CalledProcessError(1, fname)

    script.PythonScript = Forked


def ended_well(requests: socket.socket, path: str) -> bool:
    """Whether a script, run in a fork, came to its end."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as said:
        try:
            socket.send_fds(requests, [path.encode()], [writing])
        finally:
            os.close(writing)
        return said.read() == b"+"  # all is read when the job's process has ended
