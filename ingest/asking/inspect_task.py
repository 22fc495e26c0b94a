"""A suite as a task of Inspect (inspect-ai): its prompts as a data set, and the task that asks them.

Whoever has Inspect asks with it, and `plumbline load` brings the log back: each sample knows its prompt.
"""

import json
from pathlib import Path
from typing import Any

from ingest.asking.flagged import ASKED_PROMPTS, asked_parameters
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.suite import Suite
from ingest.suite.sources import Columns

SAMPLES, SETTINGS, TASK = "samples.jsonl", "settings.json", "task.py"
MARK = "plumbline_suite"  # in each sample's metadata: the suite that it is of

# Nothing of the suite stands in the code: what the task needs is read from the files beside it.
CODE = '''"""A suite's prompts: inspect eval task.py --model NAME, then plumbline load logs/*.eval."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ChatMessageSystem, GenerateConfig
from inspect_ai.solver import generate, solver

HERE = Path(__file__).parent
SETTINGS = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))


@solver
def says_first(text: str):
    """Put the role's system prompt before the question, as it is written."""

    async def solve(state, generate):
        if text:
            state.messages.insert(0, ChatMessageSystem(content=text))
        return state

    return solve


@task
def ask(role: str = SETTINGS["default_role"]) -> Task:
    """Ask every prompt, as often as the suite says."""
    return Task(
        dataset=json_dataset(str(HERE / "samples.jsonl")),
        solver=[says_first(SETTINGS["roles"][role]), generate()],
        epochs=SETTINGS["repeats"],
        config=GenerateConfig(**SETTINGS["options"]),
    )
'''
KNOWN_OPTIONS = ("temperature", "top_p", "max_tokens", "seed")

# What `load` takes from the log of such a task.
COLUMNS = {
    "response": "response",
    "prompt": "metadata.prompt",
    "model": "model",
    "category": "metadata.category",
    "repeat": "repeat",
    "source_id": "id",
    "root": "metadata.root",
    "name": "metadata.name",
    "status": "status",
    "role": "task_args.role",
    "options": "options",
    "finish_reason": "finish_reason",
    "served_model": "served_model",
    "prompt_tokens": "prompt_tokens",
    "output_tokens": "output_tokens",
}


def exported_columns(suite: Suite) -> Columns:
    """Return where the log of an exported suite holds what."""
    attributes = {name: f"metadata.attributes.{name}" for name in suite.attributes}
    return Columns.model_validate({**COLUMNS, "attributes": attributes})


def write_task(store: Store, suite: Suite, folder: Path) -> int:
    """Write data set, settings and task; return how many prompts there are.

    Raises PlumblineError where none are made yet, or where configs differ in what one task cannot say.
    """
    templates = {config.template for config in suite.grid} or {"{prompt}"}
    repeats = {config.repeats for config in suite.grid} or {1}
    if len(templates) > 1 or len(repeats) > 1:
        raise PlumblineError(
            "The suite's configs differ in `template:` or `repeats:`; a task of Inspect has one of each.",
            "Give the configs the same.",
        )
    rows = store.rows(
        f"""
        select p.prompt_key, p.prompt, p.category, p.root_key, p.keyword, p.attributes
        from prompts as p where {ASKED_PROMPTS} order by p.root_key, p.prompt_key
        """,
        asked_parameters(suite),
    )
    if not rows:
        raise PlumblineError(
            f"No prompts of suite {suite.suite} are made yet.", "Run `plumbline assemble --suite FILE` first."
        )
    (template,), (n_repeats,) = templates, repeats
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / SAMPLES).open("w", encoding="utf-8") as file:
        for prompt_key, prompt, category, root_key, name, attributes in rows:
            said: dict[str, Any] = {
                MARK: suite.suite,
                "prompt": prompt,
                "category": category,
                "root": root_key,
            }
            said |= {"name": name, "attributes": attributes}
            sample = {"id": prompt_key, "input": template.replace("{prompt}", prompt), "metadata": said}
            file.write(json.dumps(sample, ensure_ascii=False) + "\n")
    roles = {config.role: config.system_prompt for config in suite.grid} or {"": ""}
    first = suite.grid[0].options if suite.grid else {}
    settings = {
        "repeats": n_repeats,
        "roles": roles,
        "default_role": next(iter(roles)),
        "options": {name: first[name] for name in KNOWN_OPTIONS if isinstance(first.get(name), int | float)},
    }
    (folder / SETTINGS).write_text(
        json.dumps(settings, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    (folder / TASK).write_text(CODE, encoding="utf-8")
    return len(rows)
