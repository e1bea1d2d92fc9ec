"""Which hosts answer: asked once, all at the same time, and remembered, so that a dead network costs seconds."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from replication.data.fetching.download import NoAnswer, answered, download, host_of, reason
from replication.data.fetching.landing import read_json, write_json
from replication.data.fetching.patience import Patience

#: What a proxy answers for a host that it cannot reach itself.
_PROXY_TROUBLE = (407, 502, 503, 504)


@dataclass(frozen=True)
class Network:
    """The hosts that the data may come from, and what is known about them.

    `state` is a small file that all fetching processes share; `addresses` holds one for each host that any
    data set names, so that one round of questions serves every job.
    """

    state: Path
    addresses: tuple[str, ...]
    patience: Patience

    def download(self, url: str, target: Path, limit: int, **options: Any) -> None:
        """`download`, unless the host is known not to answer; if it proves dead, the other jobs are told."""
        host = host_of(url)
        if not url.startswith("file:"):
            self._require(host, url)
        try:
            download(url, target, limit, self.patience, **options)
        except NoAnswer as error:
            # What was heard from the others is forgotten: if it was the network that died, the next question
            # finds that out about all of them at once.
            with self._locked():
                dead = {name: entry for name, entry in self._known().items() if entry.get("trouble")}
                write_json(self.state, dead | {host: {"trouble": str(error), "when": time.time()}})
            raise

    def _require(self, host: str, url: str) -> None:
        """Raise `NoAnswer` where the host does not answer; find out about all hosts where nothing is known."""
        known = self._known()
        if host not in known:
            with self._locked():
                known = self._known()
                if host not in known:
                    hosts = {host_of(each): each for each in (url, *self.addresses)}
                    known |= self._ask({name: each for name, each in hosts.items() if name not in known})
                    write_json(self.state, known)
        if trouble := known[host].get("trouble"):
            raise NoAnswer(str(trouble))

    def _known(self) -> dict[str, dict[str, Any]]:
        """The verdicts that are still fresh."""
        now, lifetime = time.time(), self.patience.memory
        entries = {host: entry for host, entry in read_json(self.state).items() if isinstance(entry, dict)}
        return {host: e for host, e in entries.items() if 0 <= now - float(e.get("when", 0)) < lifetime}

    def _ask(self, hosts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """One question to every host at once; whoever has not answered in time counts as dead.

        The threads are left alone after that: looking up a name cannot be interrupted.
        """
        wait = self.patience.probe
        heard = dict.fromkeys(hosts, f"nothing heard in {wait + 1:.0f} s")

        def ask(host: str, url: str) -> None:
            heard[host] = _trouble(url, wait)

        threads = [threading.Thread(target=ask, args=each, daemon=True) for each in hosts.items()]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + wait + 1
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return {
            host: {"trouble": said and f"{host} does not answer ({said})", "when": time.time()}
            for host, said in list(heard.items())
        }

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Only one process asks; the others wait for its verdicts."""
        self.state.parent.mkdir(parents=True, exist_ok=True)
        with self.state.with_suffix(".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _trouble(url: str, wait: float) -> str:
    """Any answer will do, even a refusal: it shows that somebody is there. Proxies are respected."""
    try:
        with answered(url, (wait, wait), "HEAD", allow_redirects=False) as answer:
            proxied = requests.utils.get_environ_proxies(url) and answer.status_code in _PROXY_TROUBLE
            return f"the proxy says {answer.status_code}" if proxied else ""
    except requests.exceptions.SSLError:
        return ""  # it answered; whether it can be trusted shows when the file is asked for
    except (requests.exceptions.RequestException, OSError) as error:
        return reason(error)
