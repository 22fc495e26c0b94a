"""The GitHub Action: its file says what its script takes, and its steps do what they say, without GitHub.

`plumbline` and `gh` are small scripts here that write down how they were called.
"""

import json
import os
import re
import shutil
import stat
import subprocess

import pytest
import yaml
from click.testing import CliRunner

from ingest.cli import cli
from ingest.paths import PROJECT

ACTION = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
EXAMPLE = PROJECT / "docs" / "guide" / "over-time.md"
SECRET = "ghs_very-secret-token"
HOSTILE = "$(touch pwned); `touch pwned` 'x"
PLUMBLINE = r"""#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
folder = Path(os.environ["CALLS"])
with (folder / "plumbline.jsonl").open("a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\n")
data, command = Path(sys.argv[2]), sys.argv[3]
if command == "audit":
    data.mkdir(exist_ok=True)
    card = '{\n  "fingerprint": "abc123",\n  "x": {\n    "fingerprint": "no",\n'
    (data / "audit_card.json").write_text(card)
    (data / "audit_card.md").write_text("# Audit card by @somebody\n" + "é" * 40000)
elif command == "gate":
    print("demo  pass: 3\nfail  m: A1 job by x: v 0.4\nfail  m: A2 job by x: v 0.5")
    sys.exit(1)
elif command == "watch":
    print(os.environ.get("SAID", "Look 2 of 12: 0 of 4 numbers changed."))
    sys.exit(int(os.environ.get("STATUS", "0")))
"""
GH = r"""#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
with (Path(os.environ["CALLS"]) / "gh.jsonl").open("a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\n")
    for word in sys.argv:
        if word.startswith("body=@"):
            (Path(os.environ["CALLS"]) / "body.md").write_bytes(Path(word[6:]).read_bytes())
if "--method" in sys.argv:
    sys.exit(int(os.environ.get("GH_STATUS", "0")))
print(os.environ.get("KNOWN", ""))
"""


@pytest.fixture
def step(tmp_path):
    """Run a step of the action as GitHub would; return its result and what it called."""
    for name, text in (("plumbline", PLUMBLINE), ("gh", GH)):
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    output = tmp_path / "output"

    def run(name, **environment):
        given = {
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "CALLS": str(tmp_path),
            "GITHUB_ACTION_PATH": str(PROJECT), "PLUMBLINE": str(tmp_path / "bin" / "plumbline"),
            "PLUMBLINE_DATA": str(tmp_path / "data"), "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "GITHUB_REPOSITORY": "o/r",
            "SUITE": "suites/a b.yml", "GH_TOKEN": SECRET, "PULL_REQUEST": "7", **environment,
        }  # fmt: skip
        command = ["bash", "-e", "-o", "pipefail", "-c", STEPS[name]["run"]]
        done = subprocess.run(command, env=given, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert SECRET not in done.stdout + done.stderr
        return done

    def calls(of):
        file = tmp_path / f"{of}.jsonl"
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []

    run.calls = calls
    run.outputs = lambda: dict(line.split("=", 1) for line in output.read_text("utf-8").splitlines())
    run.folder = tmp_path
    return run


def test_steps_are_lines_of_the_script_and_take_what_they_are_told_by_the_environment_alone():
    script = (PROJECT / "scripts" / "action.sh").read_text("utf-8")
    for name, one in STEPS.items():
        assert re.fullmatch(r'"\$GITHUB_ACTION_PATH/scripts/action\.sh" [a-z]+', one["run"]), name
        for variable in one.get("env", {}):
            assert variable == "GH_TOKEN" or f"{variable}" in script, variable
    used = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
    told = set(re.findall(r"^\s*tell ([a-z]+)", script, re.MULTILINE))
    assert told == set(ACTION["outputs"])
    assert "WATCH_OPTIONS" in STEPS["Audit"]["env"]
    options = {"audit": "--no-site --responses", "watch": "--once"}
    for command, names in options.items():
        said = CliRunner().invoke(cli, [command, "--help"]).output
        assert all(re.search(rf"{name}\b", said) for name in names.split()), command


def test_answers_are_kept_before_the_gate_also_where_a_step_failed():
    steps = ACTION["runs"]["steps"]
    caches = [step for step in steps if step.get("uses", "").startswith("actions/cache")]
    restored, saved = caches
    assert [one["uses"] for one in caches] == ["actions/cache/restore@v4", "actions/cache/save@v4"]
    assert saved["if"] == "always()" and all(restored["with"][x] == saved["with"][x] for x in ("path", "key"))
    assert (
        steps.index(restored) < steps.index(STEPS["Audit"]) < steps.index(saved) < steps.index(STEPS["Gate"])
    )


def test_an_audit_is_told_its_files_and_options_as_they_are(step):
    told = {"RESPONSES": "a b.csv\n\nc.csv\n", "OPTIONS": f"--budget=5\n  \n{HOSTILE}", "SITE": "false"}
    done = step("Audit", **told)
    assert done.returncode == 0, done.stderr
    data = str(step.folder / "data")
    files = ["--responses", "a b.csv", "--responses", "c.csv"]
    first = ["audit", "suites/a b.yml", *files, "--budget=5", HOSTILE, "--no-site"]
    assert step.calls("plumbline") == [["--data", data, *first], ["--data", data, "gate"]]
    assert not (step.folder / "pwned").exists()
    told = {"fingerprint": "abc123", "failing": "2", "changed": "false", "site": ""}
    assert step.outputs() == {**told, "card": f"{data}/audit_card.md"}
    assert "# Audit card by &#64;somebody" in (step.folder / "summary.md").read_text("utf-8")
    assert step("Gate").returncode == 1


@pytest.mark.parametrize(
    ("status", "said", "changed"),
    [
        (0, "Look 2 of 12: 0 of 4 numbers changed.", "false"),
        (1, "worse x\nLook 9 of 12: 1 of 4 numbers changed.", "true"),
    ],
)
def test_a_look_is_taken_before_the_site_and_an_alarm_fails_the_gate_alone(step, status, said, changed):
    done = step("Audit", WATCH="true", STATUS=str(status), SAID=said)
    assert done.returncode == 0, done.stderr
    assert [call[2] for call in step.calls("plumbline")] == ["audit", "watch", "audit", "gate"]
    assert "--no-site" in step.calls("plumbline")[0] and "--site" in step.calls("plumbline")[2]
    assert step.outputs()["changed"] == changed and step.outputs()["site"].endswith("reports/build")
    assert (said in step("Gate", CHANGED=changed).stdout) is (changed == "true")


def test_options_of_a_look_are_told_to_the_look_alone(step):
    assert (
        step("Audit", WATCH="true", OPTIONS="--budget=5", WATCH_OPTIONS=f"--looks=26\n{HOSTILE}\n").returncode
        == 0
    )
    first, look, last, _ = (call[2:] for call in step.calls("plumbline"))
    assert look == ["watch", "suites/a b.yml", "--once", "--budget=5", "--looks=26", HOSTILE]
    assert first[2:] == ["--no-site", "--budget=5"] and last[2:] == ["--budget=5", "--site"]


def test_the_end_of_a_plan_is_a_warning_and_its_last_alarm_stays(step):
    said = "All 12 looks are taken. …\nworse x\nLook 12 of 12: 1 of 4 numbers changed."
    done = step("Audit", WATCH="true", STATUS="1", SAID=said)
    assert done.returncode == 0 and "::warning::The plan of looks has ended" in done.stdout
    assert step.outputs()["changed"] == "true"


def test_a_look_asks_so_there_are_no_files_of_answers_with_it(step):
    done = step("Audit", WATCH="true", RESPONSES="a.csv")
    assert done.returncode == 2 and done.stdout.startswith("::error::") and not step.calls("plumbline")


def test_a_look_that_broke_stops_the_job(step):
    assert step("Audit", WATCH="true", STATUS="1", SAID="Error: no key").returncode == 1


@pytest.mark.parametrize(
    ("known", "method", "place"),
    [("", "POST", "repos/o/r/issues/7/comments"), ("42", "PATCH", "repos/o/r/issues/comments/42")],
)
def test_one_comment_is_written_and_then_written_anew(step, known, method, place):
    step("Audit", SITE="false")
    done = step("Comment", KNOWN=known)
    assert done.returncode == 0 and "warning" not in done.stdout, done.stderr
    looked, wrote = step.calls("gh")
    assert looked[:3] == ["api", "--paginate", "repos/o/r/issues/7/comments"]
    assert wrote[:4] == ["api", "--method", method, place]
    body = (step.folder / "body.md").read_text("utf-8")  # cut between letters
    assert (
        body.startswith("<!-- plumbline -->\n# Audit card by &#64;somebody") and len(body.encode()) < 65_536
    )


@pytest.mark.skipif(not shutil.which("jq"), reason="there is no jq")
def test_the_comment_of_a_person_is_never_written_anew(step):
    step("Audit", SITE="false")
    step("Comment")
    asked = step.calls("gh")[0]
    mark = "<!-- plumbline -->"
    comments = [
        {"id": 1, "user": {"type": "User"}, "body": f"{mark} mine"},
        {"id": 2, "user": {"type": "Bot"}, "body": f"Look: {mark}"},
        {"id": 3, "user": {"type": "Bot"}, "body": f"{mark}\ncard"},
    ]
    chosen = subprocess.run(
        ["jq", asked[asked.index("--jq") + 1]], input=json.dumps(comments), capture_output=True, text=True
    )
    assert chosen.stdout.split() == ["3"], chosen.stderr


def test_a_token_that_may_not_write_is_a_warning(step):
    step("Audit", SITE="false")
    done = step("Comment", GH_STATUS="1")
    assert done.returncode == 0 and "::warning::" in done.stdout


def test_the_example_workflow_uses_the_action_as_it_is():
    (text,) = re.findall(r"^```yaml\n(name: .*?)^```", EXAMPLE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    workflow = yaml.safe_load(text)
    used = [
        one for job in workflow["jobs"].values() for one in job["steps"] if "plumbline" in one.get("uses", "")
    ]
    assert used
    for one in used:
        assert set(one["with"]) <= set(ACTION["inputs"])
    outputs = set(re.findall(r"steps\.audit\.outputs\.([a-z]+)", text))
    assert outputs <= set(ACTION["outputs"]) and "pull_request" in text and "schedule" in text
    assert workflow["permissions"] == {"contents": "read"}
