"""Confinement of this process by the kernel (Linux, Landlock): from a call on, it opens nothing but what it names.

It holds for compiled code and for every process that this one starts, and it cannot be undone. It guards against
mistakes: what was opened before stays open, pipes and sockets among it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path

# <linux/landlock.h>; the numbers of the calls are the same on all architectures.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38
_EXECUTE, _WRITE, _READ, _READ_FOLDER, _TRUNCATE, _DEVICE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_TCP = 0b11
# <linux/seccomp.h>: by machine, how the kernel calls it, and the number of `socket`.
_SET_SECCOMP, _FILTER, _ALLOWED, _REFUSED = 22, 2, 0x7FFF0000, 0x00050000 | errno.EACCES
_SOCKET = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
#: How many of the rights on files each version of the interface knows; the last one goes for all later ones.
_RIGHTS = (13, 14, 15, 15, 16)
#: What a rule about a single file may speak of.
_ON_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Step(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))


_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/dev", "/proc", "/sys", "/opt", "/nix")


def system_folders() -> list[Path]:
    """What an interpreter reads to work: itself, its packages and the system; not the folder that it was started in.

    `python -m` has that among the places of its modules, as the installed command has not.
    """
    named = (*sys.path, sys.prefix, sys.base_prefix, *_SYSTEM)
    here = Path.cwd()
    return [Path(__file__).parent, *(Path(name) for name in named if name and Path(name).absolute() != here)]


def landlock_version() -> int:
    """The version of Landlock that this kernel offers; 0 where it offers none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(_CREATE_RULESET, None, 0, _VERSION))


def confine(readable: Iterable[Path], writable: Iterable[Path]) -> bool:
    """Open nothing else from now on, and no socket; whether the kernel sees to the files.

    Folders stand for all that lies in them; what does not exist is left out. What is writable is readable, too.
    """
    _refuse_sockets()
    version = landlock_version()
    if not version:
        return False
    handled = (1 << _RIGHTS[min(version, len(_RIGHTS)) - 1]) - 1
    attributes = _Ruleset(handled, _TCP if version >= 4 else 0)
    rules = _call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes) if version >= 4 else 8, 0)
    if rules < 0:
        return False
    try:
        looking = _EXECUTE | _READ | _READ_FOLDER | _DEVICE
        granted = [(path, looking) for path in readable] + [(path, handled) for path in writable]
        added = all(_allow(rules, path, rights & handled) for path, rights in granted)
        ready = _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
        return added and ready and _call(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


def _refuse_sockets() -> None:
    """Have the kernel, where it filters calls, refuse every new socket: TCP, datagrams, and so look-ups of names.

    Landlock knows TCP alone, and that not everywhere.
    """
    if sys.platform != "linux" or os.uname().machine not in _SOCKET:
        return
    machine, socket = _SOCKET[os.uname().machine]
    # Of the call: the machine at byte 4, the number at byte 0. A jump counts the steps that are left out.
    steps = (_Step * 6)(
        _Step(_LOAD, 0, 0, 4),
        _Step(_IF_EQUAL, 0, 2, machine),
        _Step(_LOAD, 0, 0, 0),
        _Step(_IF_EQUAL, 1, 0, socket),
        _Step(_RETURN, 0, 0, _ALLOWED),
        _Step(_RETURN, 0, 0, _REFUSED),
    )
    program = _Program(len(steps), steps)
    if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        _libc().prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0)


def _allow(rules: int, path: Path, rights: int) -> bool:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        rule = _Beneath(rights if path.is_dir() else rights & _ON_FILES, place)
        return _call(_ADD_RULE, rules, _BENEATH, ctypes.byref(rule), 0) == 0
    finally:
        os.close(place)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    found: int = _libc().syscall(number, *arguments)
    return found
