"""Suites as YAML: how drafts and published benchmarks are written."""

from typing import Any

import yaml

from ingest.errors import printable


class Line(dict[str, Any]):
    """A mapping that stands in a line of its own."""


class _Dumper(yaml.SafeDumper):
    """Writes out what stands twice, and escapes what an editor would not show, or show in another order."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def analyze_scalar(self, scalar: str) -> Any:
        found = super().analyze_scalar(scalar)
        if _hides(scalar):
            found.allow_flow_plain = found.allow_block_plain = False
            found.allow_single_quoted = found.allow_block = False
        return found

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        as_it_is = self.allow_unicode
        self.allow_unicode = as_it_is and not _hides(text)
        super().write_double_quoted(text, split)
        self.allow_unicode = as_it_is


_Dumper.add_representer(
    Line, lambda dumper, line: dumper.represent_mapping("tag:yaml.org,2002:map", line, flow_style=True)
)


def written(content: Any, width: int = 160, is_one_line: bool = False) -> str:
    r"""Return a part of a suite as YAML.

    >>> written({"labels": ["yes", "s\u202Eey"]}, width=80, is_one_line=True)
    '{labels: [\'yes\', "s\\u202Eey"]}\n'
    """
    return yaml.dump(
        content,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=width,
        default_flow_style=is_one_line,
    )


def _hides(text: str) -> bool:
    return any(printable(line) != line for line in text.replace("\t", "\n").split("\n"))
