"""What a suite reaches: a file from anywhere sends nothing to a host that the user has not named."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ingest.addresses import addresses_of, is_address, is_inside, known_inside
from ingest.errors import PlumblineError
from ingest.paths import file_sha256
from ingest.store import Store, utc_now
from ingest.suite import Config, Suite

SHOWN = 3
ASKED = "prompts are sent there"
# Where a backend asks by itself, on this machine.
DEFAULTS = {"ollama": ("http://127.0.0.1:11434", "http://localhost:11434")}


class Place(NamedTuple):
    """A host as it stands in a URL, or the name of a provider that knows its own, and what is done there."""

    host: str
    what: str
    is_host: bool = True


def asked_places(configs: Iterable[Config]) -> list[Place]:
    """Return where configs are asked, each place once, without what a backend asks by its own default."""
    hosts: list[str] = []
    providers: list[str] = []
    for config in configs:
        if config.address and config.address.rstrip("/") not in DEFAULTS.get(config.backend, ()):
            hosts.append(_host(config.address))
        if config.backend == "inspect":
            from ingest.backends.inspect_models import named_provider  # which loads all that asks

            if provider := named_provider(config):
                providers.append(provider)
    return [Place(name, ASKED, name in hosts) for name in dict.fromkeys([*hosts, *providers])]


def read_places(suite: Suite) -> list[Place]:
    """Return where a suite's texts are read, each host once, without the Wikipedia of its language."""
    sources = [
        s for category in suite.categories.values() if category.corpus for s in category.corpus.sources
    ]
    is_on_the_web = any(source.kind in ("web", "wikipedia") for source in sources)
    hosts = [host.casefold() for host in suite.scrape.allow if is_on_the_web]
    hosts += [_host(source.api) for source in sources if source.api]
    return [Place(host, "pages are read there") for host in dict.fromkeys(hosts)]


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].casefold()


def check_reach(store: Store, suite_path: Path, reached: Sequence[Place], allowed: Sequence[str]) -> None:
    """Raise PlumblineError where a suite reaches a host that the user has not named, before a byte leaves.

    `allowed` are hosts with a port or without; they are remembered for this very file. A name that leads to a
    private address is allowed where that address is, too.
    """
    if not reached:
        return
    hosts = named_hosts(store, suite_path, allowed)
    refused = [place for place in reached if not _is_named(place.host, hosts)]
    if refused:
        options = " ".join(f"--allow-host {place.host}" for place in refused[:SHOWN])
        listed = ", ".join(place.host[:80] for place in refused[:SHOWN])
        more = f" and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
        raise PlumblineError(
            f"{suite_path.name} reaches {listed}{more}: {refused[0].what}, and nobody allowed it.",
            f"If you trust it with that, add {options}",
        )
    # Pages are looked at one by one, for each may lead elsewhere: ingest/corpus/fetch.py.
    for host in (place.host for place in reached if place.what == ASKED and place.is_host):
        for address in _private(host):
            if not _is_named(address, hosts):
                raise PlumblineError(
                    f"{suite_path.name} reaches {host[:80]}, which leads to the private address {address}.",
                    f"If that is the server you mean, add --allow-host {address}",
                )
    if not store.read_only:
        remember_hosts(store, suite_path, hosts)


def named_hosts(store: Store, suite_path: Path, allowed: Sequence[str]) -> set[str]:
    """Return the hosts that the user named for this very file, now (`allowed`) or before."""
    known = store.rows("select host from consents where file_sha256 = ?", [file_sha256(suite_path)])
    return {host.casefold() for host in (*allowed, *(host for (host,) in known))}


def remember_hosts(store: Store, suite_path: Path, hosts: Iterable[str]) -> None:
    """Keep which hosts were named for this very file."""
    sha256 = file_sha256(suite_path)
    rows = [{"file_sha256": sha256, "host": host, "allowed_at": utc_now()} for host in sorted(hosts)]
    store.append("consents", rows)


def _is_named(host: str, hosts: set[str]) -> bool:
    return host in hosts or (urlsplit(f"//{host}").hostname or "") in hosts


def _private(host: str) -> list[str]:
    """Return the private addresses to which a name leads; none where it is an address itself."""
    name = urlsplit(f"//{host}").hostname or ""
    if is_address(name) or name == "localhost":
        return []
    try:
        addresses = {address.partition("%")[0] for address in addresses_of(name)}
    except (OSError, UnicodeError):
        addresses = set()  # the request itself will say so
    inside = sorted(filter(is_inside, addresses))
    known_inside[name] = frozenset(inside)
    return inside
