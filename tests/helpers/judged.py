"""A suite whose judge is a server on loopback, which replies as a test says."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml
from click.testing import CliRunner

from ingest.cli import cli
from ingest.store import Store

SUITE = {
    "suite": "judged",
    "title": "Judged",
    "version": 1,
    "attributes": {"gender": {"Male": {"words": ["man"]}, "Female": {"words": ["woman"]}}},
    "axes": ["gender"],
    "configs": [{"backend": "simulated", "model": "simulated"}],
    "categories": {
        "H": {
            "title": "Hiring",
            "prompts": ["Would you hire this {gender}? Case {case}."],
            "slots": {"case": ["1", "2", "3", "4"]},
            "outcomes": [{"set": "decision", "kind": "judged", "scorer": "decider", "favourable": ["hire"]}],
            "simulated": {
                "answers": {"hire": ["I would hire the {gender}."], "pass": ["I would not."]},
                "weights": {"hire": 1, "pass": 1},
            },
        }
    },
}
JUDGE = {"kind": "judge", "name": "decider", "rubric": "Does it hire?", "labels": ["hire", "pass"]}


def vote(said, reason="because"):
    return json.dumps({"reason": reason, "label": said})


@contextmanager
def judge_server(reply):
    """Run a server that answers a question with reply(question): a text, or (status, headers)."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            content = json.loads(self.rfile.read(int(self.headers["content-length"])))
            question = content["messages"][-1]["content"]
            asked.append({"question": question, **content, "key": self.headers.get("authorization")})
            found = reply(question)
            status, headers, text = (200, {}, found) if isinstance(found, str) else (*found, "no")
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            body = json.dumps({"model": content["model"], "choices": [choice]}).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()


class Judged:
    """A data folder with simulated answers, and judges that read them."""

    def __init__(self, folder):
        self.folder, self.data, self.path = folder, folder / "data", folder / "suite.yml"

    def write(self, url=None, models=("one",), rule=None, **changes):
        configs = [{"backend": "openai", "model": model, "base_url": url} for model in models]
        judge = {**JUDGE, "config": configs, **changes}
        suite = json.loads(
            json.dumps({**SUITE, "scorers": [{k: v for k, v in judge.items() if v is not None}]})
        )
        if rule:
            suite["categories"]["H"]["outcomes"] = [rule]
        self.path.write_text(yaml.safe_dump(suite, sort_keys=False), "utf-8")
        return self

    def run(self, command, *options):
        arguments = ["--data", str(self.data), command, "--suite", str(self.path), *options]
        result = CliRunner().invoke(cli, arguments)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def ask(self):
        for command in ("assemble", "generate"):
            assert self.run(command).exit_code == 0
        return self

    def extract(self, *options):
        return self.run("extract", *options)

    def rows(self, sql):
        with Store(self.data, read_only=True) as store:
            return store.rows(sql)

    def votes(self):
        """Return text -> (label or number, status, attempts)."""
        rows = self.rows(
            "select text, coalesce(label, cast(value as varchar)), response_status, n_attempts"
            " from judge_votes join texts using (text_key)"
        )
        return {text: tuple(found) for text, *found in rows}
