"""The commands as a page: docs/guide/commands.md, written from their own help."""

from collections.abc import Iterator
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
    contexts += _within(root)
    entries = (f"## {_title(context)}\n\n```\n{context.get_help()}\n```" for context in contexts)
    return "\n\n".join([INTRODUCTION, *entries]) + "\n"


def _within(parent: click.Context) -> Iterator[click.Context]:
    """The commands of a group, and of the groups in it, by name."""
    if isinstance(parent.command, click.Group):
        for name in sorted(parent.command.list_commands(parent)):
            fresh = copy(parent.command.get_command(parent, name))
            assert fresh is not None
            fresh._help_option = None  # click keeps the first, without -h where the command ran by itself
            context = click.Context(fresh, info_name=name, parent=parent)
            yield context
            yield from _within(context)


def _title(context: click.Context) -> str:
    return context.command_path.partition(" ")[2] or context.command_path
