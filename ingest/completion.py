"""Command completion: what a shell runs so that Tab completes commands, options and names of the audit."""

import click
from click.shell_completion import get_completion_class

VARIABLE = "_PLUMBLINE_COMPLETE"  # set by the shell's function, read by click
SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print what makes the Tab key complete commands, options, questions and names of verdicts.

    \b
    plumbline completion bash >> ~/.bashrc
    plumbline completion zsh >> ~/.zshrc
    plumbline completion fish > ~/.config/fish/completions/plumbline.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click has all of SHELLS
    click.echo(kind(context.find_root().command, {}, "plumbline", VARIABLE).source())
