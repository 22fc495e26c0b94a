"""Audit cards: signed with an SSH key, and held against the marts that they were made of."""

import json
import os
import shutil
import subprocess
import time

import duckdb
import pytest
from click.testing import CliRunner

from ingest import __version__, signing, verify
from ingest.card import HASHED, NAME, READ
from ingest.cli import cli
from ingest.provenance import Commit
from ingest.report import write_downloads
from ingest.store import AUDIT_NAME

needs_openssh = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="signatures are OpenSSH's: ssh-keygen is not installed"
)

# The columns that a card reads, of a row or two each.
MARTS = {
    "dim_builds": """
        select 'ab12' as fingerprint, '0.1.0' as plumbline_version, 'c' as commit_id, false as is_dirty,
        'b' as build_hash, 't' as thresholds_hash, 's' as suites_hash, 'a' as answers_hash,
        'r' as readings_hash, 'l' as labels_hash
        """,
    "dim_suites": """
        select 's' as suite, 'A title' as title, '' as description, 1 as version, 'en' as language,
        'v' as variant, ['p'] as profiles, ['vader'] as scorers, 1 as seed, 9 as n_permutations,
        9 as n_bootstrap, 5 as minimum_group, 5 as minimum_cell, 'all' as resampled_statistics,
        'all' as resampled_rates, 'k' as suite_key, 'f' as file_sha256, 'R' as responsible, '' as licence
        """,
    "dim_prompts": """
        select 's' as suite, 'd' as domain, 'C' as category, 'r' as root_key, 'b' as block_key,
        'en' as language, map {'gender': 'Female'} as attributes, null::varchar as translated_by,
        null::varchar as reviewed_by, null::varchar[] as flags, false as is_left_out
        """,
    "dim_configs": """
        select name as config, 'simulated' as backend, true as is_simulated, name as model, 'x' as digest,
        '' as quantisation, '' as role, '' as system_prompt, '' as template, '{}' as options,
        null as server_version, name as config_key
        from (values ('m'), ('n')) as names (name)
        """,
    "dim_scorers": "select 'vader' as scorer, '' as model, '' as revision, 1 as version, '{}' as parameters",
    "dim_metrics": "select 'fdi' as metric, 1 as metric_version, 'share' as unit, 'fct_x' as mart",
    "dim_responses": """
        select 's' as suite, config, true as is_simulated, 'ok' as response_status, 'Yes.' as response_text,
        timestamp '2026-01-02 03:04:05.678' as answered_at, 0.1::double + 0.2::double as score
        from (values ('m'), ('n')) as names (config)
        """,
    "fct_quality": """
        select 'r' as rule, 'a' as area, 'd' as description, 's' as suite, null as category, 'm' as config,
        'c' as scope, 1 as n_failing, 10 as n_records, 0.1::double as rate, 0.05::double as limit_rate
        """,
    "fct_verdicts": """
        select 's' as suite, 'm' as config, true as is_simulated, 'p' as profile, true as is_gate_profile,
        true as is_gated, verdict, 'why' as reason,
        case when verdict = 'inconclusive' then 'more_units' end as lacks, 'C' as category,
        'gender' as axis, 'o' as measure, 'fdi' as metric, 'Female' as group_value, 0.9::double as value,
        'share' as unit, 0.3::double as adjusted_value, 0.1::double as red_limit, 0.2::double as ci_low,
        0.4::double as ci_high, 60 as n,
        0.001::double as p_family, 'C-gender-' || if(verdict = 'fail', 0, 1) as verdict_name,
        false as is_control, 0 as n_missing,
        null::double as value_low, null::double as value_high
        from (values ('fail'), ('inconclusive')) as verdicts (verdict)
        """,
    "fct_contrasts": """
        select 's' as suite, 'm' as config, 'C' as category, 'gender' as axis, 'o' as measure,
        'a|b' as outcome, 'Female' as group_high, 0.75::double as value_high,
        1200 as n_group_high, 'Male' as group_low, 0.4::double as value_low, 40 as n_group_low,
        0.2::double as ci_low, 0.5::double as ci_high, 1240 as n, true as is_simulated, false as is_control,
        'outcome' as measure_kind
        """,
    "fct_combined_gaps": """
        select 's' as suite, 'm' as config, 'C' as category, 'gender' as axis, 'o' as measure,
        'outcome' as measure_kind, 'This gap depends on race.' as sentence, true as is_simulated
        """,
    "fct_label_gaps": """
        select 's' as suite, 'm' as config, 'C' as category, 'gender' as axis, 'o' as measure, '1' as outcome,
        'outcome' as measure_kind, 'This gap may be chance.' as sentence, true as is_simulated
        """,
    "fct_favourable_gaps": """
        select 's' as suite, 'm' as config, 'C' as category, 'gender' as axis, 'o' as measure,
        'yes or perhaps' as outcomes, 'Male' as group_high, 0.75::double as value_high, 80 as n_group_high,
        'Female' as group_low, 0.5::double as value_low, 80 as n_group_low, false as is_of_one_outcome
        """,
    "dim_verdict_actions": "select 'inconclusive' as verdict, 'more_units' as lacks, 'Ask more.' as action",
    "dim_runs": """
        select 'r1' as run_id, 'load' as command, timestamp '2026-01-02' as started_at,
        timestamp '2026-01-03' as ended_at, 'done' as run_status, '{}' as versions
        """,
}


def run(data, *arguments):
    return CliRunner().invoke(cli, ["--data", str(data), *map(str, arguments)])


def refusal(data, *arguments):
    """Return the one line in which a command ends."""
    started = time.monotonic()
    result = run(data, *arguments)
    assert result.exit_code == 1 and time.monotonic() - started < 10
    line = result.output.splitlines()[-1]
    assert line.startswith("Error: ") and len(line) <= 300 and "Traceback" not in result.output
    return line


def change(data, sql):
    with duckdb.connect(str(data / AUDIT_NAME)) as marts:
        marts.execute(sql)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    assert set(MARTS) == set(READ)
    data = tmp_path_factory.mktemp("built") / "data"
    data.mkdir()
    for name, sql in MARTS.items():
        change(data, f"create table {name} as {sql}")
    assert run(data, "card", "--stale").exit_code == 0
    return data


@pytest.fixture
def data(built, tmp_path):
    """A data folder with marts and their card."""
    return shutil.copytree(built, tmp_path / "data")


@pytest.fixture
def card(data):
    return data / f"{NAME}.json"


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return new_key(tmp_path_factory.mktemp("keys") / "id")


@pytest.fixture
def signers(key, tmp_path):
    return allow(tmp_path / "signers", "ana@example.org", key)


@pytest.fixture
def signed(data, card, key):
    """The card, with its signature beside it."""
    assert run(data, "card", "--stale", "--sign", key).exit_code == 0
    return card


def new_key(path, passphrase=""):
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "a test", "-f", str(path)]
    subprocess.run(make, check=True, stdin=subprocess.DEVNULL)
    return path


def allow(path, who, key):
    path.write_text(f"{who} {key.with_suffix('.pub').read_text()}", "utf-8")
    return path


def export(data, folder):
    folder.mkdir()
    with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as marts:
        for name in READ:
            marts.execute(f"copy {name} to '{folder / name}.parquet' (format parquet)")
    return folder


# ------------------------------------------------------------------------------------------ signatures


@needs_openssh
def test_a_signed_card_says_who_signed_it(data, signed, signers):
    result = run(data, "verify", signed, "--signers", signers)
    assert result.exit_code == 0
    said, marts, fingerprint = result.output.splitlines()
    assert said.startswith("Signed by ana@example.org, ED25519 key SHA256:")
    assert marts == f"The card is what the marts in {data} give."
    assert fingerprint == "Fingerprint of the audit: ab12."
    (data / AUDIT_NAME).unlink()
    result = run(data, "verify", signed, "--signers", signers)
    assert (result.exit_code, result.output) == (0, f"{said}\nMarts: not looked at, for want of --marts.\n")


@needs_openssh
@pytest.mark.skipif(shutil.which("ssh-agent") is None, reason="ssh-agent is not installed")
def test_a_key_of_the_agent_is_named_by_its_public_half(data, card, signers, key, tmp_path, monkeypatch):
    socket, private = tmp_path / "agent", tmp_path / "moved"
    public = shutil.copy(key.with_suffix(".pub"), tmp_path / "id.pub")
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert agent.poll() is None
            time.sleep(0.01)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        shutil.copy(key, private)
        subprocess.run(["ssh-add", "-q", str(private)], check=True, stderr=subprocess.DEVNULL)
        private.unlink()
        assert run(data, "card", "--stale", "--sign", public).exit_code == 0
    finally:
        agent.terminate()
        agent.wait()
    assert "Signed by ana@example.org" in run(data, "verify", card, "--signers", signers).output
    assert "No private key found" in refusal(data, "card", "--stale", "--sign", public)


@needs_openssh
@pytest.mark.parametrize("said", ["passphrase", "a text", "a pipe", "nothing"])
def test_what_does_not_sign_leaves_the_card_as_it_was(said, data, card, signed, tmp_path):
    files = [card, card.with_suffix(".json.sig")]
    before = [file.read_bytes() for file in files]
    path = tmp_path / "key"
    if said == "passphrase":
        new_key(path, "of a test")
    elif said == "a text":
        path.write_text("no key\n")
        path.chmod(0o600)
    elif said == "a pipe":
        os.mkfifo(path)
    assert str(path) in refusal(data, "card", "--stale", "--sign", path)
    assert [file.read_bytes() for file in files] == before


@needs_openssh
def test_a_card_that_was_changed_is_not_the_signed_one(data, signed, signers):
    signed.write_text(signed.read_text("utf-8").replace('"fail"', '"pass"'), "utf-8")
    assert "is no signature of this card" in refusal(data, "verify", signed, "--signers", signers)


@needs_openssh
@pytest.mark.parametrize(
    "content", [b"", b"no signature\n", b"-----BEGIN SSH SIGNATURE-----\nU1NI\n", b"\0" * 70_000]
)
def test_what_is_no_signature_is_refused(content, data, signed, signers):
    signature = signed.with_suffix(".json.sig")
    signature.write_bytes(content)
    assert str(signature) in refusal(data, "verify", signed, "--signers", signers)
    signature.unlink()
    os.mkfifo(signature)
    assert "is a folder, a pipe or a device" in refusal(data, "verify", signed, "--signers", signers)
    signature.unlink()
    line = refusal(data, "verify", signed, "--signers", signers)
    assert f"{signature.name} does not exist. `plumbline card --sign KEY`" in line


@needs_openssh
def test_a_signature_of_something_else_by_the_same_key_is_refused(data, signed, signers, key):
    signature = signed.with_suffix(".json.sig")
    signature.unlink()
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(key), str(signed)]
    subprocess.run(command, check=True, capture_output=True)
    assert signature.exists()
    assert "is no signature of this card" in refusal(data, "verify", signed, "--signers", signers)


@needs_openssh
@pytest.mark.parametrize(
    "who",
    [
        "another",
        'ana valid-before="20200101"',
        'ana namespaces="git"',
        "",
        "# nobody",
        "ana ssh-ed25519 AAAA",
    ],
)
def test_an_unknown_signer_is_named_by_the_key(who, data, signed, key, tmp_path):
    signers = tmp_path / "signers"
    allow(signers, who, new_key(tmp_path / "other") if who == "another" else key)
    if not who:
        signers.write_text("")
    line = refusal(data, "verify", signed, "--signers", signers)
    assert "is signed with ED25519 key SHA256:" in line and "does not allow" in line


@needs_openssh
def test_without_ssh_keygen_one_line_says_so(data, signed, signers, key, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "Install OpenSSH" in refusal(data, "verify", signed, "--signers", signers)
    assert "Install OpenSSH" in refusal(data, "card", "--stale", "--sign", key)
    assert run(data, "card", "--stale").exit_code == 0


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("exec sleep 60", "Another program did not do its part"),
        ("exit 3", "no reason given"),
        ("printf '\\033[31mred\\n' >&2; exit 1", r"\x1b[31mred"),
        ("echo 'Good signature'", "no reason given"),
    ],
)
def test_another_ssh_keygen_is_not_believed(does, said, data, card, tmp_path, monkeypatch):
    monkeypatch.setattr(signing, "SECONDS", 0.3)
    program = tmp_path / "bin" / "ssh-keygen"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    for file in (card.with_suffix(".json.sig"), tmp_path / "signers"):
        file.write_text("x")
    assert said in refusal(data, "verify", card, "--signers", tmp_path / "signers")


@needs_openssh
def test_a_signature_goes_with_the_card_that_it_is_of(data, signed, signers, tmp_path):
    signature = signed.with_suffix(".json.sig")
    assert run(data, "card", "--stale").exit_code == 0 and signature.exists()
    write_downloads(data, tmp_path / "site.duckdb", tmp_path)
    published = tmp_path / "static" / "downloads" / signed.name
    assert run(data, "verify", published, "--signers", signers).exit_code == 0
    change(data, "update dim_suites set title = 'Another'")
    write_downloads(data, tmp_path / "again.duckdb", tmp_path / "again")
    assert not list((tmp_path / "again").rglob("*.sig"))
    assert run(data, "card", "--stale").exit_code == 0 and not signature.exists()


# ----------------------------------------------------------------------------------------------- marts


def test_a_card_is_what_its_marts_give_wherever_they_lie(data, card, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    for place in (data, data / AUDIT_NAME, export(data, tmp_path / "out")):
        result = run(elsewhere, "verify", card, "--marts", place)
        assert result.exit_code == 0, result.output
        assert result.output.splitlines() == [
            "Signature: not looked at, for want of --signers.",
            f"The card is what the marts in {place} give.",
            "Fingerprint of the audit: ab12.",
        ]
    assert run(elsewhere, "verify", card).exit_code == 2


def test_the_order_of_rows_is_none_of_the_cards_business(data, card):
    change(data, "create or replace table dim_responses as from dim_responses order by config desc")
    assert run(data, "verify", card).exit_code == 0
    change(data, "insert into dim_responses from dim_responses limit 1")
    assert "dim_responses has other rows" in refusal(data, "verify", card)


@pytest.mark.parametrize("mart", HASHED)
def test_the_first_mart_that_differs_is_named(mart, data, card):
    columns = {"dim_prompts": "domain", "dim_responses": "response_text", "fct_verdicts": "reason"}
    change(data, f"update {mart} set {columns[mart]} = 'forged'")
    assert f"{card}: {mart} has other rows in {data}" in refusal(data, "verify", card)


@pytest.mark.parametrize(
    ("of", "becomes", "named"),
    [
        ('"verdict": "fail", "n": 1', '"verdict": "pass", "n": 1', "'verdicts'"),
        ('"value": 0.3', '"value": 0.03', "'findings'"),
        ("Simulated: a program", "Asked: a program", "'limitations'"),
        ('"model": "m"', '"model": "another"', "'configs'"),
        ('"schema_version": 3', '"schema_version": 3.0', "is not written as it would be"),
        ('"card": ', '"card":  ', "is not written as it would be"),
        ("{\n", '{\n  "more": 1,\n', "is not written as it would be"),
    ],
)
def test_every_part_of_the_card_counts(of, becomes, named, data, card):
    text = card.read_text("utf-8")
    assert of in text
    card.write_text(text.replace(of, becomes, 1), "utf-8")
    assert named in refusal(data, "verify", card)


def test_marts_of_dbt_alone_are_not_called_forged(data, card):
    change(data, "update dim_builds set fingerprint = null")
    said = refusal(data, "verify", card)
    assert "plain `dbt build` made them" in said and "trust neither" not in said
    change(data, "update dim_responses set response_text = 'forged'")
    assert "dim_responses has other rows" in refusal(data, "verify", card)


def test_a_run_after_the_card_was_written_is_not_called_a_forgery(data, card):
    """A look builds the marts of the folder again, and lists itself and no new rows."""
    later = "'z' as run_id, 'watch' as command, timestamp '2100-01-01' as started_at"
    change(data, f"insert into dim_runs select * replace ({later}) from dim_runs limit 1")
    said = refusal(data, "verify", card)
    assert "which list a later run: watch" in said and "trust neither" not in said
    text = card.read_text("utf-8")
    for of, becomes in (("Simulated: a program", "Asked: a program"), ('"card": ', '"card":  ')):
        card.write_text(text.replace(of, becomes, 1), "utf-8")
        assert "trust neither" in refusal(data, "verify", card)


def test_another_version_is_named(data, card):
    text = card.read_text("utf-8")
    card.write_text(text.replace('"A title"', '"T"').replace(f'"{__version__}"', '"0.0.9"'), "utf-8")
    assert "Version 0.0.9 wrote it" in refusal(data, "verify", card)


def test_another_commit_of_the_version_is_named(data, card, monkeypatch):
    """Between two releases all checkouts have one version, and one may write another card than the other."""
    text = card.read_text("utf-8").replace('"A title"', '"T"')
    card.write_text(text, "utf-8")
    monkeypatch.setattr(verify, "commit_of", lambda _: Commit("d" * 40, False))
    assert "marts were built at commit c, this is dddddddd" in refusal(data, "verify", card)
    for own in (Commit("c", True), None):
        monkeypatch.setattr(verify, "commit_of", lambda _, own=own: own)
        assert "at commit" not in refusal(data, "verify", card)
    monkeypatch.setattr(verify, "commit_of", lambda _: Commit("d" * 40, False))
    for build in ("[]", '{"a": 1}', "7"):
        changed = json.loads(text) | {"build": json.loads(build)}
        card.write_text(json.dumps(changed), "utf-8")
        assert "'build' says something else" in refusal(data, "verify", card)


def test_what_came_with_the_marts_is_not_run(data, card, tmp_path):
    """A database's own macro must not take the place of DuckDB's function, nor a view of a table."""
    forged = json.loads(card.read_text("utf-8"))["hashes"][1]["sha256"]
    change(data, f"create macro sha256(text) as '{forged}'")
    assert run(data, "verify", card).exit_code == 0
    change(data, "update dim_responses set response_text = 'forged'")
    assert "dim_responses has other rows" in refusal(data, "verify", card)
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    change(data, f"drop table dim_runs; create view dim_runs as select content from read_text('{secret}')")
    assert "has no table dim_runs" in refusal(data, "verify", card)


def test_damaged_marts_end_in_one_line(data, card, tmp_path):
    out = export(data, tmp_path / "out")
    content = bytearray((out / "dim_responses.parquet").read_bytes())
    content[60:90] = bytes(30)
    content[-60:-30] = bytes(30)
    (out / "dim_responses.parquet").write_bytes(content)
    said = refusal(data, "verify", card, "--marts", out)
    assert "dim_responses.parquet" in said and "`plumbline export`" in said and "loaded" not in said
    (out / "dim_responses.parquet").unlink()
    assert "dim_responses.parquet" in refusal(data, "verify", card, "--marts", out)
    (data / AUDIT_NAME).write_bytes(b"no database")
    assert AUDIT_NAME in refusal(data, "verify", card)
    assert "nowhere does not exist" in refusal(data, "verify", card, "--marts", tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"hashes": 1}',
        '{"hashes": [{"mart": "dim_prompts", "md5": "x"}]}',
        "9" * 5_000,
    ],
)
def test_what_is_no_card_is_refused(content, data, card):
    card.write_text(content, "utf-8")
    assert f"{card} is no audit card" in refusal(data, "verify", card)
    card.write_text('{"hashes": []}', "utf-8")
    assert "has no hash of dim_prompts" in refusal(data, "verify", card)
    card.unlink()
    os.mkfifo(card)
    assert "is a folder, a pipe or a device" in refusal(data, "verify", card)


def test_card_and_gate_say_between_which_groups_a_finding_lies(built):
    """A gap has no group of its own, and whoever has a line of it has to know who is treated how."""
    (finding,) = json.loads((built / f"{NAME}.json").read_text("utf-8"))["findings"]
    assert (finding["group_high"], finding["value_high"], finding["n_group_low"]) == ("Female", 0.75, 40)
    told = (built / f"{NAME}.md").read_text("utf-8")
    assert (
        r". Farthest apart in a\|b: Female 0.75 (n 1,200), Male 0.4 (n 40). This gap may be chance. This gap"
        " depends on race"
    ) in told
    gate = run(built, "gate", "--stale")
    assert gate.exit_code == 1
    (line,) = [one for one in gate.stdout.splitlines() if one.startswith("fail")]
    assert line.endswith(
        ". Farthest apart in a|b: Female 0.75 (n 1,200), Male 0.4 (n 40)."
        " This gap may be chance. This gap depends on race  [C-gender-0]"
    )


def test_names_from_right_to_left_do_not_move_the_numbers_of_the_card(data):
    change(data, "update fct_contrasts set group_low = 'زيد', measure = 'response_status', outcome = 'ok'")
    change(data, "update fct_verdicts set measure = 'response_status', config = 'نموذج 7B'")
    change(data, "update fct_contrasts set config = 'نموذج 7B'")
    assert run(data, "card", "--stale").exit_code == 0
    told = (data / f"{NAME}.md").read_text("utf-8")
    assert "fail \u2068نموذج 7B\u2069: C response" in told and "| \u2068نموذج 7B\u2069 |" in told
    assert ". Farthest apart in answered: Female 0.75 (n 1,200), \u2068زيد\u2069 0.4 (n 40)" in told


def test_a_ratio_is_told_by_the_rates_that_it_is_of(data):
    """The widest gap of one outcome may lie the other way; where it is the rates' own, it is told."""
    change(data, "update fct_verdicts set metric = 'min_impact_ratio' where verdict = 'fail'")
    assert run(data, "card", "--stale").exit_code == 0
    told = (data / f"{NAME}.md").read_text("utf-8")
    assert ". Farthest apart in yes or perhaps: Male 0.75 (n 80), Female 0.5 (n 80)" in told
    change(data, "update fct_favourable_gaps set is_of_one_outcome = true")
    assert run(data, "card", "--stale").exit_code == 0
    assert r". Farthest apart in a\|b: Female 0.75" in (data / f"{NAME}.md").read_text("utf-8")
