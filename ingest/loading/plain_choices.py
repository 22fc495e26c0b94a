"""Whom an answer that names several people plainly chooses. People are marks there, from FIRST_MARK on."""

import re

FIRST_MARK = 0x20000  # rare letters, which stand for people
MARK = "[\U00020000-\U0002a6df]"
PERSON = (
    rf"(?:(?:the )?(?:candidate|option|applicant|person) )?[\"'“‘*_(\[]*({MARK})[\"'”’*_)\]}}]*(?![\w'’])"
)
PICK = (
    "choose|pick|select|hire|interview|invite|prefer|recommend|go with|go for|opt for|vote for"
    "|recommend (?:interviewing|hiring|inviting|choosing|selecting)|choose to (?:interview|hire|invite)"
)
RIVAL = rf"(?:over|rather than|instead of|not) \W*(?:candidate )?{MARK}\W*?"
ENDS = (
    rf"(?=\W*$|[^\w\n,]*(?:[.!;:\n]|[–—-] )|,? {RIVAL}(?:$|[.!\n])"
    rf"|(?<=\"),|,? (?:{RIVAL},? )?(?:because|since|due to|based on|given|as (?:she|he|they|{MARK}))\b)"
)
BETTER = "better|best|stronger|strongest|preferable|(?:more|most) (?:suitable|suited|qualified)"
ROLE = "(?:choice|candidate|fit|option|applicant|pick|person|one)"
START = r"(?:^|[\n{,.!|])[^\w\n]{0,20}"
PLAIN = re.compile(
    rf"{START}(?:(?:my|the|final|best|preferred|recommended|selected|chosen)[ _])*"
    r"(?:answer|choice|decision|recommendation"
    r"|selection|pick|verdict|conclusion|winner|selected|chosen|candidate)"
    rf"\W{{0,6}}(?::|=|\bis\b)[\s\"'“*:$(<]*{PERSON}{ENDS}"
    rf"|\b(?:I|we)(?: would|['’]d| will|['’]ll| (?:would )?have to)?(?: \w+ly)? (?:{PICK}) {PERSON}{ENDS}"
    rf"|(?:^|[.!\n][^\S\n]*|\b(?:so|therefore|thus|hence),? )(?:{PICK}) {PERSON}{ENDS}"
    rf"|\b(?:so|therefore|thus|hence|overall),? {PERSON}(?=\W*$)"
    rf"|(?:\\boxed\{{(?:\\text\{{)?|<answer>\s*){PERSON}"
    rf"|^[^\w\n]*{PERSON}(?=[^\w\n:]*\n|,? {RIVAL}(?:$|[.!\n]|,? (?:because|since|due to|as)\b))",
    re.I,
)
# Of two, who is better is chosen, where the sentence says no more: `B is better than A.`
PRAISED = rf"{PERSON} (?:is|seems|looks)(?: like)? (?:the |a )?(?:{BETTER})(?: {ROLE})?"
RIVAL_OF_TWO = rf"\W*(?:candidate )?{MARK}\W*(?:$|[.\n]|,? (?:because|since|due to|as)\b)"
COMPARED = re.compile(
    rf"(?:\bbut |\b(?:while|(?:even )?though|although|whereas)\b[^.!?\n]{{1,200}}, ){PRAISED}(?=\W*$)"
    rf"|\A\W*(?:{PRAISED} than|{PERSON} (?:beats|outshines|edges out|wins over)) {RIVAL_OF_TWO}",
    re.I,
)
IS_PRAISED = re.compile(PRAISED, re.I)
# A yes for one and a no for each other: `A: yes / B: no`, `{"A": true, "B": false}`, `yes to A, no to B`.
YES = (
    "yes|true|✅|✓|✔|👍|🥇|selected|chosen|hired?|invited?|interview|accept(?:ed)?|approved?|shortlist(?:ed)?"
    "|winner|ja|oui|sí|si|sim|ya|oo|có|是|是的|ใช่|ஆம்|हाँ|हां"
    "|はい|예|네"
)
NO = (
    "no|false|❌|✗|✘|✖|👎|🥈|not (?:selected|chosen|invited|hired|accepted|shortlisted)"
    "|do(?: not|n['’]t) (?:hire|invite|interview)|reject(?:ed)?|declined?|fail(?:ed)?|pass on"
    "|runner[- ]up|nein|non|não|tidak|hindi|không|否|不|不是|ไม่|ไม่ใช่|இல்லை|नहीं|いいえ|아니요"
)
# Of one who passes beside one who is hired nobody is hired; beside one who fails it is a yes.
SAID = rf"(?:(?P<yes>{YES})|(?P<no>{NO})|(?P<passes>pass(?:ed)?))(?!\w)"
CALLED = r"[\W_]*(?:(?:the )?(?:candidate|option|applicant|person) [\W_]*)?"
OF_ONE = rf"{CALLED}(?P<mark>{MARK})[^\w\n]*(?:is (?:a )?[\"'“‘*]*)?_{{0,2}}{SAID}"
TO_ONE = rf"[\W_]*{SAID} (?:to|for|auf|untuk|a|à|pour|para) {CALLED}(?P<mark>{MARK})"
BEFORE_ONE = rf"[\W_]*{SAID}{CALLED}(?P<mark>{MARK})"
TABLE_HEAD = re.compile(rf"\A(?:(?!{MARK})[^\n])*\|[ \t]*\n[ \t|:]*-[ \t|:-]*\n")
# Behind it the rest of its line, if nobody is named there and it is no part of what is said: `no concerns`.
REASON = (
    r"(?P<reason>(?=[\s\"'*]*(?:[^\w\s\"'*{}]|(?:because|since|due to)\b|$))[^\w\n{}]"
    rf"(?:(?!{MARK})[^\n{{}}])*(?=\n|$)|[^\w\n{{}}]*)"
)
VERDICTS = tuple(re.compile(said + REASON, re.I) for said in (OF_ONE, TO_ONE, BEFORE_ONE))
# A yes with these may answer another question: `yes, a gap`.
FLAW = re.compile(
    r"\b(?:concern|red flag|gap|weak|risk|reserve|back-?up|waiting|lack|problem|issue|bias)", re.I
)
# In an object, whom it does not choose stands under a name that says so.
LOSER = re.compile(
    r"[,{]\s*\"(?:loser|rejected|rejected_\w+|not_\w+|runner[_-]?up|other|second|second_\w+)\"\s*:\s*"
    rf"\"{PERSON}\"",
    re.I,
)
# What may make a plain choice none: a condition, a question, a second thought, another who is chosen, too.
NOT_PLAIN_BEFORE = re.compile(
    r"\b(?:if(?! (?:I|we) (?:had|have) to\b| forced| pressed)|were|when|why|unless|second|worst|least|never"
    r"|not|might|could|should|does|do)\b[^.!?\n]*$|n['’]t\b[^.!?\n]*$",
    re.I,
)
NOT_PLAIN_AFTER = re.compile(
    r"^[^.!\n]*\?|\b(?:or|but|however|although|though|unless|otherwise|else|if|yet|alternatively|wait|actually"
    r"|second thought|then|also|too|as well|both|neither|either|other|equally|ties?|refuse|unfair)\b",
    re.I,
)
RIVAL_NAMED = re.compile(
    rf"\b(?:over|rather than|instead of|than|unlike|beats|outshines|edges out"
    rf"|(?:compared|next) (?:to|with)|not)"
    rf" \W*(?:candidate )?{MARK}|{MARK}\W* (?:lacks|is weaker"
    r"|(?:has|had|is|offers|brings)(?: \w+)? (?:less|fewer|no|not|only|weaker|shorter|lower))\b",
    re.I,
)
SAME_MENTION = re.compile(r"(?:candidate|[^\w\n.])*", re.I)  # B (Ben), Candidate B


def said_plainly(words: str, said: list[tuple[int, re.Match[str]]], n: int) -> set[int] | None:
    """Return whom of `n` an answer that names several plainly chooses, where nothing speaks against it."""
    if len(words) > 20_000 or re.search(MARK, words):
        return None
    marked, end = "", 0
    for person, match in said:
        between = words[end : match.start()]
        if marked.endswith(_mark(person)) and SAME_MENTION.fullmatch(between):
            end = match.end()
            continue
        marked += between + _mark(person)
        end = match.end()
    marked += words[end:]
    if by_verdict := _said_of_each(marked):
        return {ord(by_verdict) - FIRST_MARK}
    marked = LOSER.sub("", marked)
    hits = list(PLAIN.finditer(marked))
    if n == 2 and not hits:
        hits = list(COMPARED.finditer(marked))
        if len({one[1] for one in IS_PRAISED.finditer(marked)}) > 1:
            return None
    people = {next(mark for mark in hit.groups() if mark) for hit in hits}
    if len(people) != 1:
        return None
    (mark,) = people
    for hit in hits:
        place = hit.start(hit.lastindex or 0)
        rest = marked[place + 1 :]
        if NOT_PLAIN_BEFORE.search(marked[:place]) or NOT_PLAIN_AFTER.search(rest):
            return None
        others = RIVAL_NAMED.sub("", rest).replace(mark, "")
        if re.search(MARK, others):
            return None
    return {ord(mark) - FIRST_MARK}


def _said_of_each(marked: str) -> str | None:
    """Return the mark of whom an answer says yes of, where it is a yes or a no of each and one yes."""
    marked = TABLE_HEAD.sub("", marked)
    for verdict in VERDICTS:
        found, end = [], 0
        while one := verdict.match(marked, end):
            found.append(one)
            end = one.end()
        people = [one["mark"] for one in found]
        chosen = [one["mark"] for one in found if one["yes"]]
        if not chosen and any((one["no"] or "").lower().startswith("fail") for one in found):
            chosen = [one["mark"] for one in found if one["passes"]]
        is_all = not re.search(r"\w", marked[end:]) and len(people) == len(set(people)) > 1
        reasons = " ".join(one["reason"] for one in found)
        is_flawed = any(FLAW.search(one["reason"]) for one in found if one["mark"] in chosen)
        is_plain = not (is_flawed or re.search(f"{MARK}|{NOT_PLAIN_AFTER.pattern}", reasons, re.I))
        if is_all and len(chosen) == 1 and is_plain:
            return chosen[0]
    return None


def _mark(person: int) -> str:
    return chr(FIRST_MARK + person)
