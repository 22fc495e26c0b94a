"""SQL that only one engine understands: elsewhere than in macros/engine/, a macro of it takes its place."""

import re
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("models", "macros", "tests/data_quality", "tests/fairness", "tests/generic")
LAYER = "macros/engine/"
# What is written -> what to write. Function names stand for calls of them.
CALLS = {
    "isfinite|isnan": "is_finite",
    "unnest|explode|inline|posexplode|generate_subscripts": "unnested, unnested_in_places, unnested_together",
    "list": "ordered_list, or array_agg where no order matters",
    "list_contains|list_has|map_contains|map_contains_key": "array_contains, of a map's map_keys(…)",
    "list_transform|list_apply|array_transform|transform": "mapped_items or mapped_in_places",
    "list_filter|array_filter": "filter(list, x -> …)",
    "list_sort|list_distinct|list_position": "array_sort, array_distinct or array_position",
    "list_zip|arrays_zip|zip_with": "list_gaps or unnested_together",
    r"list_sum|list_avg|list_stddev\w*|list_aggregate|aggregate": "list_total, list_mean or list_deviation",
    "list_count|array_compact": "n_known_items",
    "list_concat|array_cat": "joined_lists",
    "list_slice|array_slice|slice": "first_items or items_after",
    "list_value|array|struct|struct_pack|row": "list_of, or (a, b) for a tuple",
    "len|array_size|array_length|cardinality": "list_length, or length for a text",
    "list_inner_product|list_dot_product": "inner_product",
    "list_cosine_similarity|list_cosine_distance": "cosine",
    "list_distance": "straight_distance",
    "range|sequence|generate_series": "whole_numbers",
    "array_to_string|array_join|list_string_agg": "joined_list",
    "string_agg|listagg|group_concat": "ordered_text",
    "arg_min|arg_max|first|last": "min_by or max_by of (value, key)",
    "quantile_cont|quantile_disc|percentile|percentile_cont|median|approx_quantile": "quantile or quantiles",
    "kurtosis|kurtosis_pop|skewness": "adjusted_kurtosis, moment_kurtosis or adjusted_skewness",
    r"json_(?:extract\w*|array\w*|keys|value|merge_patch|group_\w+|structure|type|contains)|to_json|from_json"
    "|get_json_object": "one of macros/engine/json.sql",
    r"regexp_\w+": "matches, matched_part, all_matches or all_replaced",
    "starts_with|startswith|prefix|ends_with|endswith|suffix": "begins_with, or right(text, n)",
    "string_split|str_split": "split for what is no pattern, else split_text",
    "btrim": "trimmed",
    "printf|format_string|format_number|format": "fixed_text, short_text or with_commas",
    "nfc_normalize": "composed",
    "lgamma|java_method|reflect": "log_gamma or composed",
    "hash|xxhash64": "hash_of",
    "md5_number|md5_number_lower|md5_number_upper|conv": "number_of",
    "map_extract|element_at": "map_value",
    "columns": "without",
}
PATTERNS = {
    r"\* (?:exclude|except|replace) ?\(": "without, and the column anew behind it",
    r"\bunion(?: all)? by name\b": "union_by_name",
    r"->>|-> ?(?:'|\d)": "json_text or json_part",
    r"\blambda \w": "x -> …, inside mapped_items or filter(list, …)",
    r"::\w": "cast(… as …)",
    r"\bas (?:varchar|text)\b": "string",
    r"\bexclude current row\b": "one frame before the row and one behind it",
    r"\bfilter \((?!where\b)(?![\w.]+,)": "filter (where …)",
    r"\bfilter \(where [^\n]*\)\s+over\b": "count(case when … then 1 end) over (…)",
    r"\bcount\(distinct [^()]*\) over\b": "a count by group, joined",
    r"\b(?:any_value|sum|avg|stddev_\w+|array_agg)\([^()]* order by\b": (
        "in_order, sum_of_shares, min_by or ordered_list"
    ),
    r"\btrim\([\w.]+,": "trimmed",
    r"\b(?:ilike|glob|similar to)\b": "matches",
    r"\bavg\(\s*case[^()]*?\b\d+\.\d": "1e0 for 1.0: a mean of decimals is rounded",
    r"\b\d+\.\d+ / ": "1e0 for 1.0: a quotient of decimals is rounded",
}
# These stand outside of Jinja's marks only: there, a bracket is Python's and a quote ends a text of it.
PLAIN = {
    r"\[": "list_of, item_at or first_items",
    r'"\w+"': "adapter.quote",
    r"'[^'\n]*\\[^'\n]*'": "pattern",
    r"\b(?:quantile|json_object)\(": "the macro of this name",
}
RULES = [(re.compile(rf"(?<![\w.])(?:{names})\("), advice, False) for names, advice in CALLS.items()]
RULES += [(re.compile(pattern), advice, False) for pattern, advice in PATTERNS.items()]
RULES += [(re.compile(pattern), advice, True) for pattern, advice in PLAIN.items()]
COMMENT = re.compile(r"\{#.*?#\}|--[^\n]*", re.DOTALL)
JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
# What a macro of this project is called, and Jinja's own words, are no calls of the engine.
OURS = re.compile(r"\{%-? (?:macro|test) \w+\(|\| ?\w+\(|\w\.format\(")


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """Return the text with spaces where a pattern matched: lines stay where they are."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def found_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, what stands there and what to write instead, in the order of lines."""
    code = blanked(OURS, blanked(COMMENT, text))
    plain = blanked(JINJA, code)
    hits = []
    for rule, advice, is_plain in RULES:
        searched = plain if is_plain else code
        hits += [
            (searched.count("\n", 0, hit.start()) + 1, hit[0].strip(), advice)
            for hit in rule.finditer(searched)
        ]
    yield from sorted(hits)


def engine_specific(root: Path) -> Iterator[str]:
    """Yield a line for each place outside of the layer: file, line, what stands there, what to write."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.sql")):
            name = path.relative_to(root).as_posix()
            if name.startswith(LAYER):
                continue
            for line, written, advice in found_in(path.read_text(encoding="utf-8")):
                yield f"{name}:{line}: `{' '.join(written.split())}` is one engine's: write {advice}"
