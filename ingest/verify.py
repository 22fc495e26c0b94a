"""Command verify: who signed an audit card, and whether it says what the marts give."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ingest import __version__
from ingest.card import HASHED, READ, as_json, audit_card, built_at
from ingest.errors import PlumblineError, printable, say, shown
from ingest.paths import PROJECT, regular_bytes
from ingest.provenance import commit_of
from ingest.signing import signer
from ingest.store import AUDIT_NAME
from ingest.warehouse import Warehouse
from ingest.warehouse.foreign import foreign_marts

MOST = 100_000_000  # bytes of a card
NO_CARD = "Name an audit_card.json that `plumbline card` wrote."


def read_card(path: Path, content: bytes) -> dict[str, Any]:
    """Return a card as its JSON has it. Raises PlumblineError where it is none, or an older version's."""
    try:
        card = json.loads(content)
        hashes = {row["mart"]: row["sha256"] for row in card["hashes"]}
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        what = "is no audit card, or an older version's without SHA-256 of its marts"
        raise PlumblineError(f"{shown(path)} {what}.", NO_CARD) from error
    if missing := [mart for mart in HASHED if mart not in hashes]:
        raise PlumblineError(f"{shown(path)} has no hash of {missing[0]}.", NO_CARD)
    return dict(card)


def compare_with_marts(path: Path, content: bytes, place: Path) -> str | None:
    """Write the card anew from the marts in `place`, hold it against `path`; return the audit's fingerprint.

    Raises PlumblineError that names the first mart, else the first section, that differs.
    """
    card = read_card(path, content)
    with foreign_marts(place, READ) as connection:
        marts = Warehouse(place)
        marts.connection = connection
        anew = audit_card(marts) | {"plumbline_version": card.get("plumbline_version")}
    written = as_json(anew)
    if content == written.encode():
        fingerprint: str | None = anew["fingerprint"]
        return fingerprint
    if later := _later_runs(card, content, anew):
        raise PlumblineError(
            f"{shown(path)} is older than the marts in {shown(place)}, which list a later run: {later}."
            " In all else it is what they give.",
            "`plumbline card` writes it anew, without its signature.",
        )
    found = json.loads(written)
    remedy = "Are these the card's marts (--marts DIR)? If so, trust neither."
    for row in found["hashes"]:
        if row not in card["hashes"]:
            raise PlumblineError(
                f"{shown(path)}: {row['mart']} has other rows in {shown(place)} than the card says.", remedy
            )
    if anew["fingerprint"] is None and card.get("fingerprint"):
        what = f"The marts in {shown(place)} have no fingerprint: plain `dbt build` made them"
        raise PlumblineError(
            f"{what}. Each mart that the card names has the card's rows.",
            "Run `plumbline audit SUITE`, then the same command; or name marts of an audit (--marts DIR).",
        )
    differing = [section for section in found if card.get(section) != found[section]]
    what = f"{differing[0]!r} says something else than" if differing else "is not written as it would be from"
    raise PlumblineError(f"{shown(path)}: {what} the marts in {shown(place)}.{_written_by(card)}", remedy)


def _written_by(card: Mapping[str, Any]) -> str:
    """Return which Plumbline wrote a card where it is not this one: another may write another card."""
    version = card.get("plumbline_version")
    if version != __version__:
        return f" Version {version} wrote it, this is {__version__}."
    try:
        built = str(card["build"][0]["commit_id"] or "")
    except (LookupError, TypeError):
        return ""
    own = commit_of(PROJECT)
    if not built or own is None or own.commit_id == built:
        return ""
    return f" Its marts were built at commit {printable(built[:8])}, this is {own.commit_id[:8]}."


def _later_runs(card: Mapping[str, Any], content: bytes, anew: Mapping[str, Any]) -> str:
    """Return the commands that ran after the card was written, where nothing else has changed, as a look."""
    told = card.get("runs")
    runs = anew["runs"][: len(told) if isinstance(told, list) else 0]
    if as_json({**anew, "runs": runs, "built_at": built_at(runs)}).encode() != content:
        return ""
    return ", ".join(sorted({run["command"] for run in anew["runs"][len(runs) :]}))


@click.command("verify")
@click.argument("card", type=click.Path(path_type=Path))
@click.option(
    "--signers",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Whose signatures you accept: a file in OpenSSH's allowed-signers format.",
)
@click.option(
    "--marts",
    "place",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the marts are: a data folder, or what `plumbline export` wrote.  [default: --data]",
)
@click.pass_obj
def command(data: Path, card: Path, signers: Path | None, place: Path | None) -> None:
    """Say who signed an audit card, and whether its marts agree; exit 1 if not.

    CARD is an audit_card.json. Its signature lies beside it (audit_card.json.sig), and ssh-keygen checks it.
    Then the card is written anew from the marts: each byte has to be the same.

    \b
    plumbline verify data/audit_card.json
    plumbline verify audit_card.json --signers allowed_signers --marts out/
    """
    if place is None and (data / AUDIT_NAME).exists():
        place = data
    if signers is None and place is None:
        raise click.UsageError("There is nothing to hold the card against: name --signers, --marts, or both.")
    content = regular_bytes(card, MOST, NO_CARD)
    if signers is None:
        say("Signature: not looked at, for want of --signers.")
    else:
        say(f"Signed by {signer(card, content, signers)}.")
    if place is None:
        say("Marts: not looked at, for want of --marts.")
    else:
        fingerprint = compare_with_marts(card, content, place)
        say(f"The card is what the marts in {shown(place)} give.")
        say(f"Fingerprint of the audit: {fingerprint or 'none, dbt alone built'}.")
