"""Errors that a user can mend."""

import click


class PlumblineError(click.ClickException):
    """What happened, then what to do about it; no traceback, exit status 1."""

    def __init__(self, what: str, what_to_do: str = "") -> None:
        self.what = what
        self.what_to_do = what_to_do
        super().__init__(f"{what}\n{what_to_do}" if what_to_do else what)
