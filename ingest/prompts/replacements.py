"""Replacement tables: how a text about one group becomes the same text about another (SPEC BRA-2, BRA-6)."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import PlumblineError, shown
from ingest.loading.files import MAX_CELL
from ingest.loading.separators import skip_separator
from ingest.paths import beside_suite, regular_bytes
from ingest.prompts.set_phrases import set_phrase_flags
from ingest.suite import Branching
from ingest.suite.fields import composed, typed_like
from ingest.whole_words import whole_words

MAX_BYTES = 5_000_000
COLUMNS = ("target", "from", "to")
FORMS = ("", "determiner", "pronoun")
BUILT_IN = {"gender": Path(__file__).parent / "gender_pairs.csv"}

OPENING = " \t\r\n\"'‘“(["
OPENING_MARKS, CLOSING_MARKS = "\"'‘“([", "\"'’”)]"
ARTICLE = re.compile(r"(?<!\w)(an?|the)(\s+[\"'‘“(]*)$", re.IGNORECASE)
POSSESSIVE = r"(?P<possessive>['’]s(?!\w)|['’](?=\s+\w))?"
NEXT_WORD = re.compile(r"[*_)\]]*\s+[\"'‘“(\[*_]*([^\W_][\w’'-]*)")
# Sounds, not letters, choose between "a" and "an".
CONSONANT_SOUND = re.compile(r"(?:eu|ew|uni(?!n|m)|u[bkqrst][aeiou]|ukr|ugand|one\b|once\b)", re.IGNORECASE)
EIGHT = re.compile(r"8|1[18](?!\d)")
SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
SPELT_WITH_VOWEL = frozenset("AEFHILMNORSX")
# After "his" or "her" none of these begins what is possessed.
NO_POSSESSION = re.compile(
    r"""(?:a|an|the|and|or|but|nor|so|yet|as|at|by|for|from|in|into|of|off|on|onto|out|over|to|toward|under|up|
    with|about|after|again|against|before|behind|below|beside|between|during|except|inside|near|since|
    than|through|until|upon|within|without|because|if|that|when|where|while|who|which|is|are|was|were|am|
    be|been|being|has|have|had|do|does|did|will|would|shall|should|can|could|may|might|must|not|no|never|
    also|too|very|today|tomorrow|yesterday|here|there|then|now|i|you|he|she|it|we|they|me|him|us|them|
    what|why|how|whom|whether|this|these|those|some|any|twice|away|alone|asleep|awake|alive|
    tonight|please|despite|unless|whenever|my|your|his|her|its|our|their|another)""",
    re.VERBOSE | re.IGNORECASE,
)
# These may begin what is possessed, or not: "her will", "her very own", "I know her well".
PERHAPS_POSSESSED = re.compile(r"\w+ly|will|might|must|can|being|very|then|now|well|back|one|more", re.I)
# After these "her" may be all of the object: "let her go", "gave her flowers", "called her brilliant".
TWO_OBJECTS = re.compile(
    r"""\b(?:let(?:s|ting)?|ma(?:kes?|king|de)|g(?:ive|ives|iving|ave|iven)|t(?:ells?|elling|old)|pa(?:ys?|ying|id)
    |(?:ask|call|help|hear|offer|show|watch)(?:s|es|ed|ing)?|heard|shown|see(?:s|n|ing)?|saw|sen(?:ds?|ding|t)
    |t(?:each|eaches|eaching|aught)|nam(?:es?|ed|ing)|consider(?:s|ed|ing)?)\s+$""",
    re.VERBOSE | re.IGNORECASE,
)
LONGEST_VERB = 20  # characters, with spaces
ALONE_TIME = re.compile(r"\s+alone\s+time\b", re.IGNORECASE)  # which is possessed
SHE_AND = re.compile(r"\bshe */ *$", re.IGNORECASE)  # "she/her" is "he/him"
# These plurals have 's: "the gentlemen's club", "the ladies' club".
PLURAL = re.compile(r"(?:men|people|children|folk)$", re.IGNORECASE)
# Of a surname.
PARTICLE = r"(?:van|von|der|den|ter|ten|del?|della|di|da|dos|du|le|la|al|el|bint?[ei]?|d['’])\b"
# Titles that are other words, too: "they miss the bus", "20 ms".
OTHER_WORDS = frozenset({"miss", "ms"})
NUMBER_BEFORE = re.compile(r"\d\s*$")
NAME_AFTER = re.compile(rf"\.?\s+(?:({PARTICLE})|([^\W\d_]))")
# What stands for these says nothing of a gender: "she asked the host" is of no man.
FOR_WOMEN_ALONE = re.compile(r"(?:actress|waitress|hostess|heiress|stewardess)(?:es)?|heroines?")


@dataclass(frozen=True)
class Replacement:
    """One row of a table: in texts about `target`, `to` stands where the root has `source`.

    `form` tells apart words that are two things at once: "his" before a noun is a determiner, else a pronoun.
    """

    target: str
    source: str
    to: str
    form: str = ""


@dataclass(frozen=True)
class Replaced:
    """A text after replacement, and what a person should look at."""

    text: str
    flags: tuple[str, ...]


class Replacer:
    """Replaces the phrases of one target: whole words, longest first, in a single pass.

    >>> swap = Replacer([Replacement("France", "Freelandia", "France"),
    ...                  Replacement("France", "Freelandian", "French")])
    >>> swap("Freelandia's rivers feed a Freelandian town.").text
    "France's rivers feed a French town."
    """

    def __init__(self, rows: Iterable[Replacement], of_target: Iterable[str] = ()) -> None:
        """`of_target` are words of the target that no row writes."""
        self.rows: dict[str, dict[str, Replacement]] = {}
        for row in rows:
            forms = self.rows.setdefault(_folded(row.source), {})
            if row.form in forms:
                if _is_twin(row, forms[row.form]):
                    continue
                raise ValueError(f"{row.source!r} is replaced twice for {row.target!r}")
            forms[row.form] = row
        for forms in self.rows.values():
            if "" in forms and len(forms) > 1:
                first = forms[""]
                raise ValueError(
                    f"{first.source!r} of {first.target!r} has a row without `form` beside others"
                )
        sources = [next(iter(forms.values())).source for forms in self.rows.values()]
        self.pattern = re.compile(_longest_of(sources) + POSSESSIVE)
        written = {
            row.to: None
            for source, forms in self.rows.items()
            for row in forms.values()
            if not FOR_WOMEN_ALONE.fullmatch(source)
        }
        written |= {word: None for word in of_target if _folded(word) not in OTHER_WORDS}
        self.of_target = re.compile(_longest_of(to for to in written if _folded(to) not in self.rows))

    def __call__(self, text: str, goes_on: str = "") -> Replaced:
        """Return the text with every phrase replaced; `goes_on` followed it where it was cut."""
        typed, text, goes_on = text, composed(text), composed(goes_on)
        parts: list[str] = []
        kept: list[str] = []
        flags: set[str] = set()
        end = 0
        for match in self.pattern.finditer(text):
            between = text[end : match.start()]
            if _is_other_word(match, text):
                # Where nothing has a capital, it may be either: "miss tan left".
                if match["phrase"] == "miss" and text.islower():
                    flags.add("mentions_root")
                continue
            opens = _ends_sentence(between) or not (end or between.strip(OPENING))
            row = self._chosen(match, text + goes_on, flags)
            is_common = row.source.islower()
            flags |= set_phrase_flags(text + goes_on, *match.span("phrase"), is_common, self.rows)
            to = _in_case(match["phrase"], row, opens)
            kept.append(between)
            between, to = _after_article(between, to, flags)
            parts += [between, to, _possessive(match["possessive"], match["phrase"], to)]
            end = match.end()
        if kept and any(map(self.of_target.search, [*kept, text[end:]])):
            flags.add("mentions_target")
        replaced = typed_like("".join([*parts, text[end:]]), typed) if parts else typed
        return Replaced(replaced, tuple(sorted(flags)))

    def _chosen(self, match: re.Match[str], text: str, flags: set[str]) -> Replacement:
        forms = self.rows[_folded(match["phrase"])]
        if len(forms) == 1:
            return next(iter(forms.values()))
        before, following = text[: match.start()][-LONGEST_VERB:], NEXT_WORD.match(text, match.end())
        word = following[1].casefold() if following else ""
        is_pronoun = not word or bool(NO_POSSESSION.fullmatch(word) or SHE_AND.search(before))
        is_pronoun = is_pronoun and not ALONE_TIME.match(text, match.end())
        has_two = forms["pronoun"].source.casefold() == "her" and TWO_OBJECTS.search(before)
        # Where it cannot be told, a person must look: "I told her stories", or a text that ends with "his".
        is_unclear = bool(has_two) and not is_pronoun and word not in self.rows
        if is_unclear or PERHAPS_POSSESSED.fullmatch(word) or not text[match.end() :].strip():
            flags.add("ambiguous_pronoun")
        return forms["pronoun" if is_pronoun else "determiner"]


def replacers(
    branching: Branching, rows: Sequence[Replacement], values: Sequence[str]
) -> dict[tuple[str, str], Replacer]:
    """Return a Replacer for each (from, to) pair of groups that the suite wants.

    Rows lead from the root to their target. Back from a target leads its table read the other way (where
    two phrases become one, the first is meant), unless rows for the root are there; from one target to
    another leads the way through the root.
    """
    root = branching.root
    from_root: dict[str, list[Replacement]] = {}
    for row in rows:
        from_root.setdefault(row.target, []).append(row)
    own_way_back = from_root.pop(root, None)
    back: dict[str, list[Replacement]] = {}
    for target, table in from_root.items():
        turned: dict[str, Replacement] = {}
        for row in table:
            turned.setdefault(_folded(row.to), Replacement(root, row.to, row.source))
        back[target] = own_way_back if own_way_back is not None else list(turned.values())
    pairs = {(root, target): table for target, table in from_root.items()}
    # Where there is one target, whatever leads back from it is a word of its own: "Mr and Mrs Tan".
    own_words = [row.source for row in own_way_back or []] if len(from_root) == 1 else []
    if branching.direction == "both":
        pairs |= {(target, root): table for target, table in back.items()}
    if branching.pairs == "all":
        for end, to_target in from_root.items():
            words = {_folded(row.source): row.to for row in to_target}
            for start, table in back.items():
                if start != end:
                    shared = [(row.source, _folded(row.to)) for row in table if _folded(row.to) in words]
                    pairs[start, end] = [Replacement(end, source, words[to]) for source, to in shared]
    positions = {value: i for i, value in enumerate(values)}
    ordered = sorted(pairs.items(), key=lambda item: [positions[value] for value in item[0]])
    return {pair: Replacer(table, own_words if pair[0] == root else ()) for pair, table in ordered}


def _ends_sentence(before: str) -> bool:
    """Say whether a new sentence, or a line, begins after this text; marks may open it."""
    before = before.rstrip(OPENING_MARKS)
    spoken = before.rstrip()
    if "\n" in before[len(spoken) :]:
        return True
    return len(spoken) < len(before) and spoken.rstrip(CLOSING_MARKS).endswith((".", "!", "?"))


def _is_other_word(match: re.Match[str], text: str) -> bool:
    """Say whether what was found is a verb or a unit, and no title.

    >>> [Replacer([Replacement("m", "Miss", "Mr")])(text).text for text in ("Miss Lee", "They miss Lee")]
    ['Mr Lee', 'They miss Lee']
    """
    found = match["phrase"]
    if found.casefold() not in OTHER_WORDS:
        return False
    after = NAME_AFTER.match(text, match.end())
    is_before_word = after is not None and after[2] is not None and after[2].islower()
    if found.casefold() == "miss":
        return found == "miss" or (not found.isupper() and is_before_word)
    # "In 2019 Ms Lee joined" has a title.
    is_title = found == "Ms" and after is not None and not is_before_word
    return not is_title and NUMBER_BEFORE.search(text[: match.start()][-LONGEST_VERB:]) is not None


def _is_twin(row: Replacement, other: Replacement) -> bool:
    """Say whether two rows differ only in how their accents were typed."""
    return row.source != other.source and composed(row.to) == composed(other.to)


def _folded(phrase: str) -> str:
    """Return a phrase as tables know it, whatever its case and spaces and however its accents were typed."""
    return " ".join(composed(phrase).split()).casefold()


def as_pattern(phrase: str) -> str:
    """Return the pattern of a phrase in a composed text, whatever its spaces and case."""
    phrase = composed(phrase)
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    # "US" is not "us": what is written in capitals alone is found as written.
    return words if phrase.isupper() else f"(?i:{words})"


def _longest_of(phrases: Iterable[str]) -> str:
    """Return the pattern of any of these phrases, the longest that stands there; of none, what nothing is."""
    longest_first = sorted(map(composed, phrases), key=len, reverse=True)
    return f"(?P<phrase>{whole_words((phrase, as_pattern(phrase)) for phrase in longest_first)})"


def _in_case(found: str, row: Replacement, starts_sentence: bool) -> str:
    """Give the replacement the case pattern of what stood there."""
    to = row.to
    if found == composed(row.source):
        pass
    elif found.isupper() and len(found) > 1:
        to = to.upper()
    elif found.islower():
        to = to.lower()
    elif found[:1].isupper() and row.source[:1].islower():
        to = to[:1].upper() + to[1:]
    if starts_sentence and found[:1].isupper():
        to = to[:1].upper() + to[1:]
    return to


def _after_article(before: str, to: str, flags: set[str]) -> tuple[str, str]:
    """Make an article that stands before fit: "an" before a vowel, never two articles."""
    article = ARTICLE.search(before)
    if not article:
        return before, to
    written = article[1]
    stem = before[: article.start()]
    if to.casefold().startswith("the "):
        if written.casefold() != "the" or article[2].strip():
            flags.add("article")
            return before, to
        return stem, written + to[3:]
    if written.casefold() == "the":
        return before, to
    fitting = "an" if starts_with_vowel_sound(to) else "a"
    if written[:1].isupper():
        fitting = fitting.capitalize() if written != written.upper() or len(written) == 1 else fitting.upper()
    return stem + fitting + article[2], to


def starts_with_vowel_sound(phrase: str) -> bool:
    """Say whether "an" stands before an English phrase, not "a"."""
    word = phrase.split()[0]
    if len(word) > 1 and word.isupper():
        return word[0] in SPELT_WITH_VOWEL
    if CONSONANT_SOUND.match(word):
        return False
    return bool(SILENT_H.match(word) or EIGHT.match(word)) or word[0].casefold() in "aeiou"


def _possessive(mark: str | None, found: str, to: str) -> str:
    """Return what makes `to` possessive: "France's", but "the United States'"."""
    if not mark:
        return ""
    bare = len(mark) == 1
    if bare and not found.casefold().endswith("s"):
        return mark  # a closing quotation mark
    is_plural = to.casefold().endswith("s") and bool(bare or " " in to or PLURAL.search(found))
    return mark[0] if is_plural else f"{mark[0]}s"


def replacement_path(suite_path: Path, name: str) -> Path:
    """Return where a suite's replacement table lies: one of ours, or a file in the suite's folder.

    Raises PlumblineError for a file outside it.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    return beside_suite(suite_path.resolve().parent, name, f"{suite_path}: the replacement table")


def read_csv(path: Path, most: int = MAX_BYTES) -> tuple[Sequence[str], list[dict[str, str]]]:
    """Return the columns and records of a file of at most so many bytes.

    Raises PlumblineError where it cannot be read.
    """
    content = regular_bytes(path, most, "Write it, or name another file.")
    previous_limit = csv.field_size_limit(MAX_CELL)
    try:
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        separator, _ = skip_separator(text, path.name)
        reader = csv.reader(text, delimiter=separator, strict=True)
        header = next(reader, [])
        records = []
        for cells in filter(None, reader):
            if len(cells) != len(header):  # filled up, short rows under a long header would be a bomb
                what = f"line {reader.line_num:,} has {len(cells):,} cells, the header {len(header):,}"
                raise csv.Error(what)
            records.append(dict(zip(header, cells, strict=True)))
    except (UnicodeDecodeError, csv.Error) as error:
        raise PlumblineError(
            f"{shown(path)} cannot be read: {error}.",
            f"Save it as CSV in UTF-8, with at most {MAX_CELL:,} characters in a cell.",
        ) from error
    finally:
        csv.field_size_limit(previous_limit)
    return header, records


def read_replacements(path: Path, targets: Sequence[str]) -> list[Replacement]:
    """Read a replacement table: CSV with `target`, `from`, `to`, and perhaps `form`, `order`, `approved`.

    `targets` are the values that may stand under `target`. A table that a model proposed has a column
    `approved`, and is refused until every row says yes. Raises PlumblineError with the line.
    """
    _, records = read_csv(path)
    missing = [column for column in COLUMNS if not records or column not in records[0]]
    if missing:
        raise PlumblineError(
            f"{path} has no column {missing[0]!r}, or no rows.",
            "A replacement table has the columns target, from, to.",
        )
    rows = []
    for line, record in enumerate(records, start=2):
        target, source, to, form = (
            " ".join((record.get(column) or "").split()) for column in (*COLUMNS, "form")
        )
        problem = None
        if target not in targets:
            problem = f"target {target!r} is not declared in the suite's `attributes`"
        elif not source or not to:
            problem = "`from` and `to` must both have a word"
        elif form not in FORMS:
            problem = f"form {form!r} is none of determiner, pronoun"
        elif (record.get("approved") or "yes").strip().casefold() not in ("yes", "true", "1"):
            problem = f"{source!r} → {to!r} was proposed and is not approved"
        order, position = (record.get("order") or "").strip(), float(line)
        try:
            position = float(order or line)
        except ValueError:
            problem = problem or f"order {order!r} is no number"
        if problem:
            raise PlumblineError(f"{path}, line {line}: {problem}.", "Correct that line, then run it again.")
        rows.append((position, Replacement(target, source, to, form)))
    return [row for _, row in sorted(rows, key=lambda item: item[0])]


def read_tables(suite_path: Path, names: Sequence[str], targets: Sequence[str]) -> list[Replacement]:
    """Read a suite's replacement tables. What its own tables say of a word goes before ours.

    Raises PlumblineError as `read_replacements` does.
    """
    tables = {name: read_replacements(replacement_path(suite_path, name), targets) for name in names}
    own = {
        (row.target, _folded(row.source))
        for name, rows in tables.items()
        if name not in BUILT_IN
        for row in rows
    }
    return [
        row
        for name, rows in tables.items()
        for row in rows
        if name not in BUILT_IN or (row.target, _folded(row.source)) not in own
    ]
