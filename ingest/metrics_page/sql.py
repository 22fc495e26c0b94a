"""Macros, models and seeds of this project on an in-memory database, without dbt."""

import glob
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import duckdb
import jinja2

ENVIRONMENT = jinja2.Environment(
    undefined=jinja2.StrictUndefined, autoescape=False, extensions=["jinja2.ext.do"]
)


@cache
def _compiled(text: str) -> CodeType:
    # All macros take half a second to compile, and each database has them.
    return ENVIRONMENT.compile(text)


class Sql:
    """Macros and models of this project on an in-memory database; `ref('x')` is the table x."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.connection = duckdb.connect()
        self.names: dict[str, Any] = {"ref": lambda name: name, "return": lambda value: value}
        # No contract is known here: a model's last select takes every column that comes in.
        self.names["model"] = SimpleNamespace(columns={})
        self.names["adapter"] = SimpleNamespace(
            dispatch=lambda name, _: self.names[f"duckdb__{name}"], quote=lambda name: f'"{name}"'
        )
        files = [path.read_text(encoding="utf-8") for path in sorted((project / "macros").rglob("*.sql"))]
        # How dbt puts a model into the database is no formula, and in a language of dbt's own.
        sources = "\n".join(text for text in files if "{% materialization " not in text)
        # One template, because a macro sees those that stand in its own.
        macros = self._template(sources).module
        self.names |= {name: macro for name, macro in vars(macros).items() if not name.startswith("_")}

    def render(self, sql: str) -> str:
        """Return SQL with its macros filled in."""
        return self._template(sql).render()

    def _template(self, text: str) -> jinja2.Template:
        return jinja2.Template.from_code(ENVIRONMENT, _compiled(text), ENVIRONMENT.make_globals(self.names))

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return all rows of a query in which macros may occur, as mappings."""
        cursor = self.connection.execute(self.render(sql), list(parameters))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def table(self, name: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Create a table, column -> type, and fill it."""
        columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
        self.connection.execute(f'create table "{name}" ({columns})')
        if rows:
            marks = ", ".join([f"({', '.join('?' * len(types))})"] * len(rows))
            self.connection.execute(f'insert into "{name}" values {marks}', list(chain.from_iterable(rows)))

    def query(self, name: str, sql: str) -> None:
        """Create a table from a query in which macros may occur."""
        self.connection.execute(f'create table "{name}" as {self.render(sql)}')

    def model(self, name: str) -> None:
        """Build a model of this project as a table of its own name."""
        (path,) = (self.project / "models").rglob(f"{name}.sql")
        self.query(name, path.read_text(encoding="utf-8"))

    def seed(self, name: str) -> None:
        """Load a seed as a table of its own name; what is empty is null."""
        path = glob.escape(str(self.project / "seeds" / f"{name}.csv")).replace("'", "''")
        self.connection.execute(f"create table \"{name}\" as from read_csv('{path}', header = true)")
