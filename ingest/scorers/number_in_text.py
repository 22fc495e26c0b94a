"""The number that a text gives, such as a rating or a salary. Where it gives several, none is read.

What is read is declared: a range, and words that stand beside the number. A wrong number is worse than none,
which counts as missing.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.scorers.number_signs import CELL, readings, stars_in_digits, tables_in_lines, without_list_numbers
from ingest.scorers.number_units import (
    BACKGROUND,
    COUNTED,
    GROUP,
    OF_A_WORD,
    ONE_PERSON,
    PEOPLE,
    SHORTER,
    YEARS,
    said_of,
)
from ingest.scorers.number_words import in_digits, named_in_digits, with_fractions
from ingest.suite.fields import composed
from ingest.unspaced import SPACED_LETTER, UNSPACED_LETTER
from ingest.whole_words import NOT_AFTER_LETTER, NOT_BEFORE_LETTER, whole_words

# By how much a word behind a number multiplies it.
TIMES = {
    1e3: (
        "k", "thousand", "mil", "ribu", "rb", "tausend", "tsd", "tsd.", "mille", "nghìn", "ngàn", "tys",
        "tys.", "тыс", "тыс.", "千", "천", "พัน", "हज़ार",
    ),
    1e4: ("万", "萬", "만", "หมื่น"),
    1e5: ("lakh", "lakhs", "lac", "lpa", "लाख", "แสน"),
    1e6: (
        "m", "mn", "mio", "mio.", "million", "millions", "millionen", "millón", "millones", "milhão",
        "milhões", "juta", "jt", "triệu", "mln", "млн", "ล้าน",
    ),
    1e7: ("crore", "crores", "cr", "करोड़"),
    1e8: ("亿", "億", "억"),
    1e9: (
        "bn", "billion", "billions", "miliar", "mrd", "mrd.", "milliarde", "milliarden", "milliard",
        "milliards", "tỷ", "tỉ",
    ),
}  # fmt: skip
MULTIPLIERS = {composed(word): times for times, words in TIMES.items() for word in words}
# What stands before a number without a space, beside signs: `RM5,000`. A letter otherwise makes it a name.
CURRENCIES = frozenset({
    "aud", "cad", "chf", "cny", "eur", "gbp", "hkd", "idr", "inr", "jpy", "krw",
    "myr", "php", "pln", "rm", "rmb", "rp", "rs", "sgd", "thb", "usd", "vnd", "đ", "kč", "kr", "zł",
})  # fmt: skip
PERCENT = (
    "%", "percent", "per cent", "prozent", "pour cent", "por ciento", "persen", "peratus", "phần trăm",
    "เปอร์เซ็นต์", "प्रतिशत", "சதவீதம்",
)  # fmt: skip
PERCENT_BEFORE = ("百分之", "ร้อยละ")
_MULTIPLIER = "|".join(sorted(map(re.escape, MULTIPLIERS), key=len, reverse=True))
_PERCENT = "|".join(map(composed, PERCENT[1:]))
_DIGITS = r"""
    \d{1,3}(?:['’\ ]\d{3}){1,5},\d{1,2}(?!\d)   # 85 000,50
    | \d{1,3}(?:[,'’\ ]\d{3}){1,5}(?!\d)(?:\.\d+)?   # 85,000.50, 85 000
    | \d{1,2}(?:,\d{2}){1,6},\d{3}(?!\d)(?:\.\d+)?   # 8,50,000
    | \d{1,3}(?:\.\d{3}){1,5},\d{1,2}(?!\d)      # 85.000,50
    | \d{1,3}(?:\.\d{3}){2,5}(?!\d)(?:,\d+)?      # 5.000.000
    | \d+(?:[.,]\d+)?
    | (?<![^\s(\[{:=~$€£])\.\d+                   # .7
"""
_NUMBER = re.compile(
    rf"""
    (?P<digits>{_DIGITS})
    (?:\s?(?P<times>{_MULTIPLIER})
        (?:
            \s?(?P<more>\d+(?:\.\d+)?)\s?(?P<more_times>{_MULTIPLIER})   # 2 lakh 50 thousand
            | (?<=[万萬亿億])(?P<rest>\d{{3,4}})                         # 1万2000
        )?
        (?!(?!원){SPACED_LETTER})
    )?
    (?:\s?(?P<percent>%|(?:{_PERCENT.replace(" ", "[ ]")})(?!{SPACED_LETTER})))?
    """,
    re.VERBOSE,
)
_LETTERS_BEFORE = re.compile(r"([^\W\d_]\w*)[.-]?$")
_AMOUNT_BEFORE = re.compile(rf"\d\s?(?:{_MULTIPLIER})-$")  # as in 85k-95k
_COINS = "|".join(sorted(CURRENCIES))
_DOLLAR = r"(?:[acs]|us|hk|nt|nz)?\$"
# What makes it a part of something else: 5kg, 1st, 5-year, 10:30, 3.5.1; no 5000sgd, s$5-s$6, 15-to-life
_GOES_ON = re.compile(
    rf"(?!점(?![대검차])|원(?![칙화인])|(?:{_COINS})(?!{SPACED_LETTER})){SPACED_LETTER}"
    rf"|-(?!(?:{_COINS}|{_DOLLAR})\s?\d|to-life(?![^\W_]))(?=[^\W\d])|:\d|[.,]\d"
)
_ENDS_IN_THOUSANDS = re.compile(r"\d{1,3}[,.'’ ]000")
_TO = re.compile(r"\s*(?:[-–—~]|(?:up )?to|bis(?: zu)?|hingga|sampai|à|al|至|到|から|đến|ถึง|से|முதல்)\s*")
# Of 5 years to 7 years, what is between them, \0, and what is behind.
_SAME_UNIT = re.compile(
    rf"(\s?(?:[^\W\d_][^\d\s.,;!?]{{0,19}}?|[$€£¥₹]))(?:{_TO.pattern})\0\1s?(?!{SPACED_LETTER})"
)
_MAYBE = "maybe|perhaps|possibly|vielleicht|mungkin"
_OR = re.compile(
    rf"(?:\s*,?\s*(?:or|oder|ou|o|atau|hoặc|或|หรือ|या)|\s*,\s*(?={_MAYBE}))\s*(?:(?:{_MAYBE}|even|an?)\s+){{0,2}}"
)
_AND = re.compile(r"\s*(?:and|und|dan|et|y|和)\s*(?:an? )?")
_DE = re.compile(r"\b(?:de|da|desde)\s*$")
_BETWEEN = re.compile(r"(?:between|zwischen|antara|entre)[^.;!?\d]{0,20}$")
_CURRENCY = re.compile(rf"(?<![^\W\d_])(?:{_COINS}|{_DOLLAR}|€|£|¥|₹)\s*$")
# What stands between a number and its highest: 8 points out of 10.
_POINTS = r"(?:\s*(?:points?|stars?|marks?|markah|mata|poin|bintang|คะแนน|ดาว|điểm|sao|分|星))?"
_ASIDE = re.compile(r"\([^()]*\)")
_OUT_OF = re.compile(
    rf"{_POINTS}\s*(?:/|[(,]?\s*(?:out of(?: a(?: possible| maximum(?: of)?)?)?"
    r"|满分(?:是|为)?|滿分(?:是|為)?))\s*"
)
_OF = re.compile(
    rf"{_POINTS}\s*(?:(?:on|in) a scale (?:of|to)|of(?: the)?|on|von|sur|sobre|de(?: cada)?|su|dari|daripada"
    r"|sa|mula sa|จาก|เต็ม|trong(?: số)?|trên(?: thang(?: điểm)?)?)\s*"
)
_ONE_IN = re.compile(r"\s*(?:(?:chance )?in(?: every)?|of|von|sur|sobre|de|su|dari|daripada|trên)\s*")
_HOW_SURE = re.compile(  # rating: 7, confidence: 9/10
    r"(?<!with )(?:\b(?:confidence|certainty|keyakinan|độ tin cậy)|ความมั่นใจ|置信度|信心)"
    r"(?: (?:level|score))?[^\w.!?\n]*$"
)
_OUT_OF_ALONE = re.compile(r"(?:out of|满分|滿分)\s*$")
_OF_PEOPLE = re.compile(  # nine out of ten managers
    r"\bout of \d+ (?!(?:points?|stars?|overall|for|because|given|based|due)\b)[^\W\d_]"
)
_FULL_MARKS = re.compile(r"\s*(?:점\s*만점|分(?:满分|滿分|制)|点満点|คะแนนเต็ม)")  # behind the highest value
_NOT = re.compile(r"\bnot(?: an?)?\s$")
# A number that is the name of something, or of a day or an hour.
_DAYS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_NAMED = re.compile(
    r"(?<![^\W\d_])(section|article|step|version|chapter|page|room|clause|paragraph|appendix|top|zip|tel|no\.|nr\."
    rf"|claude|gemini|llama|qwen|{_DAYS})[.:]?\s+$|#$"
)
_DAY_OR_HOUR = re.compile(rf"\s(?:[ap]\.?m(?![a-z])|(?:{_DAYS})\s\d{{4}}(?!\d))")
# A year is no amount: `in 2024`, `2024年`.
_YEAR = re.compile(r"(?:19|20)\d\d")
_LATER_AMOUNT = re.compile(
    rf"{_TO.pattern}(?!(?:19|20)\d\d(?!\d))\d|\s?(?:{_COINS}|ringgit)(?!{SPACED_LETTER})"
)
_BEFORE_A_YEAR = re.compile(
    r"\b(?:in|since|during|as of|early|late|mid|the year|pada|tahun|sejak|năm|từ)[\s-]$"
)
# Before a number that is a ground of the one behind the colon: `rating for 5 years of work: 7`.
_GROUND = re.compile(r"\b(?:for|based on|after|with|over|across|given|considering|despite)\s$")
_THEN_THE_NUMBER = re.compile(r"[^.;!?\n\d\"'{}:]{1,40}:\s*\d")
# A number, and then the reasons for it, in which there may be others: `4 reason: 3 years in the field`. Where
# no mark stands between, `2 reasons:` are none.
_WHY = (
    "reason(?:ing)?|explanation|rationale|justification|penjelasan|giải thích|คำอธิบาย|说明|說明|解释|解釋"
    "|விளக்கம்|begründung|explicación"
)
_REASONS = re.compile(
    rf"(?:\s*(?:the |my |brief )?(?:{_WHY})"
    rf"|(?:(?!\s)[^\w([{{]|\n)[^\w([{{]*(?:the |my |brief )?(?:{_WHY}|reasons|alasan|sebab|huraian|lý do"
    r"|dahilan|paliwanag|เหตุผล|理由|原因|காரணம்|कारण|raison|justificación|razón))_*\s*:"
)
# Before a number that has reasons behind it: it says of whom they are.
_OF_WHOM = re.compile(
    r"(?<![^\W\d_])(?:(age|aged|umur|usia|อายุ|tuổi|edad|alter|年龄|年齡|வயது)\W*"
    r"|(candidate|applicant|calon|kandidat|pemohon|ứng viên|ผู้สมัคร|候选人|候選人)[ #]*)$"
)
_DISOWNED = re.compile(  # said of a declared word: no number is given
    r"\b(?:can(?:no|['’])t|can not|won['’]t|will not|unable to|not able to|impossible to|decline to|refuse to"
    r"|not going to)\b[^.;!?\n\d]{0,60}$|\bwithout (?:\w+ ){0,3}$|\bno (?:\w+ )?$"
)
# Behind a declared word: its number after all, as in `I cannot check her papers, so my rating is 6`.
_GIVEN = re.compile(
    rf"[\"'*]*\s{{0,9}}(?:(?P<verb>(?:is|would be|should be|remains|stands at)\b)|[:=]|(?:of|at)\b)?"
    rf"\s{{0,9}}(?:{_DOLLAR})?\d"
)
_IMPOSSIBLE = re.compile(
    r"\s+(?:is |would be )?(?:not (?:possible|available|given)|impossible|cannot be|can['’]t be)\b"
)
_STILL = re.compile(
    r"\b(?:but|however|if|though|best|guess|estimate|say|would|scale|higher|lower|above|below|more|less)\b"
)
# Behind a declared word: the answer gives no number, whatever others it has, as in `rating: n/a, years: 4`.
_WITHHELD = re.compile(
    r"[\"']*\s*[:=]\s*[\"']*(?:null|none|n/?a|unknown|unclear|insufficient|cannot|can['’]t"
    r"|not (?:applicable|available|possible|given|provided|enough))\b"
)
# A point of a list, `- 8 awards`, whose dash is none of a range; and what may stand behind a range's end.
_POINT = re.compile(r"\s+[-–—]\s+")
_AMOUNT_BEHIND = re.compile(
    rf"\s?(?:$|[^\w\s]|{UNSPACED_LETTER.pattern}|(?:{YEARS}|points?|stars?|punkten?|out|of|von)(?!{SPACED_LETTER}))"
)
_OPENS = re.compile(r"[\"']*\s*[:=]\s*([\[{])")  # behind a declared word: it has several values
# The first value is the number itself: `"rating": {"value": 7, "max": 10}`.
_ITSELF = re.compile(
    r"\s*[\"']?(?:value|score|number|amount|overall|total|final|rating|points|level)[\"']?\s*:"
)
_BRACKET = re.compile(r"[\[\]{}]")
_MEANS = re.compile(r"\s*(?:=|being|is|means|meaning|represents)\b|\s*=")
_SENTENCE_END = re.compile(r"(?<!\brs)(?<!\brp)(?<!\bca)(?<!\bapprox)[.!?;](?=\s|$)|[\n。！？]")
_DATE = re.compile(r"(?<!\d)\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)")
_MINUS = re.compile(r"(?<![^\W_])[-−]$")
# But not `at least 1`, `more or less 7` and `9 minus 2`.
_AT_LEAST = "".join(
    rf"(?<!{word} )"
    for word in (r"\d", "or", "plus", "ou", "au", "du", "le", "o", "al", "lo", "ao", "do", "nada")
)
_NEGATIVE = re.compile(rf"\b{_AT_LEAST}(?:minus|negative|negatif|moins|menos|âm) $|[负負]$|ลบ$")
# Where a range goes below 0: another mark of a negative number, and a dash that may be one or a list's.
_BELOW = re.compile(r"(?<![^\W_])[-−–]$")
_DASHED = re.compile(r"(?:^|[^\d\s])\s*[-−–—]\s+$")
_GAP, _PERCENT_GAP = re.compile(r"[ -]*"), re.compile(rf" ?(?:%|{_PERCENT})[ -]*")
_COLON = re.compile(r" ?[:=]")
_WORD = re.compile(r"[^\W\d_]+")
# Marks of Arabic numbers and of fractions, and those of Markdown.
_LATEX = re.compile(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}")
SPELT = str.maketrans("٫٬⁄", ".,/", "*`")
FEW = 2  # words beside a number that is all of an answer: `about $85,000`
MORE = 4  # words beside an end of the range that is the answer with its meaning: `Answer: 5 = strongly agree`
FIRST_YEAR = 1_900  # from here on a range may be one of years
NEAR = 60  # characters between a word and the number that it stands before


@dataclass(frozen=True)
class _Found:
    """A number in a text, None of alternatives.

    `of_all`: it is given out of the range's end, as in 7/10. `is_label`: it is an end of the range whose
    meaning is told, as in `10 = best`. `is_share`: it is one of things, as in `7 of 10 criteria`;
    `is_of_people`: perhaps one of people, as in `9/10 customers`.
    """

    value: float | None
    start: int
    end: int
    of_all: bool = False
    is_label: bool = False
    is_share: bool = False
    is_of_people: bool = False


class NumberReader:
    """Reads the number of a range in a text.

    A number beside one of the words counts, and one given out of the highest value (`7/10`). Where there is
    neither, any number in the range does; if words are declared, only one that is nearly all of the text.

    >>> read = NumberReader(1, 10, ["rating"])
    >>> read("Rating: 7/10, after 5 years."), read("7 for skill, 8 for style"), read("I cannot say.")
    (7.0, None, None)
    """

    def __init__(self, low: float, high: float, beside: Collection[str] = (), own: str = "") -> None:
        self.low, self.high = low, high
        self.has_words = bool(beside)
        self.words = [_plain(word).strip() for word in (*beside, own) if word.strip()]
        self.units = {part.removesuffix("s") for word in self.words for part in _WORD.findall(word)}
        self.is_percent = any(sign in word for sign in PERCENT for word in self.words)

    @cached_property
    def _beside(self) -> re.Pattern[str]:
        """Finds the declared words, as whole words where they have letters at their ends."""
        ordered = sorted(self.words, key=len, reverse=True)
        signs = [word for word in ordered if not (word[0].isalnum() and word[-1].isalnum())]
        found = [whole_words((word, re.escape(word)) for word in ordered if word not in signs)]
        for sign in signs:  # US$ is a word on the left alone
            before = NOT_AFTER_LETTER.format(SPACED_LETTER) if sign[0].isalnum() else ""
            behind = NOT_BEFORE_LETTER.format(SPACED_LETTER) if sign[-1].isalnum() else ""
            found.append(f"{before}{re.escape(sign)}{behind}")
        return re.compile("|".join(found))

    def __call__(self, text: str) -> float | None:
        """Return the number, None where there is none, or no single one."""
        plain = tables_in_lines(stars_in_digits(_plain(text), self.high), self.high)
        plain = named_in_digits(plain, self._beside)
        worded = in_digits(plain)
        text = _DATE.sub(" ", without_list_numbers(worded))
        text, is_withheld = self._without_withheld(text)
        found = self._numbers(text)
        if self._is_reasoned(text, found):
            of_whom = _OF_WHOM.search(text[: found[0].start])
            return None if of_whom and (of_whom[1] or of_whom[2]) not in self.units else found[0].value
        if worded != plain and _OF_PEOPLE.search(text):
            return None
        if worded != plain and not any(one.of_all for one in found):
            # A word is the answer only where hardly another stands beside it: `two reasons` is none.
            found = [one for one in found if not self._is_background(text, one)]
            if not _is_nearly_all(text, found) or any(self._is_count(text, one) for one in found):
                return None
        if len(found) > 1 or not _is_nearly_all(text, found, MORE):
            found = [one for one in found if not one.is_label]
        if len(found) > 1 or not _is_nearly_all(text, found):
            found = [one for one in found if not self._is_background(text, one)]
        before = [None, *found]
        marked = {one for one, last in zip(found, before, strict=False) if self._is_marked(text, one, last)}
        marked |= self._bracketed(text, found)
        # Where texts come in one line, `rating: 7/10 customers like her` may be a rating and what follows.
        found = [one for one in found if not one.is_of_people or one in marked]
        if any(not one.is_share for one in marked):  # 7 of 10 criteria met, rating 6
            found = [one for one in found if not one.is_share]
            marked &= set(found)
        # Where a table rates parts, what is said outside is of the whole.
        of_cells = {one for one in marked if text.startswith(CELL, text.rfind("\n", 0, one.start) + 1)}
        if len({one.value for one in of_cells}) > 1 and marked > of_cells:
            marked -= of_cells
            found = [one for one in found if one not in of_cells]
        of_all = {one for one in found if one.of_all}
        # 10/10 for effort but 6 overall
        said = {one: said_of(text, one.start, one.end, one.of_all) for one in found if of_all}
        of_parts = {said[one] for one in of_all} & {"part"}
        of_all |= {one for one, what in said.items() if what == "whole" or what in of_parts}
        is_any = not is_withheld and (not self.has_words or _is_nearly_all(text, found))
        others = set(found) if is_any else set()
        kinds = [{one.value for one in some} for some in (marked & of_all, marked, of_all, others)]
        for single in (kinds[:1], kinds[1:3], kinds[3:]):
            # Where the word says one number and `7/10` another, nobody knows.
            values = set().union(*(some for some in single if len(some) == 1))
            if values:
                return values.pop() if len(values) == 1 else None
        return None

    def _is_reasoned(self, text: str, found: Sequence[_Found]) -> bool:
        """Whether a text begins with its number, and the rest are reasons that do not come back to it."""
        if not found or found[0].value is None:
            return False
        if any(one.of_all for one in found[1:]) and not found[0].of_all:
            return False
        before = text[: found[0].start]
        reasons = _REASONS.match(text, found[0].end)
        if reasons is None or re.search(r"\d", before) or len(_WORD.findall(before)) > FEW:
            return False
        return self._beside.search(text, reasons.end()) is None and not found[0].is_label

    def _bracketed(self, text: str, found: Sequence[_Found]) -> set[_Found]:
        """Return the numbers that a word has in brackets, as in `"rating": {"skill": 7, "tone": 5}`."""
        marked: set[_Found] = set()
        end = 0
        for word in self._beside.finditer(text):
            opened = _OPENS.match(text, word.end())
            if opened and word.start() >= end and not _ITSELF.match(text, opened.end()):
                end = _closing(text, opened.start(1))
                marked |= {one for one in found if opened.end() <= one.start < end}
        return marked

    def _without_withheld(self, text: str) -> tuple[str, bool]:
        """Return a text without the declared words that have no number, and whether there are some."""
        kept, end = [], 0
        for word in self._beside.finditer(text):
            withheld = _WITHHELD.match(text, word.end())
            if withheld or _is_disowned(text, word):
                kept.append(text[end : word.start()])
                end = withheld.end() if withheld else word.end()
        return "\n".join([*kept, text[end:]]), bool(kept)

    def _numbers(self, text: str) -> list[_Found]:
        """Return the numbers in the range, without those that say the scale or belong to something else.

        Of several between which the text leaves the choice, as in `7 or 8`, one without a value.
        """
        tokens = [match for match in _NUMBER.finditer(text) if self._stands_alone(text, match)]
        found: list[_Found] = []
        place = 0
        while place < len(tokens):
            start = tokens[place].start()
            one, end, place = self._one(text, tokens, place)
            while place < len(tokens) and _is_choice(text, end, tokens[place]):
                other, end, after = self._one(text, tokens, place)
                if other is None:
                    break
                if one is None or one.value != other.value:
                    of_all = other.of_all or (one is not None and one.of_all)
                    one = _Found(None, start, other.end, of_all)
                place = after
            if one is not None:
                found.append(one)
        return found

    def _one(self, text: str, tokens: Sequence[re.Match[str]], place: int) -> tuple[_Found | None, int, int]:
        """Return the number in the range at this place, where it ends, and the place that follows."""
        first = last = tokens[place]
        values = self._values(text, first)
        place += 1
        if place < len(tokens) and _is_range(text, first, tokens[place]):
            last = tokens[place]
            values = self._between(text, first, last)
            place += 1
        end = last.start("percent") if last["percent"] else last.end()
        whole, of_all, is_share, is_of_people = last.end(), False, False, False
        if place < len(tokens):
            link = text[last.end() : tokens[place].start()]
            of_all = self.high in self._values(text, tokens[place])
            of_all = of_all and (_OUT_OF.fullmatch(link) or _OF.fullmatch(link)) is not None
            people = PEOPLE.match(text, tokens[place].end()) if of_all else None
            is_of_people = self._is_unasked(people) and not ONE_PERSON.search(people[0] if people else "")
            if self._is_unasked(people) and "/" not in link:
                return None, tokens[place].end(), place + 1
            is_share = of_all and self._is_unasked(COUNTED.match(text, tokens[place].end()))
            is_odds = first.group() == "1" and _ONE_IN.fullmatch(link) is not None
            if of_all or is_odds or _OUT_OF.fullmatch(link):
                values, whole = values if of_all else [], tokens[place].end()
                place += 1
        values = [value for value in values if self.low <= value <= self.high]
        if values and self.low < 0 and _DASHED.search(text[max(0, first.start() - 3) : first.start()]):
            return _Found(None, first.start(), end), whole, place
        if values and (shorter := self._shorter(text, last.end())):
            while place < len(tokens) and tokens[place].start() < shorter:
                place += 1
            return _Found(None, first.start(), shorter), shorter, place
        is_end = bool(values) and values[0] in (self.low, self.high)
        before = text[max(0, first.start() - NEAR) : first.start()]
        is_scale = is_end and (_OUT_OF_ALONE.search(before) or _FULL_MARKS.match(text, last.end()))
        if not values or is_scale or _NOT.search(before):
            return None, whole, place
        is_label = is_end and _MEANS.match(text, last.end()) is not None
        of_all = of_all and _HOW_SURE.search(before) is None
        return _Found(values[0], first.start(), end, of_all, is_label, is_share, is_of_people), whole, place

    def _between(self, text: str, first: re.Match[str], last: re.Match[str]) -> list[float]:
        """Return the middle of `7 to 8`; nothing of the range itself, which is a scale."""
        given, highs = self._values(text, first), self._values(text, last)
        lows = given
        if last["times"] and not first["times"]:  # 80 to 90k
            lows = [low * MULTIPLIERS[last["times"]] for low in lows]
        elif _ENDS_IN_THOUSANDS.fullmatch(last["digits"]) and lows[0] < 1e3 <= highs[0] <= 1e4 * lows[0]:
            lows = [low * 1e3 for low in lows]  # 80-90,000
        if last["percent"] and not first["percent"] and self.high <= 1:  # 60 to 70%
            lows = [low / 100 for low in lows]
        if self.low in (*given, *lows) and self.high in highs:
            return []
        return [
            round((low + high) / 2, 9)
            for low in lows
            for high in highs
            if self.low <= low <= high <= self.high
        ]

    def _values(self, text: str, token: re.Match[str]) -> list[float]:
        """Return what a number may be; of `85.000` two things, the one in the range first."""
        times = MULTIPLIERS.get(token["times"] or "", 1.0)
        before = text[max(0, token.start() - 20) : token.start()]
        if token["percent"] or before.rstrip().endswith(PERCENT_BEFORE):
            if self.high > 1 and self.high != 100 and not self.is_percent:
                return []
            times = 0.01 if self.high <= 1 else 1.0
        more = float(token["rest"] or token["more"] or 0) * MULTIPLIERS.get(token["more_times"] or "", 1.0)
        if more and more >= times:
            return []
        minus = _BELOW if self.low < 0 else _MINUS
        sign = -1 if minus.search(before) or _NEGATIVE.search(before) else 1
        read = {sign * round(float(value) * times + more, 9): None for value in readings(token["digits"])}
        return sorted(read, key=lambda value: not self.low <= value <= self.high)

    def _stands_alone(self, text: str, token: re.Match[str]) -> bool:
        if _GOES_ON.match(text, token.end()) and not (token["times"] or token["percent"]):
            return False
        before = text[max(0, token.start() - NEAR) : token.start()]
        if before[-1:] in (".", ",", ":") and before[-2:-1].isdigit():
            return False
        named = _NAMED.search(before)
        if _DAY_OR_HOUR.match(text, token.end()) or (named and named[1] not in self.words):
            return False
        if self.low < FIRST_YEAR and _is_year(text, token, before):
            return False
        letters = _LETTERS_BEFORE.search(before)
        if letters is None or letters[1] in CURRENCIES or letters[1] in self.words:
            return True
        if _AMOUNT_BEFORE.search(before):
            return True
        return UNSPACED_LETTER.match(letters[1][-1]) is not None

    def _shorter(self, text: str, end: int) -> int | None:
        """Return where the months or days end that a number is of or goes on with, and nobody asked for."""
        unit = SHORTER.match(text, end)
        if unit is None or (unit["unit"].removesuffix("s") in self.units and unit["years"] is None):
            return None
        return unit.end()

    def _is_background(self, text: str, one: _Found) -> bool:
        """Whether a number is of somebody's age or of other things, where no word of it was asked for."""
        match = BACKGROUND.match(text, one.end)
        if match is None and not _POINT.search(text, max(0, one.start - 3), one.start):  # of 6 - 8 awards
            match = COUNTED.match(text, one.end)
        before = GROUP.search(text, max(0, one.start - NEAR), one.start)
        if before is not None and before[1] not in self.units:
            return True
        if _GROUND.search(text, max(0, one.start - NEAR), one.start) and _THEN_THE_NUMBER.match(
            text, one.end
        ):
            return True
        return self._is_unasked(match)

    def _is_unasked(self, match: re.Match[str] | None) -> bool:
        """Whether what was found behind a number says that it is of something else than was asked for."""
        return match is not None and self.units.isdisjoint(
            word.removesuffix("s") for word in _WORD.findall(match[0])
        )

    def _is_count(self, text: str, one: _Found) -> bool:
        """Whether a number counts what the next word says, where nobody asked for that."""
        match = OF_A_WORD.match(text, one.end)
        return match is not None and match["word"].removesuffix("s") not in self.units

    def _is_marked(self, text: str, one: _Found, previous: _Found | None) -> bool:
        """Whether a declared word stands before it in its sentence and no other number between, or behind."""
        start = max(one.start - NEAR, self._end_with_word(text, previous) if previous else 0, 0)
        before = max([start, *(match.end() for match in _SENTENCE_END.finditer(text, start, one.start))])
        is_before = self._beside.search(text, before, one.start) is not None
        return is_before or self._end_with_word(text, one) > one.end

    def _end_with_word(self, text: str, one: _Found) -> int:
        """Return where a number ends, with the declared word that stands directly behind it.

        A word with a colon is of what follows: texts come in one line, `fit: 6 rating: 7`.
        """
        for gap in (_GAP, _PERCENT_GAP):  # `%` may be a declared word
            between = gap.match(text, one.end)
            word = self._beside.match(text, between.end()) if between else None
            if word and not _COLON.match(text, word.end()):
                return word.end()
        return one.end


def _is_year(text: str, token: re.Match[str], before: str) -> bool:
    if token["times"] or token["percent"] or not _YEAR.fullmatch(token["digits"]):
        return False
    if _LATER_AMOUNT.match(text, token.end()) or (before.endswith("từ ") and _TO.match(text, token.end())):
        return False
    return _BEFORE_A_YEAR.search(before) is not None or text.startswith("年", token.end())


def _is_disowned(text: str, word: re.Match[str]) -> bool:
    """Whether a sentence says of a declared word that there is none, and then gives no number after all."""
    given = _GIVEN.match(text, word.end())
    disowned = _IMPOSSIBLE.match(text, word.end())
    disowned = disowned or _DISOWNED.search(text, max(0, word.start() - NEAR - 20), word.start())
    if disowned is None or _STILL.search(disowned[0]):
        return False
    # Another thing cannot be done, and here is the number.
    if given and (given["verb"] or "," in disowned[0]):
        return False
    most = min(len(text), word.end() + 4 * NEAR)
    end = _SENTENCE_END.search(text, word.end(), most)
    return not _STILL.search(text, word.end(), end.start() if end else most)


def _closing(text: str, start: int) -> int:
    """Return where the bracket ends that opens here, the text's end where it does not."""
    depth = 0
    for sign in _BRACKET.finditer(text, start):
        depth += 1 if sign[0] in "[{" else -1
        if not depth:
            return sign.start()
    return len(text)


def _is_range(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    link = text[first.end() : second.start()]
    if len(link) > NEAR or _is_point(text, link, second):
        return False
    link = _ASIDE.sub("", _CURRENCY.sub("", link))
    if (
        _TO.fullmatch(link)
        or _TO.fullmatch(_MINUS.sub("", link))
        or _SAME_UNIT.match(f"{link}\0{text[second.end() : second.end() + NEAR]}")
    ):
        return True
    before = text[max(0, first.start() - NEAR) : first.start()]
    if link.strip() == "a":  # de 3 a 5; in English it is an article
        return _DE.search(before) is not None
    return _AND.fullmatch(_MINUS.sub("", link)) is not None and _BETWEEN.search(before) is not None


def _is_point(text: str, link: str, second: re.Match[str]) -> bool:
    """Whether a dash begins a point of a list, where texts come in one line: `rating: 6 - 8 awards`."""
    if _POINT.fullmatch(link) is None or len(second["digits"]) > 2 or second["times"] or second["percent"]:
        return False
    is_background = BACKGROUND.match(text, second.end()) is not None
    return "\n" in link or is_background or _AMOUNT_BEHIND.match(text, second.end()) is None


def _is_choice(text: str, end: int, token: re.Match[str]) -> bool:
    """Whether what ends here and a number are alternatives, as in `7, or maybe 8`."""
    link = text[end : token.start()]
    return len(link) <= NEAR and _OR.fullmatch(_CURRENCY.sub("", link)) is not None


def _plain(text: str) -> str:
    """Return a text in small letters, its digits and marks as ASCII has them, without marks of Markdown."""
    text = unicodedata.normalize("NFKC", with_fractions(text)).casefold()
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c for c in text)
    return _LATEX.sub(r"\1/\2", text).replace("\\$", "$").translate(SPELT)


def _is_nearly_all(text: str, found: Sequence[_Found], few: int = FEW) -> bool:
    if len(found) != 1:
        return False
    rest = text[: found[0].start] + " " + text[found[0].end :]
    return len([word for word in _WORD.findall(rest) if word not in CURRENCIES]) <= few
