"""Classifiers of random weights with the architecture and labels of the real ones: nothing is fetched."""

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from ingest.scorers.classifier import CLASSIFIERS, KINDS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WIDTH = {"num_attention_heads": 2, "num_hidden_layers": 2, "hidden_size": 32, "intermediate_size": 64}

# Places in the output as a model might have them: not the order of CLASSIFIERS.
LABELS: dict[str, list[str]] = {
    **{name: list(reversed(row.labels)) for name, row in CLASSIFIERS.items()},
    "stereotype": ["unrelated", *(f"stereotype_{kind}" for kind in KINDS)],
    "sentiment_tweets": ["Negative", "Neutral", "Positive"],
    "toxicity_comment": ["non-toxic", "Toxic"],
    "toxicity_unbiased": ["insult", "identity_attack", "toxicity", "male", "female"],
    "toxigen": ["LABEL_0", "LABEL_1"],
}


def config(name: str, n_tokens: int, positions: int) -> Any:
    """The architecture of a model, in small."""
    shared = {"vocab_size": n_tokens, "max_position_embeddings": positions, "pad_token_id": 0}
    if name in ("sentiment", "stereotype_sentence"):
        return transformers.DistilBertConfig(dim=32, n_heads=2, n_layers=2, hidden_dim=64, **shared)
    if name == "stereotype":
        return transformers.DebertaV2Config(
            relative_attention=True,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
            **WIDTH,
            **shared,
        )
    if name in ("sentiment_tweets", "toxicity_multilingual"):
        shared["max_position_embeddings"] += 1
        return transformers.XLMRobertaConfig(**WIDTH, **shared)
    if name in ("personality", "toxicity_unbiased", "hate_speech", "toxigen"):
        shared["max_position_embeddings"] += 1  # RoBERTa begins to count after the padding token
        return transformers.RobertaConfig(**WIDTH, **shared)
    return transformers.BertConfig(**WIDTH, **shared)


def tokenizer(positions: int) -> Any:
    """WordPiece over letters."""
    pieces = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), *".,!?'0123456789"]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=positions,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def build(
    folder: Path,
    name: str,
    *,
    labels: list[str] | None = None,
    seed: int = 0,
    positions: int = 64,
    **own: Any,
) -> Path:
    """Save a scorer's model of random weights, and its tokeniser; `own` are settings of its config."""
    fast = tokenizer(positions)
    fast.save_pretrained(folder)
    settings = config(name, len(fast), positions)
    settings.update({"initializer_range": 0.5, **own})
    settings.id2label = dict(enumerate(labels or LABELS[name]))
    settings.label2id = {label: i for i, label in settings.id2label.items()}
    torch.manual_seed(seed)
    transformers.AutoModelForSequenceClassification.from_config(settings).save_pretrained(folder)
    return folder
