"""What dbt wrote of a project's nodes, kept for the next build."""

from ingest.warehouse import project as kept_project
from ingest.warehouse.project import MOST_QUERIES, Node, Project, project_inputs


def node(name):
    made = ("main", name, None, "table", None, [], "code", f"{name}.sql", False, False, [], "")
    return Node("model", ["p", name], [], *made)


def test_what_two_builds_write_at_once_is_kept_of_both(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_project, "_kept_in", lambda: tmp_path)
    nodes = {name: node(name) for name in ("a", "b")}
    one, other = (Project(project_inputs(), nodes, {}, True) for _ in range(2))
    one.add_query("a", "x", "select 1")
    one.keep()
    other.add_query("b", "x", "select 2")
    other.keep()
    assert Project.kept().queries == {"a": {"x": "select 1"}, "b": {"x": "select 2"}}
    other.queries["a"] = {str(i): "select 3" for i in range(MOST_QUERIES)}
    other.keep()
    assert "x" not in Project.kept().queries["a"]  # the oldest goes
    Project("another project", nodes, {}, True).keep()
    assert Project.kept().queries == {}
