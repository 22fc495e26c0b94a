"""Numbers in words, such as *seven out of ten*, and fractions, such as 8½, as digits."""

import re

# Whole numbers up to ten. What may be another word, such as *one*, *null* or दो (give), is no number here.
WORDS = {
    0: "zero kosong nol không sero zéro cero 零 ศูนย์ பூஜ்யம் शून्य",
    1: "satu isa eins",
    2: "two dua dalawa zwei deux dos 二 两 兩 สอง இரண்டு",
    3: "three tiga tatlo drei trois tres 三 สาม மூன்று तीन",
    4: "four empat bốn apat vier quatre cuatro 四 สี่ நான்கு चार",
    5: "five lima fünf cinq cinco 五 ห้า ஐந்து पाँच पांच",
    6: "six enam sáu anim sechs seis 六 หก ஆறு छह",
    7: "seven tujuh bảy bẩy pito sieben sept siete 七 เจ็ด ஏழு सात",
    8: "eight lapan delapan tám walo acht huit ocho 八 แปด எட்டு आठ",
    9: "nine sembilan chín siyam neun nueve 九 เก้า ஒன்பது नौ",
    10: "ten sepuluh mười sampu zehn diez 十 สิบ பத்து दस",
}
# In English up to 99.
_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["eleven", "twelve"]
_TEENS += [f"{part}teen" for part in ("thir", "four", "fif", "six", "seven", "eigh", "nine")]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ABOVE_TEN = "|".join([*_TEENS, *_TENS])
DIGITS = {word: str(number) for number, words in WORDS.items() for word in words.split()}
DIGITS |= {word: str(number) for number, word in enumerate(_TEENS, 11)}
for tens, word in enumerate(_TENS, 2):
    DIGITS |= {word: f"{tens}0"}
    DIGITS |= {f"{word}{gap}{one}": f"{tens}{ones}" for ones, one in enumerate(_ONES, 1) for gap in "- "}
_ANY_DIGITS = "|".join(sorted(DIGITS, key=len, reverse=True))
# These are numbers only where they are the whole answer, or given out of another.
ALONE = {"one": "1", "một": "1", "一": "1", "หนึ่ง": "1", "hai": "2", "ba": "3"}
_ONE_OUT_OF = re.compile(r"\bone(?= out of\b)")
# Vowel signs of Indic and Thai scripts are no \w.
_LETTER = r"[\w\u0900-\u0963\u0b80-\u0be5\u0e31-\u0e4e]"
_WORD = re.compile(rf"(?<!{_LETTER})(?:{_ANY_DIGITS})(?!{_LETTER}|-\w)")
_OUT_OF_WORD = re.compile(rf"(?P<of>/|\bout of|满分|滿分)\s*(?P<word>{_ANY_DIGITS})(?!{_LETTER})")
# 十分优秀 is very good, and 八十五分 are 85
_POINTS = re.compile(r"(?<![零一二两兩三四五六七八九十])([零二两兩三四五六七八九十])(?=分(?:\W|$))")
# With these it is a part of a longer number.
_LONGER = re.compile(
    r"\b(?:hundred|thousand|million|half|quarters?|point|dozen|per ?cent"
    rf"|one (?:or|to|{_ABOVE_TEN})|(?:{_ABOVE_TEN}) (?:{_ABOVE_TEN}|ten|oh)"
    r"|vingts?|trente|(?:quar|cinqu|soix)ante|dix (?:sept|huit|neuf)"
    r"|veinte|(?:trei|cuare|cincue|sese|sete|oche|nove)nta|ciento|mil|labing|belas"
    r"|puluh|ratus|ribu|juta|setengah|koma|rưỡi|trăm|mươi|phẩy|komma|einhalb"
    r"|virgule|coma|demie?|medio)\b|[百千万半点點]"
)
# Behind a declared word: a number in quotation marks, or at the end of its sentence.
_ANY = "|".join(sorted([*DIGITS, *ALONE], key=len, reverse=True))
_QUOTED = re.compile(rf"[\"']?\s*[:=]\s*([\"'])(?P<word>{_ANY})\1")
_LAST = re.compile(
    rf"[\"']?\s*(?:[:=]|\b(?:is|of)\b)\s*(?P<word>{_ANY})(?!{_LETTER}|-)(?=\s*(?:[.!}}\]\n。]|$))"
)
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75", "1/2": ".5", "1/4": ".25", "3/4": ".75"}
_HALF = "and an? half|et demie?|y medi[oa]|at kalahati|setengah|rưỡi|ครึ่ง"
# Behind a whole number, as in 8½, 8 ½ and 8 1/2, and no 3 1/2/2024; 8 and a half, too.
_FRACTION = re.compile(
    rf"(?<![\d.,/])(\d{{1,3}})(?: ?([½¼¾])|[ -](1/2|1/4|3/4)(?![\d/])| ?(?:{_HALF})(?!\w))(?!\d)",
    re.IGNORECASE,
)


def with_fractions(text: str) -> str:
    """Return a text whose mixed fractions are decimals.

    >>> with_fractions("8½, or 7 1/2"), with_fractions("7 and a half"), with_fractions("1/2")
    ('8.5, or 7.5', '7.5', '1/2')
    """
    return _FRACTION.sub(lambda match: match[1] + _FRACTIONS[match[2] or match[3] or "½"], text)


def in_digits(text: str) -> str:
    """Return a text in small letters with its numbers in words as digits.

    One with a digit, or with a longer number, comes back as it is.

    >>> in_digits("seven out of ten"), in_digits("seventy-five"), in_digits("two hundred")
    ('7 out of 10', '75', 'two hundred')
    >>> in_digits("7 is seven")
    '7 is seven'
    """
    if any(character.isdigit() for character in text) or _LONGER.search(text):
        return text
    if (bare := text.strip(" \n.,:;!_\"'()。")) in ALONE:
        return ALONE[bare]
    text = _ONE_OUT_OF.sub("1", text)
    text = _POINTS.sub(lambda match: DIGITS[match[1]], text)
    text = _OUT_OF_WORD.sub(lambda match: f"{match['of']} {DIGITS[match['word']]}", text)
    return _WORD.sub(lambda match: DIGITS[match[0]], text)


def named_in_digits(text: str, beside: re.Pattern[str]) -> str:
    """Return a text in small letters with the number as a digit that a word of `beside` has directly behind.

    >>> named_in_digits('{"rating": "seven", "reason": "two awards"}', re.compile("rating"))
    '{"rating": 7, "reason": "two awards"}'
    """
    for word in beside.finditer(text):
        said = _QUOTED.match(text, word.end())
        if said is None and (last := _LAST.match(text, word.end())):
            said = None if _WORD.search(text, last.end()) else last
        if said is not None:
            number = (DIGITS | ALONE)[said["word"]]
            start, end = said.span("word")
            quote = said.re is _QUOTED
            return text[: start - quote] + number + text[end + quote :]
    return text
