"""What a name in a suite stands for: scorers and backends of this package and of any other that is installed.

A module of `ingest.scorers` or `ingest.backends` lists what it has, by name, in SCORERS or BACKENDS. Another
package lists its own as entry points `plumbline.scorers` or `plumbline.backends`.
Neither list goes before the other.
"""

import pkgutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import get_annotations
from typing import Any, NamedTuple

from ingest.apart.child import described
from ingest.errors import SHOWN, PlumblineError, in_one_line, is_ctrl_c, shorten
from ingest.redaction import without_secrets

OURS = "plumbline"


class Offer(NamedTuple):
    """What a package offers under a name: the function that makes a scorer or backend, or where it stands."""

    package: str
    maker: Callable[..., Any] | EntryPoint
    about: Any = None  # what the guide says of it, where it is ours


def offers(kind: str) -> Mapping[str, Sequence[Offer]]:
    """Return every offer of a kind, `scorer` or `backend`, by name."""
    found: dict[str, list[Offer]] = defaultdict(list)
    package = import_module(f"ingest.{kind}s")
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        ours = import_module(module.name)
        for name, make in getattr(ours, f"{kind}s".upper(), {}).items():
            found[name].append(Offer(OURS, make, getattr(ours, "ABOUT", {}).get(name)))
    for entry in _entry_points(f"plumbline.{kind}s", tuple(sys.path)):
        found[entry.name].append(Offer(entry.dist.name if entry.dist else "a package", entry))
    return dict(sorted(found.items()))


@cache
def _entry_points(group: str, _: tuple[str, ...]) -> Sequence[EntryPoint]:
    """Return the entry points of all packages on a path of modules; to look takes 30 ms."""
    return tuple(entry_points(group=group))


def create(
    kind: str,
    name: str,
    *arguments: Any,
    protocols: tuple[type, ...],
    wrong: Callable[[Any], str | None] = lambda _: None,
) -> Any:
    """Make the scorer or backend of that name.

    Raises PlumblineError where no package or more than one offers the name, where the package of somebody
    else does not load, and where what it makes is none of `protocols` or has a member of which `wrong` tells.
    """
    known = offers(kind)
    if name not in known:
        raise PlumblineError(
            f"There is no {kind} {name!r}.",
            f"Known {kind}s: {', '.join(known)}. Name one of them, or install the package that has it.",
        )
    offer, *others = known[name]
    if others:
        raise PlumblineError(
            f"The {kind} {name!r} is in two packages, {offer.package} and {others[0].package}.",
            "Uninstall one of them, or have its author give it another name.",
        )
    if callable(offer.maker):  # an entry point is not
        return offer.maker(*arguments)
    what_to_do = f"Mend or update {offer.package}, or take {name!r} out of the suite."
    # To look at what it made runs its code, too: a property may do anything.
    with one_line(f"The {kind} {name!r} of {offer.package} does not load", what_to_do):
        made = offer.maker.load()(*arguments)
        if fault := _lacking(made, protocols) or _misnamed(made, name):
            wants = " or ".join(protocol.__name__ for protocol in protocols)
            raise PlumblineError(
                f"{offer.package} gives {made!r:.60} where the {kind} {name!r} should be, "
                f"a {wants} of that name: {fault}.",
                what_to_do,
            )
        if told := wrong(made):
            raise PlumblineError(f"The {kind} {name!r} of {offer.package} has {told}.", what_to_do)
    return made


def _lacking(made: Any, protocols: tuple[type, ...]) -> str | None:
    """Return which members an object lacks of the protocol that it is nearest to, None where none."""
    found = []
    for protocol in protocols:
        kinds = [one for one in protocol.__mro__ if one.__module__.startswith("ingest.")]
        members = {name for one in kinds for name in (*get_annotations(one), *vars(one)) if name[0] != "_"}
        found.append(sorted(name for name in members if not hasattr(made, name)))
    lacks = min(found, key=len)
    return f"it has no {', '.join(lacks)}" if lacks else None


def _misnamed(made: Any, name: str) -> str | None:
    return None if made.name == name else f"its name is {made.name!r:.60}"


@contextmanager
def one_line(what: str, what_to_do: str, passes: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
    """Turn whatever another's code raises, SystemExit included, into a PlumblineError.

    Ctrl-C passes, and so do PlumblineErrors and `passes`.
    """
    try:
        yield
    except passes:
        raise
    except BaseException as error:  # another's code can fail in any way
        if isinstance(error, PlumblineError) or is_ctrl_c(error):
            raise
        said = shorten(in_one_line(without_secrets(described(error))), SHOWN)
        raise PlumblineError(f"{what}: {said}.", what_to_do) from error


def others_code(
    kind: str, made: Any, passes: tuple[type[BaseException], ...] = ()
) -> AbstractContextManager[None]:
    """Return `one_line` where a scorer or backend is another package's; our own errors show themselves."""
    if type(made).__module__.partition(".")[0] == "ingest":
        return nullcontext()
    return one_line(
        f"The {kind} {made.name!r} failed", "Mend or update its package; the rest is kept.", passes
    )
