"""A local model through transformers: safetensors only, no code from a repository, no download."""

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ingest.asking.first_tokens import ALTERNATIVES, LEADING, first_tokens
from ingest.backends import About, Answer, Description, Message, Request
from ingest.backends.replies import (
    PROBABILITIES,
    SAMPLING,
    Option,
    is_whole,
    options_in_force,
    read_reply,
    request_seed,
)
from ingest.errors import PlumblineError
from ingest.scorers.model_files import DEVICES, digest_of, library, load_part, pick_device
from ingest.suite import Config, Suite

ASKER = "The backend `transformers`"
CPU = "`options: {device: cpu}`"  # how a suite asks for the processor
OPTIONS: Mapping[str, Option] = {
    **SAMPLING,
    **PROBABILITIES,
    "max_new_tokens": Option(512, is_whole(1, 1_000_000), "a whole number of tokens from 1"),
    "device": Option("auto", lambda value: value in DEVICES, f"one of {', '.join(DEVICES)}"),
}


class Loaded(NamedTuple):
    """A model in memory, ready to answer."""

    model: Any
    tokenizer: Any
    device: str


class TransformersBackend:
    """Answers with a model of a local folder, or of the hub's cache on this machine.

    Each request draws from its own stream of random numbers, so that its answer does not depend on which
    requests it shares a batch with (up to rounding in the model).
    """

    name = "transformers"
    # What fails here fails the same way again.
    asked_again: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._torch = library("torch", ASKER)
        # A model of 1 billion weights on an H200: 56 tokens a second alone, 699 of 16, 1,835 of 64.
        self.n_together = 64 if self._torch.cuda.is_available() else 16
        self._transformers = library("transformers", ASKER)
        self._loaded: tuple[tuple[str, str], Loaded] | None = None
        self._lock = threading.Lock()

    def describe(self, config: Config) -> Description:
        """Return a hash of the model's files; the chat template is the tokeniser's."""
        options = options_in_force(config, OPTIONS)
        folder = self._folder(config)
        tokenizer = load_part(folder, self._transformers.AutoTokenizer)
        settings = load_part(folder, self._transformers.AutoConfig)
        return Description(
            digest=digest_of(folder),
            options={**options, "device": pick_device(options["device"], CPU)},
            quantisation=str(getattr(settings, "dtype", None) or "").removeprefix("torch."),
            template=tokenizer.chat_template or "",
            server_version=f"transformers {self._transformers.__version__}, torch {self._torch.__version__}",
            details={
                "family": settings.model_type,
                "context_length": getattr(settings, "max_position_embeddings", None),
            },
        )

    def answer(self, request: Request) -> Answer:
        """Answer one request."""
        return self.answer_together([request])[0]

    def answer_together(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer requests of one config in one batch, in halves where the memory does not suffice."""
        with self._lock:
            loaded = self._load(requests[0].config)
            return self._answer(loaded, requests)

    def _answer(self, loaded: Loaded, requests: Sequence[Request]) -> list[Answer]:
        try:
            return self._generate(loaded, requests)
        except self._torch.OutOfMemoryError as error:
            if len(requests) == 1:
                raise PlumblineError(
                    f"{requests[0].config.model} does not fit into the memory of {loaded.device}.",
                    "Lower `options: {max_new_tokens: …}`, or take a smaller model.",
                ) from error
        middle = len(requests) // 2
        return [*self._answer(loaded, requests[:middle]), *self._answer(loaded, requests[middle:])]

    def _generate(self, loaded: Loaded, requests: Sequence[Request]) -> list[Answer]:
        torch, tokenizer = self._torch, loaded.tokenizer
        config = requests[0].config
        options = options_in_force(config, OPTIONS)
        n_most = options["max_new_tokens"]
        stops = [options["stop"]] if isinstance(options.get("stop"), str) else options.get("stop") or []
        started = time.monotonic()
        tokens = [prompt_tokens(tokenizer, request.messages) for request in requests]
        context = getattr(loaded.model.config, "max_position_embeddings", None)
        fits = [context is None or len(row) + n_most <= context for row in tokens]
        answers: dict[int, Answer] = {}
        for i, row in enumerate(tokens):
            if not fits[i]:
                why = f"not asked: {len(row):,} tokens and {n_most:,} for the answer, {context:,} fit"
                answers[i] = Answer(None, "prompt_truncated", None, len(row), n_attempts=0, error=why)
        asked = [i for i, is_short in enumerate(fits) if is_short]
        if asked:
            padded = tokenizer.pad(
                {"input_ids": [tokens[i] for i in asked]}, padding_side="left", return_tensors="pt"
            )
            ends = _token_ids(loaded.model.generation_config.eos_token_id)
            settings = self._transformers.GenerationConfig(
                max_new_tokens=n_most,
                do_sample=False,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=ends or None,
                stop_strings=stops or None,
            )
            seeds = [request_seed(requests[i]) for i in asked]
            draw = [self._draw(options, seeds)] if options["temperature"] else []
            kept: list[Any] = []
            if ALTERNATIVES in options:
                # Before anything is drawn: what the model says, at any temperature.
                draw.insert(0, self._keep(options[ALTERNATIVES], kept))
            with torch.inference_mode():
                found = loaded.model.generate(
                    **padded.to(loaded.device),
                    generation_config=settings,
                    logits_processor=draw,
                    tokenizer=tokenizer if stops else None,
                )
            seconds = (time.monotonic() - started) / len(asked)
            n_padded = padded["input_ids"].shape[1]
            for place, (i, row) in enumerate(zip(asked, found[:, n_padded:].tolist(), strict=True)):
                n_output = next((n for n, token in enumerate(row, 1) if token in ends), len(row))
                text = tokenizer.decode(row[:n_output], skip_special_tokens=True)
                ends_at = [at for stop in stops if (at := text.find(stop)) >= 0]
                is_ended = bool(ends_at) or any(token in ends for token in row)
                answers[i] = read_reply(
                    text[: min(ends_at)] if ends_at else text,
                    "stop" if is_ended else "length",
                    n_prompt_tokens=len(tokens[i]),
                    n_output_tokens=n_output,
                    seconds=seconds,
                    first_tokens=first_tokens(_said(tokenizer, row[:n_output], kept, place)),
                )
        return [answers[i] for i in range(len(requests))]

    def _keep(self, n: int, kept: list[Any]) -> Any:
        """Return what leaves scores as they are and keeps the likeliest n of each of the first tokens."""

        def unchanged(input_ids: Any, scores: Any) -> Any:
            if len(kept) < LEADING:
                best = self._torch.log_softmax(scores.float(), -1).topk(min(n, scores.shape[-1]), -1)
                kept.append((best.values.tolist(), best.indices.tolist()))
            return scores

        return unchanged

    def _draw(self, options: Mapping[str, Any], seeds: Sequence[int]) -> Any:
        """Return what turns scores so that the highest is a draw: the Gumbel-max way of sampling."""
        torch = self._torch
        streams = [torch.Generator().manual_seed(seed) for seed in seeds]
        top_p = options.get("top_p", 1)
        nucleus = self._transformers.TopPLogitsWarper(top_p) if top_p < 1 else None

        def turned(input_ids: Any, scores: Any) -> Any:
            scores = scores.float() / options["temperature"]
            if nucleus is not None:
                scores = nucleus(input_ids, scores)
            uniform = torch.stack([torch.rand(scores.shape[-1], generator=stream) for stream in streams])
            return scores - torch.log(-torch.log(uniform.clamp(1e-20, 1 - 1e-7))).to(scores.device)

        return turned

    def _load(self, config: Config) -> Loaded:
        """Return the model of a config; one at a time is in memory."""
        device = pick_device(options_in_force(config, OPTIONS)["device"], CPU)
        if self._loaded is None or self._loaded[0] != (config.model, device):
            self._loaded = None
            folder = self._folder(config)
            tokenizer = load_part(folder, self._transformers.AutoTokenizer)
            if tokenizer.pad_token_id is None:
                tokenizer.pad_token = tokenizer.eos_token
            kind = self._transformers.AutoModelForCausalLM
            model = load_part(folder, kind, use_safetensors=True, dtype="auto")
            self._loaded = ((config.model, device), Loaded(model.to(device).eval(), tokenizer, device))
        return self._loaded[1]

    def _folder(self, config: Config) -> Path:
        folder = Path(config.model).expanduser()
        if folder.is_dir():
            return folder
        hub = library("huggingface_hub", ASKER)
        try:
            return Path(hub.snapshot_download(config.model, local_files_only=True))
        except (OSError, ValueError) as error:
            raise PlumblineError(
                f"There is no folder {config.model!r}, and no such model in the hub's cache here.",
                f"Fetch it: hf download {config.model}",
            ) from error


def prompt_tokens(tokenizer: Any, messages: Sequence[Message]) -> list[int]:
    """Return the tokens of a request: in the model's chat template, or, where it has none, plain."""
    if tokenizer.chat_template:
        text = tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        # The template writes the special tokens itself.
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return list(tokenizer("\n\n".join(message["content"] for message in messages))["input_ids"])


def _said(tokenizer: Any, tokens: Sequence[int], kept: Sequence[Any], place: int) -> list[dict[str, Any]]:
    """Return the first tokens of an answer with their alternatives, as servers write them.

    A token that was drawn and is no likely one has no probability of its own here.
    """
    said = []
    for token, (logprobs, ids) in zip(tokens, kept, strict=False):
        others = [
            {"token": tokenizer.decode([one]), "logprob": logprob}
            for one, logprob in zip(ids[place], logprobs[place], strict=True)
        ]
        said.append({"token": tokenizer.decode([token]), "top_logprobs": others})
    return said


def _token_ids(value: int | list[int] | None) -> list[int]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


BACKENDS = {"transformers": TransformersBackend}
ABOUT = {"transformers": About("weights in a folder", "`make models`")}
