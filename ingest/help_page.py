"""The commands as a page: docs/guide/commands.md, written from their own help."""

from copy import copy
from pathlib import Path

import click

PAGE = Path("docs/guide/commands.md")
WIDTH = 100
INTRODUCTION = """# Commands

`plumbline docs` writes this page from the commands' own help, and
`plumbline docs --check` says when it is stale."""


def render(command: click.Command) -> str:
    """Return the page: the help of a command, such as `plumbline`, and of each command in it."""
    root = click.Context(command, info_name="plumbline", terminal_width=WIDTH, **command.context_settings)
    contexts = [root]
    if isinstance(command, click.Group):
        for name, one in sorted(command.commands.items()):
            fresh = copy(one)
            fresh._help_option = None  # click keeps the first, without -h where the command ran by itself
            contexts.append(click.Context(fresh, info_name=name, parent=root))
    entries = (f"## {context.info_name}\n\n```\n{context.get_help()}\n```" for context in contexts)
    return "\n\n".join([INTRODUCTION, *entries]) + "\n"
