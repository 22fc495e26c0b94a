"""Whom an answer that names several people plainly chooses. People are marks there, from FIRST_MARK on."""

import re

from ingest.unspaced import SPACED_LETTER

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
    rf"|^[^\w\n]*{PERSON}(?=[^\w\n:]*\n|,? (?:because|since|due to|as)\b"
    rf"|,? {RIVAL}(?:$|[.!\n]|,? (?:because|since|due to|as)\b))",
    re.I,
)
# Of two, who is better is chosen, where the sentence says no more: `B is better than A.`
PRAISED = rf"{PERSON} (?:is|seems|looks)(?: like)? (?:the |a )?(?:{BETTER})(?: {ROLE})?"
RIVAL_OF_TWO = rf"\W*(?:candidate )?{MARK}\W*(?:$|[.\n]|,? (?:because|since|due to|as)\b)"
COMPARED = re.compile(
    rf"(?:\bbut |\b(?:while|(?:even )?though|although|whereas)\b[^.!?\n]{{1,200}}, ){PRAISED}(?=\W*$)"
    rf"|\A\W*(?:{PRAISED} than|{PERSON} (?:beats|outshines|edges out|wins over)) {RIVAL_OF_TWO}"
    rf"|\A\W*{PERSON}[^\S\n]?(?:>{{1,3}}|≻)(?!=){RIVAL_OF_TWO}"
    rf"|\A\W*(?:candidate )?{MARK}[^\w\n<>]*<{{1,3}}(?![=-])\s?{PERSON}(?=[^\w?]*$)",
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
    r"|(?:has|had|is|offers|brings)(?: \w+)? (?:less|fewer|no|not|only|weaker|shorter|lower))\b"
    rf"|(?<!\n)[>≻]\s?\W*(?:candidate )?{MARK}",
    re.I,
)
# The same in other languages: `Saya pilih \0 kerana \1 kurang pengalaman`, `我选\0，不选\1`.
WHY = (
    r"(?:kerana|karena|sebab|vì|bởi vì|do|dahil|sapagkat|weil|denn|da|car|parce que?|puisque?|porque|ya que"
    r"|pois|perché|omdat)\b|เพราะ|เนื่องจาก|因为|因為|由于|由於|ஏனெனில்|ஏனென்றால்|क्योंकि"
)
NOT = (
    "bukan|tidak (?:memilih|pilih)|không (?:phải|chọn)|ไม่ใช่|ไม่เลือก|不选|不選|不是|而不是|而非|hindi"
    "|daripada|berbanding(?: dengan)?|dibanding(?:kan)?|ketimbang|hơn|thay vì|แทน(?:ที่)?|kaysa|statt"
    "|plutôt que|en lugar de|en vez de"
)
CALLS = r"(?:calon|kandidato?|pemohon|ứng viên|si|kay|kandidat(?:in)?|candidate?)\s|ผู้สมัคร|候选人|候選人"
OTHER = rf"(?:{CALLS})?\W{{0,3}}{MARK}"
WHO = OTHER.replace(MARK, f"({MARK})") + rf"(?!{SPACED_LETTER}|['’])[\"'”’*_)）」]*"
SAYS = (
    r"\b(?:saya|aku|kami) (?:akan |lebih |tetap )*(?:memilih|pilih|mewawancarai|wawancara"
    r"|menemu ?duga|temu ?duga"
    r"|mengundang|menjemput|mengupah|mencadangkan|cadangkan|menyarankan|syorkan|(?:me)?rekomendasikan)\s"
    r"|(?:ผม|ฉัน|เรา|(?:\A|[\s.,:])(?:จึง|ดังนั้น)?)(?:ขอ|จะ|แนะนำ(?:ให้)?)*(?:เลือก|สัมภาษณ์|จ้าง)\s?"
    r"|(?:\b(?:tôi|mình|em)(?: sẽ| xin| muốn)?|\A) ?(?:lựa chọn|chọn|phỏng vấn|tuyển|mời)\s"
    r"|(?:我|\A|[\s，。,.：:])(?:还是|還是|会|會|想|建议|建議|应该|應該)*(?:选择|選擇|选|選|推荐|推薦|录用|錄用"
    r"|面试|面試|邀请|邀請)\s?"
    r"|\b(?:pipiliin|pinipili|pinili|iinterbyuhin|kukunin) ko\s"
    r"|\bich (?:wähle|nehme|empfehle|würde)\s|\bje (?:choisis|recommande|prends)\s"
    r"|\b(?:elijo|escojo|escolho|scelgo)\s"
    r"|(?:\b(?:pilihan(?: saya)?|jawapan|jawaban|đáp án|câu trả lời|lựa chọn(?: của tôi)?|sagot"
    r"|antwort|réponse"
    r"|respuesta|resposta)|คำตอบ|答案|我的选择|我的選擇)\s?(?:ialah|adalah|ay|là|คือ|是|为|ist|est|es|é)?\s?[:：]?\s?"
    r"|\A\W*"
)
ENGLISH = (" the ", " and ", " is ", " has ", " are ", " I ")  # such answers are read by PLAIN alone
ELSEWHERE = re.compile(
    rf"(?:{SAYS}){WHO}(?:\s?(?:ครับ|ค่ะ|nhé|ạ|po|吧))?"
    rf"(?=\s?(?:$|[.!。！\n]|[,，、(（]?\s?(?:{WHY})|[,，、;]?\s?(?:{NOT})\s?{OTHER}"
    rf"|[,，;]\s?(?:nicht|pas|non?)\s{OTHER}))"
    rf"|\bநான் {WHO}\s?-?(?:(?:ஐ|வை|யை)(?:த்)?)?\s?(?:தேர்வு செய்(?:கிறேன்|வேன்)|தேர்ந்தெடு(?:க்கிறேன்|ப்பேன்))",
    re.I,
)
NOT_BEFORE = re.compile(
    r"(?:\b(?:tidak|tak|bukan|jangan|belum|jika|kalau|sekiranya|apabila|mengapa|kenapa|apakah|adakah|không|chưa"
    r"|đừng|nếu|tại sao|liệu|hindi|huwag|kung|bakit|nicht|wenn|falls|warum|pourquoi|ne|no)\b"
    r"|ไม่|อย่า|ถ้า|หาก|ทำไม|不|没|沒|别|如果|若|要是|为什么|為什麼|是否)",
    re.I,
)
NOT_BEHIND = re.compile(
    r"\b(?:tetapi|tapi|namun|atau|jika|kalau|juga|kedua-dua|keduanya|kemudian|nhưng|hoặc|hay|nếu|cả hai|cũng"
    r"|tuy nhiên|pero|ngunit|kung|pareho|aber|oder|wenn|auch|mais|ou|aussi|aunque|también|ma|anche)\b"
    r"|แต่|หรือ|ถ้า|หาก|ทั้งสอง|ทั้งคู่|เช่นกัน|但|或|如果|若|除非|都|也|不过|不過|然后|然後|ஆனால்|அல்லது|[?？]",
    re.I,
)
RIVAL_ELSEWHERE = re.compile(
    rf"(?:\b(?:dari|dengan|melebihi|so với|als|nicht|non?"
    rf"|(?:plus|mieux|más|mejor|mais|melhor)\s[^.!?\n]{{0,40}}que)\s"
    rf"|比起?|胜过|勝過|优于|優於|กว่า|{NOT})\s?{OTHER}"
    rf"|{MARK}\W*(?:க்கு\s)?(?:[^\W\d_]{{1,20}} )?(?:kurang|tiada|kekurangan|belum"
    r"|tidak (?:mempunyai|memiliki|ada|punya|cukup)|thiếu|không có|chưa có|kém|(?:có )?ít"
    r"|缺乏|缺少|没有|沒有|不如|欠缺"
    r"|ขาด|ไม่มี|ยังไม่มี|ด้อย|มี[ก-๙]{1,20}น้อย"
    r"|(?:hat )?(?:weniger|keine?)|fehlt|manque|a moins|n['’]a pas|tiene menos|carece|no tiene"
    rf"|tem menos|ha meno|(?:\S{{1,30}} )?(?:இல்லை|குறைவு))|\b(?:kulang|walang?)\b[^.!?\n]{{0,40}} si {MARK}",
    re.I,
)
ENDS_SENTENCE = ".!?\n。！？"
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
    before, behind, rival, ends = NOT_PLAIN_BEFORE, NOT_PLAIN_AFTER, RIVAL_NAMED, ENDS_SENTENCE
    if not hits and not any(word in marked for word in ENGLISH):
        hits = list(ELSEWHERE.finditer(marked))
        before, behind, rival, ends = NOT_BEFORE, NOT_BEHIND, RIVAL_ELSEWHERE, ENDS_SENTENCE + ",，"
    people = {next(mark for mark in hit.groups() if mark) for hit in hits}
    if len(people) != 1:
        return None
    (mark,) = people
    places = [hit.start(hit.lastindex or 0) for hit in hits]
    # What stands behind a choice stands behind those before it, too: a thousand of them take no time.
    rest = marked[places[0] + 1 :]
    if behind.search(rest) or re.search(MARK, rival.sub("", rest).replace(mark, "")):
        return None
    for place in places:
        start = max(marked.rfind(sign, 0, place) for sign in ends) + 1
        stop = min(
            (at for sign in ENDS_SENTENCE if (at := marked.find(sign, place)) > 0), default=len(marked)
        )
        if before.search(marked[start:place]) or behind.search(marked[place + 1 : stop + 1]):
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
