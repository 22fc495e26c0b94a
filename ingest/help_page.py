"""The commands as a page: docs/guide/commands.md, written from their own help."""

from pathlib import Path

import click

PAGE = Path("docs/guide/commands.md")
WIDTH = 100
INTRODUCTION = """# Commands

`plumbline docs` writes this page from the commands' own help, and
`plumbline docs --check` says when it is stale."""


def render(group: click.Group) -> str:
    """Return the page: the help of `plumbline` and of each of its commands."""
    root = click.Context(group, info_name="plumbline", terminal_width=WIDTH, **group.context_settings)
    contexts = [root]
    for name in group.list_commands(root):
        command = group.get_command(root, name)
        assert command is not None, name
        contexts.append(click.Context(command, info_name=name, parent=root))
    entries = (f"## {context.info_name}\n\n```\n{context.get_help()}\n```" for context in contexts)
    return "\n\n".join([INTRODUCTION, *entries]) + "\n"
