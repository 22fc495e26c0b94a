"""Azure OpenAI: OpenAI's chat completions of a deployment, with a header and addresses of its own."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ingest.asking.identity import is_same_model
from ingest.backends import About, Answer, Request
from ingest.backends.batches import Served
from ingest.backends.openai import OPTIONS, OpenAIBackend
from ingest.backends.replies import Option
from ingest.errors import PlumblineError
from ingest.suite import Config

V1 = "/openai/v1"
DEPLOYMENT = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
VERSION = re.compile(r"\d{4}-\d\d-\d\d(-preview)?")


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


class AzureBackend(OpenAIBackend):
    """Asks POST BASE_URL/openai/v1/chat/completions, or that of a dated version of the API.

    A request names a deployment, a reply the model behind it: `model` is the model, `deployment` its
    deployment where that has another name.
    """

    name = "azure"
    batched: ClassVar[type[Served] | None] = None  # they want a deployment of another kind
    example = "https://your-resource.openai.azure.com"
    known: ClassVar[Mapping[str, Option]] = {
        **OPTIONS,
        "deployment": Option(None, _matches(DEPLOYMENT), "the deployment's name"),
        "api_version": Option(None, _matches(VERSION), "a date in quotation marks, such as '2024-10-21'"),
    }

    def content(self, request: Request, options: dict[str, Any]) -> dict[str, Any]:
        """Return what is sent."""
        own = {"deployment", "api_version"}
        sent = {name: value for name, value in options.items() if name not in own}
        return {**super().content(request, sent), "model": _deployment(request.config)}

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the header with the key."""
        return {} if key is None else {"api-key": key}

    def url(self, config: Config) -> str:
        """Return where a request goes."""
        base = self.base_url(config).removesuffix(V1)
        version = config.options.get("api_version")
        if version is None:
            return f"{base}{V1}/chat/completions"
        deployment = _deployment(config)
        return f"{base}/openai/deployments/{deployment}/chat/completions?api-version={version}"

    def answer(self, request: Request) -> Answer:
        """Ask once. A probe also says where the deployment's name is no model's."""
        answer = super().answer(request)
        config, served = request.config, answer.served_model
        is_named = "deployment" in config.options or not served or is_same_model(config.model, served)
        if request.is_probe and served and not is_named:
            raise PlumblineError(
                f"{config.model}: this deployment answers as {served[:60]!r}.",
                f"Write `model: {served[:60]}` and `options: {{deployment: {config.model}}}`.",
            )
        return answer


def _deployment(config: Config) -> str:
    name = str(config.options.get("deployment", config.model))
    if not DEPLOYMENT.fullmatch(name):
        raise PlumblineError(
            f"The config {config.model!r} has no name of a deployment as its model.",
            "Write `options: {deployment: …}`.",
        )
    return name


BACKENDS = {"azure": AzureBackend}
ABOUT = {
    "azure": About("a deployment of Azure OpenAI", "`base_url` of the resource, a key, the deployment's name")
}
