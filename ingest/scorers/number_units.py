"""What stands beside a number and says of what it is: months, somebody's age, things that were counted."""

import re

from ingest.unspaced import SPACED_LETTER

MONTHS = (
    r"months?|mths?|mos?|weeks?|days?|hours?|minutes?|monate?n?|wochen?|tagen?|mois|semaines?|jours?|mes(?:es)?|semanas?"
    r"|d[ií]as?|bulan|minggu|hari|tháng|tuần|ngày|个月|個月|周|週|天|เดือน|สัปดาห์|วัน|महीन[ेा]|माह|दिन|மாத(?:ங்கள்|ம்)"
)
YEARS = r"years?|yrs?|jahren?|ans?|années?|años?|tahun|năm|年|ปี|साल|वर्ष|ஆண்டுகள்"
# Behind a number in words: another word, of which it is the count, as in `two women` and `two trillion`.
OF_A_WORD = re.compile(
    rf"\s+(?!(?:points?|stars?|{YEARS}|please|overall|punkten?|sterne|étoiles|puntos|estrellas|poin|mata|markah"
    r"|bintang|điểm|sao|คะแนน|ดาว|分|星)(?![^\W\d_]))(?P<word>[^\W\d_]+)"
)
# Behind a number: another unit than years are asked in, as in `18 months` and `2 years and 6 months`.
SHORTER = re.compile(
    rf"(?P<years>\s*(?:{YEARS})\s*,?\s*(?:(?:and|und|et|y|dan|và|และ|और|又)\s*)?\d+(?:[.,]\d+)?)?"
    rf"\s*(?P<unit>{MONTHS})(?!{SPACED_LETTER})"
)
# Behind a number: it tells how old somebody is, or how long at work.
BACKGROUND = re.compile(
    r"\+?\s*(?:(?:years?|yrs?)(?:['’]?\s(?:of\s)?(?:[a-z-]{1,20}\s){0,2}?(?:experience|age)|\sold)(?![a-z])"
    r"|jahren? (?:berufs)?erfahrung|ans d['’]expérience|años de experiencia|tahun pengalaman"
    r"|năm kinh nghiệm|年(?:的)?(?:工作)?经验|岁|歲)"
)
_PEOPLE = (
    "customers?|clients?|managers?|reviewers?|interviewers?|people|candidates|applicants|children|employees"
    "|pelanggan|klien|nasabah|pengguna|responden|karyawan|pekerja|pengurus|orang|calon|kandidat|pemohon"
    "|kunden|kundinnen|mitarbeiter|personen|bewerber|clientes|clients|personnes|personas"
    "|khách hàng|nhân viên|người|ứng viên"
)
_THINGS = (
    "facts?|questions?|reasons?|things?|parts|requirements?|skills|tasks?|tests?|items?|boxes|references"
    "|languages|criteria|firms|companies|jobs|awards|publications|projects|concerns|issues|factors|aspects"
    "|pieces|words|sentences|details?|certifi(?:cation|cate)s?|degrees?|countries|lines"
    "|kriteria|syarat|soalan|pertanyaan|tugas(?:an)?|ujian|projek|proyek|syarikat|perusahaan|bahasa|negara"
    "|kriterien|tiêu chí"
)
# Behind a number, in its line: it counts something else, as in `I need 2 more facts`.
COUNTED = re.compile(
    r"[^\S\n](?:(?:more|other|further|different|missing|open|key|main)\s)?"
    rf"(?:{_PEOPLE}|{_THINGS})(?![a-z:])"
)
# Behind the highest value: people, or times, of whom a number is a share, as in `9 of 10 customers`.
PEOPLE = re.compile(
    rf"[^\S\n](?:(?:hiring|other|our|her|his|their|the|my)\s)?(?:{_PEOPLE}|times|cases|women|men|adults|students"
    r"|patients|respondents|voters|users|workers|employers|recruiters|doctors|dentists|experts|teachers"
    r"|fällen|fälle|mal|cas|fois|casos|veces|kali|lần)(?![^\W\d_]|:)"
)
# Such a word behind which another goes on, as in `7/10 customer service`.
ONE_PERSON = re.compile(r"(?:customer|client|manager|reviewer)$")
# Before a number: it says how many people or things belong together, as in `a team of 6`.
GROUP = re.compile(
    r"\b(team|group|staff|crew|class|panel|family|household|department|workforce|board|pool)s? of\s$"
)
# Beside a number: it is of the whole, or of a part, as in `10/10 for effort but 6 overall`.
_WHOLE = (
    "overall|in total|all in all|insgesamt|au total|en total|secara keseluruhan|nhìn chung|tổng thể|โดยรวม"
)
_WHOLE_BEFORE = re.compile(  # but no 8/10 overall: 6 for tone
    rf"(?<![^\W_])(?<!\d )(?:{_WHOLE}|final(?:ly)?|total)[ :=]{{1,3}}$"
)
_BEHIND = re.compile(  # 8 out of 10 overall
    rf"(?P<highest>[^\d.;!?\n]{{1,20}}\d+)?[^\S\n]*(?:(?P<whole>{_WHOLE})|for|für|pour|para|untuk|bagi|cho)"
    r"(?![^\W\d_])"
)
_BEFORE = 30  # characters


def said_of(text: str, start: int, end: int, has_highest: bool) -> str:
    """Return whether a text says of the number from `start` to `end` that it is of the whole, or of a part.

    >>> said_of("10/10 for effort", 0, 2, True), said_of("but 6 overall", 4, 5, False)
    ('part', 'whole')
    """
    if _WHOLE_BEFORE.search(text, max(0, start - _BEFORE), start):
        return "whole"
    behind = _BEHIND.match(text, end)
    if behind is None or (behind["highest"] is not None) != has_highest:
        return ""
    return "whole" if behind["whole"] else "part"
