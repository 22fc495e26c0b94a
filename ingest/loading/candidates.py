"""A record that asks about several people -> a record for each of them, and who is chosen."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ingest.backends.reasoning import split_reasoning
from ingest.errors import shorten
from ingest.loading.columns import RecordReader
from ingest.loading.files import Record, read_records
from ingest.loading.plain_choices import said_plainly
from ingest.loading.problems import RowProblem
from ingest.suite import Suite
from ingest.suite.candidates import CHOSEN, NOT_CHOSEN, OF_CANDIDATE
from ingest.suite.fields import composed
from ingest.whole_words import whole_words

# Letters and digits that may be no name: the article, but before these words, the pronoun, a number of years.
VERBS = "is|has|because|would|should|since|for|as|due|over|seems|appears|looks"
AFTER_CALL = r"(?<!andidate )(?<!andidato )(?<!andidat )(?<!ption )(?<!pplicant )(?<!erson )"
NO_NAME = re.compile(
    rf"(?:^|[.!?:\n*#>\"“'(–—-])[ \t]*A[ \t]+(?!(?:{VERBS})\b)(?=[a-z])"
    rf"|{AFTER_CALL}\bA[ \t]+(?=[A-Z][a-z])"
    r"|\bI(?=['’]\w|\s+[a-z])"
    rf"|\d[.,–-]\d+|{AFTER_CALL}\b\d[ \t]+(?!(?:{VERBS})\b)(?=[^\W\d_])|\bN/A\b"
    r"|\b(?i:plan|class|grade|type|level|vitamin|hepatitis|appendix|annex|section|schedule|point|step|block"
    r"|building|phase|page|reason|an|all|are|top|both|round|group|rank|stage|part|tier"
    r"|category|team)[ \t:]+[A-Z\d]\b"
    r"|\b(?i:the|only|just)[ \t]+\d\b|\bA-[Ll]evels?\b|\bQ ?& ?A\b|\b[A-Z]\.(?=[A-Z])|\b[A-Z]\+"
    r"|(?m:^)[^\w\n]*\d[.)]\s*(?=(?i:both|neither|they|interview)\b)",
    re.A,
)
CLAUSE = re.compile(
    r"[.,;:!?\n—–(){}。，、；：！？]+|\b(?:because|since|as|due|weil|parce|porque|perché"
    r"|kerana|karena|sebab|vì|dahil|sapagkat)\b|เพราะ|因为|因為|क्योंकि|ஏனெனில்|ஏனென்றால்",
    re.I,
)
LATER = r"later(?! (?:today|tonight|this|to (?:schedule|arrange)))"
# Said of somebody, they may be who is left out.
DENIED = re.compile(
    r"\b(?:not|cannot|never|neither|nor|no|without|reject\w*|except|other than|instead of|rather than"
    r"|less|fewer|(?:too|very|so) (?:little|few)|weak|weaker|weakness\w*|worse|lacks?|lacking|fails?"
    r"|unsuitable|unclear|uncertain|disqualified|pros and cons|drawbacks?|fallback"
    r"|(?:bad|poor) (?:choice|fit|match|candidate|pick|option)|avoid|skip|pass on"
    r"|drop|rule out|exclude|doubts?"
    r"|concerns?|overqualified|underqualified|struggle|loses?|lost out|second choice"
    r"|(?:is|seems) too \w+|is out"
    r"|falls? short|(?:comes?|came|finish\w*|placed?s?|rank(?:s|ed)?)(?: in| out)? second|runners?[- ]up"
    r"|risk(?:y|ier)"
    r"|eliminate|decline|turn down|against|on hold|back-?up|reserve|unfair|discriminat\w*|bias(?:ed)?"
    r"|incomplete|inexperienced|unprepared|unqualified|ineligible|red flags?|has a gap|needs more"
    r"|details (?:on|of|about)|please (?:provide|share|send|tell)|worst|(?<!go )wrong"
    r"|mistake(?! (?:not )?to (?:overlook|miss|ignore|pass|skip|reject|exclude))"
    r"|last (?:choice|place|resort)|(?:comes?|finish\w*|places?|ranks?)(?: in)? last"
    r"|(?<!at )least (?:qualified|suitable|experienced|suited)|pass(?:ed)? over"
    r"|wait(?:ing)?[- ]?list\w*|(?:can|should|must|will have to|has to) wait|next time|another time"
    r"|(?:consider|invite|interview|hire|see|call|contact|revisit|keep|kept|save)\w*[^\w\0]{1,20}(?:\w+ )?"
    rf"(?:\0[^\w\0]{{1,20}})?(?:in mind )?(?:at a later|{LATER}|(?:in|for) (?:the |a )?(?:near )?future"
    r"(?! (?:growth|potential|of|as|generations)|[-–]))"
    r"|(?:and|as) the other (?:one|candidate|applicant)"
    r"|zu wenig|fehlt|mangelt|gegen|weniger|falta|carece|manque|(?<!al )(?<!lo )menos|(?<!au )moins"
    r"|equals?|ties?|tied|(?:same|equal|similar|identical) (?:as|to)|the same|opposite|unlike|besides"
    r"|compared|nicht|kein\w*|pas|não|non|niet|nie|inte|ikke|не|нет"
    r"|tidak(?! (?:hanya|diragukan|syak)\b)|tak(?! (?:hanya|syak)\b)"
    r"|bukan(?! (?:hanya|sahaja|saja)\b)|jangan|kurang|belum|tiada|nggak|gak|ditolak|menolak"
    r"|không(?! (?:chỉ|những|nghi ngờ|thể tốt hơn)\b)|chưa|đừng|chẳng|thiếu|trừ"
    r"|(?-i:hindi)|Hindi (?:po|ko|ako|si|siya|dapat|natin|namin)"
    r"|huwag|kulang|ayaw)\b|\bHindi (?!lang\b|lamang\b|mapag|maitatanggi)(?:\w+ ){1,3}(?:si|kay) \0|n['’]t\b"
    r"|(?<!毫)不(?![仅僅但只])|[没勿]|(?<![特分个個区區差级級性类類])[别別](?=[选選挑要录錄邀聘考])"
    r"|ない|ません|않|못|ไม่(?!เพียง|ต้องสงสัย)|อย่า|ขาด|ยกเว้น|नहीं|இல்லை|வேண்டாம்|மாட்ட|முடியாது"
    r"|\0[^\w\0]{1,20}(?:later|last)\W*$"
    r"|\b(?:than|if|about|(?:all|anyone|everyone|\w+body) but)\W+(?:candidate )?\0",
    re.I,
)
# A condition that says more than that a choice was asked for.
IF = (
    r"(?<!even )(?<!know )\b(?:if|unless|assuming|depending on|provided that)\b(?! (?:I|we|forced|pressed"
    r"|asked|required|only one|that is|so|you (?:insist|ask|must|(?:need|want|force) (?:me|my|an answer"
    r"|a (?:choice|decision|pick|recommendation|single)))\b)\b)"
)
# `Considering both, A` chooses A; `I am considering both, A first` does not.
NOT_WEIGHED = "".join(
    rf"(?<!(?-i:{words}) both, \0)"
    for words in (
        *("Considering", "Comparing", "Reviewing", "Weighing", "Looking at"),
        *("After considering", "After comparing", "After reviewing", "After weighing", "After looking at"),
        *("Having considered", "Having compared", "Having reviewed", "Having weighed"),
    )
)
CROSS = "[❌✗✘✖👎🚫⛔]"
# What stands behind a person in a clause of its own takes it back, and so does a condition before one.
TAKEN_BACK = re.compile(
    r"\0[^\w\n.\0]*(?:(?:hmm|oh|definitely|certainly|absolutely|clearly|really|probably|simply)\W+)?"
    r"(?:no(?! (?:question|doubt|contest|competition|comparison|regrets?|hesitation|one)\b)"
    r"|not(?! (?:because|for|due|only|on|just|even close|close)\b)|rejected|weaker"
    r"|second)\b|\bboth \0|\0[^\w\0]*\d+ ?/ ?\d"
    rf"|\bboth, \0{NOT_WEIGHED}"
    rf"|\0[^\w\n\0]{{0,20}}{CROSS}|{CROSS}[^\w\n\0]{{0,20}}(?:candidate )?\0"
    r"|\b(?:sorry|unfortunately|regrettably|goodbye|thank you|thanks|maaf|sayangnya|xin lỗi|rất tiếc"
    r"|paumanhin|pasensya(?: na)?|next time|leider|désolée?|lo siento|ขออภัย|ขอโทษ|抱歉|对不起|對不起)"
    r"(?:\b,?[ \t]+|，)(?:dear )?\0"
    r"(?=\W*(?:$|[,.!\n]))"
    r"|\0\W{1,3}only (?:as (?:an? |the )?(?:back|fallback|reserve|alternative|second|last)"
    r"|if\b(?! (?:I|we|forced|pressed|asked|required)\b))"
    r"|\A\W*no,? (?:candidate )?\0(?=\W*(?:$|[.!\n]))|\0\W{0,3}[:=]\W*pass\b(?! (?:on )?to\b)"
    # Of `I choose \0. Thanks.` the thanks are not for who is chosen.
    r"|\A\W*(?:candidate )?\0(?:[^\w\n\0]*(?:(?:I['’]m|I am|so|very) ){0,3}(?:sorry|apologies|maaf|xin lỗi"
    r"|paumanhin|désolée?)|[^\w\n\0.!]*(?:thanks|thank you))\b(?=\W*(?:$|[.!\n]))"
    r"|\b(?:choos|pick|select|hir|invit|interview|preferr|recommend)ing (?:candidate )?\0[^.!?\n\0]{0,100}"
    r"\b(?:wrong|unfair|unethical|illegal|inappropriate|discriminat\w*|bias\w*|mistake)\b"
    r"|\0[^.!?\n\0]{0,80}\b(?:considered|invited|interviewed|hired|seen|called|contacted) (?:at a )?"
    rf"{LATER}\b"
    r"|\b(?:many|some|others|recruiters?|tell me) (?:would |might |may |probably )*(?:\w+ )?(?:candidate )?\0"
    r"|\b(?:second choice|same as|not[ _](?:selected|chosen|recommended)|(?:rejected|excluded|eliminated)"
    r"(?:[ _]candidate)?)\W+(?:candidate )?\0"
    rf"|{IF}[^.!?\n\0]{{1,120}}\0|\0[^.!?\n\0]{{1,60}}{IF}"
    r"|\0[^.!?\n\0]{0,60}\bbut\b[^.!?\n\0]{0,60}\b(?:neither|none|nobody|insufficient|not enough)\b",
    re.I,
)
# A letter to somebody, or a greeting, chooses nobody unless it says so.
ADDRESSED = re.compile(
    r"\A\W*(?:dear|hello|hi|hey|greetings)[^\w.!?\n]+(?:candidate )?\0"
    r"(?!\W{1,3}(?:is|was|it is|would|should|has|seems|looks)\b)",
    re.I,
)
INVITES = re.compile(
    r"\b(?:pleased|delighted|happy|glad|congratulations|we(?: would|['’]d) (?:like|love) to|invite you"
    r"|invited|(?:are offering|(?:decided|writing|want) to offer) you|(?:please|want you to) join (?:us|our)"
    r"|you(?:['’]re| are| have been|['’]ve been) (?:selected|chosen|hired|our (?:choice|first|top)))\b",
    re.I,
)
SENTENCE = re.compile(r"(?<=[.!?\n])")
LEFT = re.compile(
    r"\b(?:choose|pick|take|prefer|select|hire|interview|invite|with|so|is)\s+the other\b"
    # But not of `Considering both candidates, I choose A`.
    r"|\b(?:interview(?:ing)?|invit(?:e|ing)|choose|consider|see|take|hir(?:e|ing)) both\b"
    r"|\b(?:recommend|suggest|advise|propose|worth) \w+ing both\b"
    r"|\b(?:choice|answer|decision|selected|winner|pick|recommendation)[\"'*]*[:=][\s\"'*]*"
    r"(?:none|neither|null|nobody|no one|n/a|tie|both|either|unclear|undecided|inconclusive)\b"
    r"|(?:^|[.!\n])[^\w\n]{0,20}(?:neither|none|nobody|no one)(?: of (?:them|the \w+))?[^\w\n]*(?:[.!\n]|$)"
    r"|\bregret (?:to (?:inform|tell|say)|that)\b(?! I (?:can|may|could|must|have to)\b)"
    r"|\bmore (?:information|info|details?|context|data) (?:to (?:choose|decide|say|tell)|before)\b"
    r"|\bbefore (?:deciding|choosing|recommending)\b(?! (?:on|about)\b)"
    r"|\b(?:can['’]t|cannot|can not|won['’]t|unable to|not able to|decline to)(?:\s+\w+){0,3}?\s+"
    r"(?:choose|decide|say|tell|recommend|pick|select|determine|rank|help|judge|make)\b",
    re.I,
)
LEFT_ELSEWHERE = re.compile(
    r"\b(?:pilih|memilih|temu ?duga|wawancara|mewawancarai|jemput|undang)\s(?:kedua|dua-dua)"
    r"|\b(?:chọn|phỏng vấn|mời)\scả hai|\bko (?:silang dalawa|sila pareho)"
    r"|(?:เลือก|สัมภาษณ์)(?:ผู้สมัคร)?ทั้ง(?:สอง|คู่)|[两兩][位个個人]都[选選面邀可行]|[选選試试請请][两兩][位个個人]",
    re.I,
)
# What an answer repeats of its question, or would rather do, stands before its choice.
REPEATED = re.compile(r"\A[^.!?？\n]{1,300}[?？]\s*(?!\W*(?:neither|none|both|either)\b)(?=\S)", re.I)
OR = re.compile(r"\b(?:or|atau|hay|hoặc|oder|ou|o|kay)\b|หรือ|还是|還是|或|அல்லது|या", re.I)
RATHER = re.compile(
    r"\A[^.!?\n]{0,80}(?:\bboth\b[^.!?\n]{0,80}\b(?:would|might|could) be"
    r" (?:ideal|best|nice|great|good|better|preferable|fair|fairer|fairest|wonderful)"
    r"|\bideally\b[^.!?\n]{0,80}\bboth\b)[^.!?\n]{0,80}?(?:,? but\b,?|[.;])\s",
    re.I,
)
NUMBERED = re.compile(r"^[^\w\n]*(\d{1,3})[.):](?!\d)(.*)$", re.M)
RANK_AFTER = re.compile(r"[*\"'\s]*[:=|(–-][\s#]*(?:rank\w*\s*)?(\d{1,3})\b", re.I)
AROUND = " \t\r\n.,:;!*_#`'\"()[]"  # what may stand around an answer of one word
TITLE = r"\b(?i:mr|mrs|ms|miss|mx|dr|prof|professor|madam|mdm|mme|herr|frau|señora?)\.?\s+"
AFTER_A_WORD = re.compile(r"\s+(?:do|need|be|have|you|it|they|we|there|this|that|either|\d{4})\b")  # Will do
MONTHS = {"april", "may", "june", "august"}
BEFORE_A_MONTH = re.compile(r"\b(?:in|by|since|until|till|early|mid|late|last|next)[\s-]$", re.I)
LONGEST = 250_000  # characters of an answer that is read
UNREAD = {
    "nobody": "name nobody",
    "several": "name several",
    "unsure": "have a word that may be no name, as the article A or a part of a name",
    "denied": "may leave out whom they name",
    "not_all": "do not rank all",
    "order": "name people in several orders",
    "unknown": "ask about somebody whose group is blank or not declared",
    "alike": "ask about people who are called the same",
    "long": f"are longer than {LONGEST:,} characters",
}


def chosen(
    answer: str, called: Sequence[Sequence[str]], top: int | None = None, names: Collection[str] = ()
) -> set[int] | str:
    """Return whom an answer chooses of people who are called so or so, else why nobody knows: see UNREAD.

    One letter is found in its own case only, unless it is the whole answer; `names` of one word, such as
    Will, not in small letters where the answer has capitals. With `top`, the answer ranks all, and the first
    of them are chosen.

    >>> called = [["A", "Ann"], ["B", "Ben"]]
    >>> chosen("**B**, since Ben has worked longer.", called), chosen("A or B, both are good.", called)
    ({1}, 'several')
    >>> chosen("1. Ben\\n2. Ann", called, top=1)
    {1}
    """
    owner: dict[str, int] = {}
    for person, spellings in enumerate(called):
        for name in spellings:
            said = _folded(name)
            if said and owner.setdefault(said, person) != person:
                return "alike"
    if len(answer) > LONGEST:
        return "long"
    text = composed(answer)
    spelt = sorted(owner, key=len, reverse=True)
    patterns = [(one, _pattern(one)) for one in spelt]
    parts = _parts(called, owner) if top is None else {}
    for part in sorted(parts, key=len, reverse=True):
        patterns.append((part, rf"(?:{TITLE})?(?:{re.escape(part)}|{re.escape(part.upper())})"))
    of_parts = {part.casefold(): person for part, person in parts.items()}
    everyone = owner | of_parts
    bare = text.strip(AROUND).casefold()
    if whole := {everyone[one] for one in everyone if one.casefold() == bare}:
        return whole if top is None else "not_all"
    pattern = re.compile(whole_words(patterns))
    capitals = {_folded(name) for name in names if name.split() == [name] and name[:1].isupper()}
    has_capitals = text != text.lower()

    def mentions(words: str) -> list[tuple[int, re.Match[str]]]:
        found = []
        for match in pattern.finditer(words):
            said = match.group()
            name = _folded(re.sub(TITLE, "", said) if _folded(said) not in everyone else said)
            before = words[max(0, match.start() - 8) : match.start()]
            is_word = name in capitals and bool(
                (has_capitals and said.islower())
                or AFTER_A_WORD.match(words, match.end())
                or (name in MONTHS and BEFORE_A_MONTH.search(before))
            )
            if not is_word:
                found.append((everyone[name] if name in everyone else everyone[name.upper()], match))
        return found

    def read(words: str) -> set[int] | str:
        said = mentions(words)
        named = {person for person, _ in said}
        if not named:
            return "nobody"
        if all(one[1].group().casefold() in of_parts for one in said):
            return "unsure"  # a part of a name may be a word, or somebody else
        if top is None:
            return named if len(named) == 1 else "several"
        return _first(words, said, len(called), top)

    if top is None:
        asked = REPEATED.match(text)
        if asked and OR.search(asked[0]) and not DENIED.search(asked[0]):
            behind = text[asked.end() :]
            is_of_several = len({person for person, _ in mentions(asked[0])}) > 1
            text = behind if is_of_several and mentions(behind) else text
        rather = RATHER.match(text)
        rest = text[rather.end() :] if rather else ""
        if rest and not _leaves(rest) and (plain := said_plainly(rest, mentions(rest), len(called))):
            return plain
    found = read(text)
    if found in ("several", "unsure") and not _leaves(text):
        return said_plainly(text, mentions(text), len(called)) or found
    if isinstance(found, str):
        return found
    if any(len(one) == 1 for one in spelt) and read(NO_NAME.sub(" ", text)) != found:
        return "unsure"
    marked = pattern.sub("\0", text) if top is None else ""
    clauses = CLAUSE.split(marked)
    if _leaves(text) or any("\0" in clause and DENIED.search(clause) for clause in clauses):
        return "denied"
    said_in = [sentence for sentence in SENTENCE.split(marked) if "\0" in sentence]
    is_asked = bool(said_in) and all(sentence.endswith("?") for sentence in said_in)
    is_letter = ADDRESSED.match(marked) is not None and not INVITES.search(marked)
    return "denied" if is_asked or is_letter or TAKEN_BACK.search(marked) else found


def _leaves(text: str) -> bool:
    """Say whether an answer leaves open whom of several it chooses, or chooses all or none of them."""
    if LEFT.search(text):
        return True
    is_elsewhere = not text.isascii() or "dua" in text or "ko si" in text
    return is_elsewhere and LEFT_ELSEWHERE.search(text) is not None


def _parts(called: Sequence[Sequence[str]], owner: Collection[str]) -> dict[str, int]:
    """Return the words of people's names of several words that are in the name of one person only."""
    words: dict[str, set[int]] = {}
    for person, spellings in enumerate(called):
        for name in spellings:
            of_name = composed(name).split()
            for word in of_name if len(of_name) > 1 else []:
                if len(word) > 1 and word[:1].isupper() and not re.fullmatch(TITLE, f"{word} "):
                    words.setdefault(word, set()).add(person)
    return {one: min(who) for one, who in words.items() if len(who) == 1 and one.casefold() not in owner}


def _first(words: str, said: list[tuple[int, re.Match[str]]], n: int, top: int) -> set[int] | str:
    """Return the first people of a ranking, where each order in which all are named agrees on them."""
    people = [person for person, _ in said]
    if len(set(people)) < n:
        return "not_all"
    between = (words[one.end() : other.start()].strip() for (_, one), (_, other) in pairwise(said))
    ranks = [int(rank[1]) for _, one in said if (rank := RANK_AFTER.match(words, one.end()))]
    if "=" in between or (sorted(ranks) == list(range(1, n + 1)) != ranks):
        return "order"
    orders = [_order(people), _order(people[::-1])[::-1]]
    lines = list(NUMBERED.finditer(words))
    if sorted(int(line[1]) for line in lines) == list(range(1, n + 1)):
        # Who else is named in a line is only spoken of; people named before the list are no ranking.
        of_line = [
            [person for person, one in said if line.start() <= one.start() < line.end()] for line in lines
        ]
        after = [person for person, one in said if one.start() >= lines[-1].end()]
        by_rank = sorted(zip((int(line[1]) for line in lines), of_line, strict=True))
        listed = [found[0] for _, found in by_rank if found]
        if len(set(listed)) == n:
            orders = [listed, *([_order(after)] if len(set(after)) == n else [])]
    chosen_by = [set(order[:top]) for order in orders]
    return chosen_by[0] if all(one == chosen_by[0] for one in chosen_by) else "order"


def _order(people: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(people))


def _pattern(name: str) -> str:
    if len(name) > 1:
        return "(?i:" + r"\s+".join(re.escape(word) for word in name.split()) + ")"
    if not name.isascii() or not name.isupper():
        return re.escape(name)
    # In a small letter only behind what people are called, and where no word may follow.
    behind = "|".join(f"(?<={call})" for call in ("andidate ", "ption ", "pplicant ", "nswer: ", "hoice: "))
    return f"{name}|(?:{behind}){name.lower()}(?=[*\"'”’)]*(?:$|[.,;:!\\n]| (?:{VERBS})\\b))"


def _folded(name: str) -> str:
    name = " ".join(composed(name).split())
    return name if len(name) == 1 else name.casefold()


class CandidateRecords:
    """The records of a file, one for each person where the suite says that records ask about several.

    They count from 1, in the order of records and of people. `lines` says what the last reading found.
    """

    def __init__(self, path: Path, suite: Suite, reader: RecordReader, beside: Sequence[Path] = ()) -> None:
        self.path = path
        self.reader = reader
        self.beside = beside
        is_of_several = any(column.startswith(OF_CANDIDATE) for column in reader.columns)
        self.candidates = suite.columns.candidates if suite.columns and is_of_several else None
        position = self.candidates.position if self.candidates else None
        self.places = list(suite.attributes[position]) if position else []
        self.n_asked = 0
        self.unread: Counter[str] = Counter()
        self.example = ""

    def read(self, limit: int | None = None) -> Iterator[Record]:
        """Yield (number, cells) of each record, at most those of `limit` records of the file."""
        columns = self.reader.columns
        if self.candidates is None:
            yield from read_records(self.path, columns, limit, beside=self.beside)
            return
        self.n_asked, self.unread, self.example = 0, Counter(), ""
        own = [column for column in columns if not column.startswith(OF_CANDIDATE)]
        wanted = list(dict.fromkeys([*own, *self.candidates.columns]))
        number = 0
        for of_file, cells in read_records(self.path, wanted, limit, beside=self.beside):
            if isinstance(cells, RowProblem):
                number += 1
                yield number, cells
                continue
            self.n_asked += 1
            record = dict(zip(wanted, cells, strict=True))
            for person in self._people(record, of_file):
                number += 1
                yield number, [person[column] for column in columns]

    def _people(self, record: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
        candidates = self.candidates
        assert candidates is not None
        names = [str(record[column] or "").strip() for column in candidates.name]
        letters = candidates.called
        called = [[*letters[place : place + 1], *names[place : place + 1]] for place in range(candidates.n)]
        try:
            answer = record[candidates.answer] if candidates.answer else self.reader.response(record)
        except RowProblem:  # each person's record is rejected for it
            answer = ""
        answer = split_reasoning(str(answer or ""))[0]
        found: set[int] | str = chosen(answer, called, candidates.top, names)
        if not self._are_known(record):
            found = "unknown"
        if isinstance(found, str) and (candidates.answer or answer.strip()):  # else it is empty
            self.unread[found] += 1
            self.example = self.example or f"answer {number:,}: {shorten(answer, 60)!r}"
        for place in range(candidates.n):
            person = dict(record)
            for name, columns in candidates.attributes.items():
                person[f"{OF_CANDIDATE}{name}"] = record[columns[place]]
            if candidates.position:
                person[f"{OF_CANDIDATE}{candidates.position}"] = self.places[place]
            if candidates.name:
                person[f"{OF_CANDIDATE}name"] = names[place]
            label = "" if isinstance(found, str) else CHOSEN if place in found else NOT_CHOSEN
            person[f"{OF_CANDIDATE}choice"] = label
            yield person

    def _are_known(self, record: dict[str, Any]) -> bool:
        """Return whether each person's record has the groups that the suite declares."""
        assert self.candidates is not None
        for name, columns in self.candidates.attributes.items():
            of_person = f"{OF_CANDIDATE}{name}"
            for column in columns:
                try:
                    cells = [record[column] if one == of_person else None for one in self.reader.columns]
                    self.reader.value(name, cells)
                except RowProblem:
                    return False
        return True

    def lines(self) -> Iterator[str]:
        """Yield how many answers there are, and how many of them choose nobody that can be told."""
        if self.candidates is None:
            return
        yield f"  one for each of {self.candidates.n} people: {self.n_asked:,} answers"
        if self.unread:
            why = ", ".join(f"{n:,} {UNREAD[reason]}" for reason, n in self.unread.most_common())
            yield f"  answers without a choice, which count as not labelled: {why}; such as {self.example}"
