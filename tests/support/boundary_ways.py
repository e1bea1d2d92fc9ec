"""Ways in which a learner's code could come to read private data, and what became of each.

`python tests/support/boundary_ways.py` tries them all and writes the table into docs/boundary.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import indent

MARK = "the-label-is-one"
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "boundary.md"
BEGIN, END = "<!-- ways -->", "<!-- end of ways -->"

#: What each way does; `private` is the path of a private file, `outside` a folder that is neither private nor granted,
#: `own` the folder that the learner writes to. What it gets hold of is `got`.
WAYS = {
    "opens the file": "got = open(private).read()",
    "opens it by an absolute path": "got = open(os.path.abspath(private)).read()",
    "opens it by a detour (`..`)": "got = open('data/../data/prepared/toy/labels.csv').read()",
    "opens it as bytes, with `os.open`": "got = os.read(os.open(os.fsencode(private), os.O_RDONLY), 99)",
    "opens it with `pathlib`": "got = Path(private).read_bytes()",
    "opens it relative to a folder's descriptor": (
        "folder = os.open('.', os.O_PATH)\ngot = os.read(os.open(private, os.O_RDONLY, dir_fd=folder), 99)"
    ),
    "changes into the folder first": "os.chdir('data/prepared/toy')\ngot = open('labels.csv').read()",
    "follows a symbolic link that lies about": "got = open('link').read()",
    "follows a link to the folder": "got = open('folder-link/toy/labels.csv').read()",
    "makes a symbolic link": "os.symlink(os.path.abspath(private), own + '/l')\ngot = open(own + '/l').read()",
    "reads a hard link that lies about": "got = open('hard').read()",
    "reads a hard link that lies among the code": "sys.path.append('code')\n---\ngot = open('code/hard').read()",
    "makes a hard link": "os.link(private, own + '/h')\ngot = open(own + '/h').read()",
    "renames it first": "os.rename(private, own + '/r')\ngot = open(own + '/r').read()",
    "copies it first": "import shutil\nshutil.copy(private, own + '/c')\ngot = open(own + '/c').read()",
    "goes by `/proc/self/cwd`": "got = open('/proc/self/cwd/' + private).read()",
    "goes by `/proc/self/root`": "got = open('/proc/self/root' + os.path.abspath(private)).read()",
    "maps it into memory (numpy)": "import numpy as np\ngot = bytes(np.memmap(private, mode='r'))",
    "reads it with pandas": "import pandas as pd\ngot = str(pd.read_csv(private))",
    "reads it with Arrow's own file system": (
        "import pyarrow.fs as fs\ngot = fs.LocalFileSystem().open_input_stream(private).read()"
    ),
    "reads it with Arrow's memory map": "import pyarrow as pa\ngot = pa.memory_map(private).read()",
    "opens it with the C library": (
        "import ctypes\nlibc, text = ctypes.CDLL(None), ctypes.create_string_buffer(99)\n"
        "libc.read(libc.open(os.fsencode(private), 0), text, 98)\ngot = text.value"
    ),
    "opens it as a database": (
        "import sqlite3\ngot = str(sqlite3.connect(database).execute('select * from t').fetchall())"
    ),
    "imports it as package data": (
        "from importlib.machinery import SourceFileLoader\ngot = SourceFileLoader('x', private).get_data(private)"
    ),
    "lets `cat` read it": "import subprocess\ngot = subprocess.run(['cat', private], capture_output=True).stdout",
    "lets the shell read it": "got = os.popen('cat ' + private).read()",
    "reads it in a forked process": (
        "ends = os.pipe()\nif os.fork() == 0:\n    os.write(ends[1], open(private, 'rb').read())\n    os._exit(0)\n"
        "os.close(ends[1])\ngot = os.read(ends[0], 99)"
    ),
    "reads it in a pool of fresh interpreters": (
        "import multiprocessing as mp\n"
        "with mp.get_context('spawn').Pool(1) as pool:\n"
        "    got = pool.map_async(Path.read_bytes, [Path(private)]).get(9)"
    ),
    "reads it in joblib's workers": (
        "import joblib\ngot = str(joblib.Parallel(2)(joblib.delayed(Path.read_bytes)(Path(private)) for _ in 'ab'))"
    ),
    "reads the raw file": "got = open('data/raw/toy/labels.txt').read()",
    "reads the mirror": "got = open(mirror + '/toy/labels.txt').read()",
    "reads what was released for another figure": "got = open('results/p/other/released/a/0-1.npz').read()",
    "reads the referee's scores": "got = open('results/p/f/scores.csv').read()",
    "loads the data set from scikit-learn": (
        "from sklearn.datasets import load_breast_cancer\nload_breast_cancer()\ngot = secret"
    ),
    "asks the network": (
        "import socket\nsocket.create_connection(('127.0.0.1', port), 2)\ngot = secret"
    ),
    "asks the network below Python": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nplace = libc.socket(2, 1, 0)\n"
        "address = (2).to_bytes(2, 'little') + port.to_bytes(2, 'big') + bytes([127, 0, 0, 1]) + bytes(8)\n"
        "if libc.connect(place, address, 16): raise OSError(ctypes.get_errno(), 'connect')\ngot = secret"
    ),
    "sends a datagram": (
        "import socket\nplace = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "place.sendto(b'x', ('127.0.0.1', port))\ngot = secret"
    ),
    "sends a datagram below Python": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nplace = libc.socket(2, 2, 0)\n"
        "address = (2).to_bytes(2, 'little') + port.to_bytes(2, 'big') + bytes([127, 0, 0, 1]) + bytes(8)\n"
        "if libc.sendto(place, b'x', 1, 0, address, 16) < 0: raise OSError(ctypes.get_errno(), 'sendto')\ngot = secret"
    ),
    "looks a name up": "import socket\nsocket.getaddrinfo('localhost', 80)\ngot = secret",
    "writes a compiled kernel that others run": (
        "kernels = os.environ['NUMBA_CACHE_DIR']\n---\nPath(kernels, 'x.nbi').write_bytes(b'x')\ngot = secret"
    ),
}  # fmt: skip

#: What the boundary does not see: it guards against mistakes.
KNOWN_GAPS = {"uses a file that was open before": "early = open(private)\n---\ngot = early.read()"}

FRAME = """
import os, sys
from pathlib import Path
private, own, mirror, database, port, secret = {names!r}
{before}
from replication.engine.boundary import confine
public = Path("data/prepared/toy/public.csv")
said = confine([Path("data"), Path("results"), Path(mirror)], [public], Path(own, "0-1.npz"))
assert public.read_text() == "public"
{landlock}
try:
{way}
except BaseException as error:
    print("STOPPED", type(error).__name__, error)
else:
    got = got.decode(errors="replace") if isinstance(got, bytes) else str(got)
    print("READ" if {secret!r} in got else "EMPTY", got[:99])
"""


def scene(root: Path) -> None:
    """A project with private data, and names for it that lie about."""
    import sqlite3

    for name, content in {
        "data/prepared/toy/labels.csv": MARK, "data/prepared/toy/public.csv": "public",
        "mirror/toy/labels.txt": MARK, "data/raw/toy/labels.txt": MARK,
        "results/p/other/released/a/0-1.npz": MARK, "results/p/f/scores.csv": MARK,
    }.items():  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    (root / "results/p/f/learned/a").mkdir(parents=True)
    (root / "link").symlink_to(root / "data/prepared/toy/labels.csv")
    (root / "folder-link").symlink_to(root / "data/prepared")
    (root / "code").mkdir()
    (root / "code" / "hard").hardlink_to(root / "data/prepared/toy/labels.csv")
    (root / "hard").hardlink_to(root / "data/prepared/toy/labels.csv")
    with sqlite3.connect(root / "data/prepared/toy/labels.db") as database:
        database.execute("create table t as select ? as x", [MARK])
    database.close()


def attempt(way: str, *, kernel: bool = True, port: int = 9) -> str:
    """What becomes of one way in a process of its own: `stopped by …`, or `gets through`."""
    before, _, after = way.rpartition("---\n")
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
        root = Path(folder)
        scene(root)
        names = ("data/prepared/toy/labels.csv", "results/p/f/learned/a", "mirror", "data/prepared/toy/labels.db", port)
        text = FRAME.format(
            names=(*names, MARK),
            before=before,
            landlock="assert 'Landlock 'in said" if kernel else "",
            way=indent(after, "    "),
            secret=MARK,
        )
        own = {"PYTHONPATH": str(ROOT / "src"), "JOBLIB_MULTIPROCESSING": "1", "NUMBA_CACHE_DIR": str(root / "kernels")}
        environment = {**os.environ, **own}
        if not kernel:
            text = "from unveil import confinement\nconfinement.confine = lambda *_: False\n" + text
        ran = subprocess.run([sys.executable, "-c", text], cwd=root, env=environment, capture_output=True, text=True)
    last = (ran.stdout.splitlines() or ["CRASHED"])[-1]
    if "READ" in last:
        return "gets through"
    if "a learner may not" in ran.stdout + ran.stderr:
        return "stopped by the watch"
    if kernel and last.startswith(("STOPPED", "EMPTY")):
        return "stopped by the kernel"
    raise AssertionError(ran.stdout + ran.stderr)


def outcomes(port: int) -> dict[str, str]:
    """What becomes of every way."""
    ways = WAYS | KNOWN_GAPS
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(ways, pool.map(lambda way: attempt(way, port=port), ways.values()), strict=True))


def table(found: dict[str, str]) -> str:
    """The outcomes for the page."""
    rows = [f"| {what} | {became} |" for what, became in found.items()]
    return "\n".join(["| a learner's code … | outcome |", "| --- | --- |", *rows])


if __name__ == "__main__":
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        text = PAGE.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        made = table(outcomes(server.getsockname()[1]))
        PAGE.write_text(f"{head}{BEGIN}\n{made}\n{END}{rest.split(END)[1]}", encoding="utf-8")
