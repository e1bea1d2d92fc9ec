"""Which hosts answer: asked once, all at the same time, and remembered, so that a dead network costs seconds."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from replication.data.fetching.download import NoAnswer, reason
from replication.data.fetching.landing import read_json, write_json
from unveil.errors import SourceError

#: What a proxy answers for a host that it cannot reach itself.
_PROXY_TROUBLE = (407, 502, 503, 504)


@dataclass(frozen=True)
class Network:
    """The hosts that the data may come from, and what is known about them.

    `state` is a small file that all fetching processes share; verdicts in it hold for `lifetime` seconds.
    `addresses` gives each host's probe: a function that returns the address to ask, called only when nothing
    is known yet.
    """

    state: Path
    addresses: Mapping[str, Callable[[], str]]
    lifetime: float
    wait: float

    def require(self, host: str) -> None:
        """Raise `NoAnswer` where the host does not answer; find out about all hosts where nothing is known."""
        known = self._known()
        if host not in known:
            with self._locked():
                known = self._known()
                if host not in known:
                    known = self._ask() | known
                    write_json(self.state, known)
        trouble = known.get(host, {}).get("trouble")
        if trouble:
            raise NoAnswer(str(trouble))

    def remember(self, host: str, trouble: str) -> None:
        """Keep in mind for the run that a host failed.

        What was heard from the others is forgotten: if it was the network that died, the next question
        finds that out about all of them at once.
        """
        with self._locked():
            dead = {name: entry for name, entry in self._known().items() if entry.get("trouble")}
            write_json(self.state, dead | {host: {"trouble": trouble, "when": time.time()}})

    def _known(self) -> dict[str, dict[str, object]]:
        """The verdicts that are still fresh."""
        now = time.time()
        entries = {host: entry for host, entry in read_json(self.state).items() if isinstance(entry, dict)}
        return {
            host: e for host, e in entries.items() if 0 <= now - float(str(e.get("when", 0))) < self.lifetime
        }

    def _ask(self) -> dict[str, dict[str, object]]:
        """One question to every host at once; whoever has not answered in time counts as dead.

        The threads are left alone after that: looking up a name cannot be interrupted.
        """
        verdicts: dict[str, str] = {}
        threads = [
            threading.Thread(target=self._ask_one, args=(host, address, verdicts), daemon=True)
            for host, address in self.addresses.items()
        ]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + self.wait + 1.0
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        heard = dict.fromkeys(self.addresses, f"nothing heard in {self.wait + 1:.0f} s") | verdicts
        troubles = {
            host: f"{host} does not answer ({heard[host]})" if heard[host] else "" for host in self.addresses
        }
        return {host: {"trouble": trouble, "when": time.time()} for host, trouble in troubles.items()}

    def _ask_one(self, host: str, address: Callable[[], str], verdicts: dict[str, str]) -> None:
        """Any answer will do, even a refusal: it shows that somebody is there. Proxies are respected."""
        try:
            url = address()
            if url.startswith("file:"):
                verdicts[host] = ""
                return
            answer = requests.head(
                url, timeout=(self.wait, self.wait), allow_redirects=False, headers={"User-Agent": "unveil"}
            )
            proxied = bool(requests.utils.get_environ_proxies(url))
            verdicts[host] = (
                f"the proxy says {answer.status_code}"
                if proxied and answer.status_code in _PROXY_TROUBLE
                else ""
            )
        except requests.exceptions.SSLError:
            verdicts[host] = ""  # it answered; whether it can be trusted shows when the file is asked for
        except (requests.exceptions.RequestException, SourceError, OSError) as error:
            verdicts[host] = reason(error)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Only one process asks; the others wait for its verdicts."""
        self.state.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.state.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
