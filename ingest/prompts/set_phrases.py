"""Words for people that mean no person: "man-made", "the Isle of Man". Replaced, they say another thing."""

import re
from collections.abc import Container
from typing import TypeGuard

COMPOUND, PROPER_NAME = "compound", "proper_name"
HYPHEN = "[-\u2010\u2011]"
JOINED_BEFORE = re.compile(rf"([^\W_]+)['’]?{HYPHEN}$")
JOINED_AFTER = re.compile(rf"{HYPHEN}([^\W_]+)")
# Beside these the word still means a person: "ex-wife", "two-man crew", "20-year-old-man", "mother-to-be".
STILL_A_PERSON_BEFORE = re.compile(
    r"""(?:\d+|all|both|every|one|two|three|four|five|six|seven|eight|nine|ten|ex|step|half|great|grand|non|co|
    to|by|in|and|or|mixed|single|multi|trans|cis|pro|anti|old)""",
    re.VERBOSE | re.IGNORECASE,
)
STILL_A_PERSON_AFTER = re.compile(
    r"""(?:owned|led|run|only|headed|founded|dominated|majority|friendly|specific|oriented|focus?sed|cent(?:er|r)ed|
    centric|coded|presenting|identif(?:ied|ying)|born|turned|like|to|by|and|or)""",
    re.VERBOSE | re.IGNORECASE,
)
WORD = r"[^\W\d_][\w'’-]*"
WORDS = re.compile(WORD)
WORD_BEFORE = re.compile(rf"({WORD}) +$")
WORD_AFTER = re.compile(rf"(?:['’]s)? +(?:of (?:the )?)?({WORD})")
NAME_OF = re.compile(r"\b[^\W\d_a-z][\w'’-]* of (?:the )?$")
# These have a capital beside a word for a person, and name nothing: "Dear Sir", "The Man".
NO_NAME = re.compile(
    "dear|hello|hi|an?|the|this|that|my|our|your|i|and|or|but|yes|no|if|when|is|are|was", re.I
)
# Before a name these are a title of somebody: "Uncle Tan".
TITLE = re.compile("uncle|aunt|mum|mom|dad|grandfather|grandmother|grandpa|grandma", re.I)
# So are these, and the other word is none: "Lady Tan" is no "Gentleman Tan", "Madam President" no "Sir".
RANK = re.compile("sir|lady|madam", re.I)
ADDRESS = re.compile("sir|madam", re.I)  # "Respected Sir" names nobody, "the Iron Lady" somebody
AT_ONCE = re.compile(rf" +({WORD})")
# Before one these only describe: "a Chinese Man".
DESCRIPTION = re.compile(r"\w+(?:an|ese|ish)|malay|black|white|brown|old|young|elderly|married|gay", re.I)
STARTS_CLAUSE = re.compile(r"(?:[:;.!?|•*#\n]|^)[\s\d)\]\"'‘“(*#-]*$")
CLAUSE_END = re.compile(r"[:;.!?,|\n\"“”]")
SEEN = 80  # characters on either side
LONG_WORD, HEADING = 4, 3  # characters; so many long words, all with a capital, make a heading


def set_phrase_flags(text: str, start: int, end: int, is_common: bool, people: Container[str]) -> set[str]:
    """Say whether a word for people, text[start:end], is part of a compound or of a name.

    `is_common`: its table writes it without a capital. `people` are the words that the table replaces.

    >>> set_phrase_flags("A man-made island", 2, 5, True, {"man"})
    {'compound'}
    >>> set_phrase_flags("A woman-owned shop", 2, 7, True, {"woman"})
    set()
    """
    if not is_common:
        return set()
    # Patterns that look back take the square of what they see.
    before, found, after = text[max(0, start - SEEN) : start], text[start:end], text[end : end + SEEN]
    flags = set()
    if _is_joined(JOINED_BEFORE.search(before), STILL_A_PERSON_BEFORE, people) or _is_joined(
        JOINED_AFTER.match(after), STILL_A_PERSON_AFTER, people
    ):
        flags.add(COMPOUND)
    if found[:1].isupper() and not found.isupper() and _is_named(before, found, after):
        flags.add(PROPER_NAME)
    return flags


def _is_joined(other: re.Match[str] | None, harmless: re.Pattern[str], people: Container[str]) -> bool:
    return other is not None and not harmless.fullmatch(other[1]) and other[1].casefold() not in people


def _is_named(before: str, found: str, after: str) -> bool:
    """Say whether a word with a capital, between these texts, is part of a name."""
    if NAME_OF.search(before):
        return True
    clause = CLAUSE_END.split(before)[-1] + " X " + CLAUSE_END.split(after)[0]
    long_words = [word for word in WORDS.findall(clause) if len(word) >= LONG_WORD]
    if len(long_words) >= HEADING and all(word[:1].isupper() for word in long_words):
        return False  # a heading
    if RANK.fullmatch(found) and _may_name(AT_ONCE.match(after)):
        return True
    if STARTS_CLAUSE.search(before):
        return False
    if TITLE.fullmatch(found) or ADDRESS.fullmatch(found):
        return False
    following, preceding = WORD_AFTER.match(after), WORD_BEFORE.search(before)
    return _may_name(following) or (_may_name(preceding) and not DESCRIPTION.fullmatch(preceding[1]))


def _may_name(word: re.Match[str] | None) -> TypeGuard[re.Match[str]]:
    return word is not None and word[1][:1].isupper() and not NO_NAME.fullmatch(word[1])
