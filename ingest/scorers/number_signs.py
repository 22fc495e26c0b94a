"""What signs say of numbers: stars are digits, columns of a table have names, dots may group."""

import re

_FULL, _HOLLOW = "★⭐🌟●", "☆✩○"
_ROW = re.compile(  # ★★★½ is more than 3
    rf"(?<![\d{_FULL}])[{_FULL}](?:[{_FULL}]++[{_HOLLOW}]*+|(?: [{_FULL}])*+(?: ?[{_HOLLOW}])*+)(?!\d| ?1/2)"
)
STARS, MOST_STARS = 5, 10  # what a row of stars is given out of, where nothing else is said; the longest
# Of two columns the text itself says what belongs together.
_UNDER_HEAD = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|){3,}")
CELL = "\x1f"  # before each line of a table
# A column of the highest value, which is no number given.
_MOST = re.compile(r"(?:max(?:imum)?|highest)(?:\.| (?:score|points?|rating|marks?))?|out of|scale")
# A number itself, before or behind its stars, which may be rounded: 4.5/5.
_GIVEN = r"\d(?:[.,]\d+)?\s*(?:/|out of)\s*\d+"
_GIVEN_BEFORE, _GIVEN_BEHIND = re.compile(rf"{_GIVEN}[ )\]]*\Z"), re.compile(rf"[ (\[]*{_GIVEN}")

_LISTED = re.compile(r"(?:^|(?<=\s))(\d{1,2})[.)]\s+(?=[^\s\d])")


def stars_in_digits(text: str, high: float) -> str:
    """Return a text with its stars as digits: those out of the highest value, and up to five of themselves.

    >>> stars_in_digits("★★★★☆", 5), stars_in_digits("⭐⭐⭐ strong", 5), stars_in_digits("★★★★☆", 10)
    ('4/5', '3 strong', '★★★★☆')
    """

    def digits(row: re.Match[str]) -> str:
        text, (start, end) = row.string, row.span()
        if _GIVEN_BEHIND.match(text, end) or _GIVEN_BEFORE.search(text, max(0, start - 20), start):
            return " "
        n_full = sum(row[0].count(sign) for sign in _FULL)
        n_all = n_full + sum(row[0].count(sign) for sign in _HOLLOW)
        if n_all > n_full:
            return f"{n_full}/{n_all}" if n_all == high else row[0]
        is_number = 1 < n_full <= high and (high == STARS or STARS < n_full <= high <= MOST_STARS)
        is_number = is_number and "●" not in row[0]
        return str(n_full) if is_number else row[0]

    return _ROW.sub(digits, re.sub("[\ufe0e\ufe0f]", "", text)) if any(s in text for s in _FULL) else text


def tables_in_lines(text: str, high: float) -> str:
    """Return a text whose tables of Markdown are lines, each a cell behind the names of its row and column.

    >>> tables_in_lines("| who | age | fit | |---|---|---| | ann | 5 | 7 |", 9).replace(CELL, "").split("\\n")
    ['', 'who: ann', 'ann age: 5', 'ann fit: 7', '']
    """
    done, place = [], 0
    for rule in _UNDER_HEAD.finditer(text):
        n = rule[0].count("|") - 1
        head = text[place : rule.start()].rstrip().removesuffix("|").rsplit("|", n)
        if rule.start() < place or len(head) <= n:
            continue
        lines, place = [head[0]], rule.end()
        while row := re.compile(rf"\s*\|((?:[^|\n]*\|){{{n}}})").match(text, place):
            cells = [cell.strip() for cell in row[1].split("|")[:n]]
            of_row = "" if re.search(r"\d", cells[0]) else f"{cells[0]} "
            lines.append(f"{CELL}{head[1].strip()}: {cells[0]}")
            of_row = f"{CELL}{of_row}"
            for of, cell in zip(map(str.strip, head[2:]), cells[1:], strict=True):
                is_most = _MOST.fullmatch(of) and re.fullmatch(rf"\D*{high:g}\D*", cell)
                lines += [] if is_most else [f"{of_row}{of}: {cell}"]
            place = row.end()
        done += lines
    return "\n".join([*done, text[place:]]) if done else text


def without_list_numbers(text: str) -> str:
    """Return a text without the numbers of the points of a list."""
    is_list = [int(match[1]) for match in _LISTED.finditer(text)][:2] == [1, 2]
    return _LISTED.sub(" ", text) if is_list else text


def readings(digits: str) -> list[str]:
    """Return digits as numbers: with a comma before three it groups, and with a dot it may."""
    if re.fullmatch(r"\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d{1,2})", digits):
        return [digits.replace(".", "").replace(",", ".")]
    plain = re.sub(r"[’' ]", "", digits)
    if re.fullmatch(r"\d+,\d{1,2}", plain):
        return [plain.replace(",", ".")]
    if re.fullmatch(r"\d{1,3}\.\d{3}", plain):
        return [plain, plain.replace(".", "")]
    return [plain.replace(",", "")]
