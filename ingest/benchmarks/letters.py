"""Patterns of RE2 that read an option's letter in an answer.

All begin at the text's beginning, so of several that fit the longest is read (`int_phrases_matched`). What an
answer concludes stands in longer ones than the letter that it begins with.
"""

LETTERS = "ABC"
PLACES = {"A": "first", "B": "second", "C": "third"}
# What is no word in any script, and a space of any width.
_W = "(?-i:[^A-Za-z\\d+\xc0-\u1ffe\u2c00-\u2fd5\u3041-\ud7a3\uff21-\uff5a]*)"
_IN_A_CLAUSE = _W.replace("[^", "[^.!?:\n。")  # behind the last sign that ends a clause, so in one way only
_S = "[\\s\xa0\u3000]*"

# What leads to a letter.
_OF = r"(?:option|choice|sentence|letter)"
_BEST = (
    r"(?:(?:(?:most|more)\s(?:likely|appropriate|plausible|probable)|correct|right|best|final|likely|my|the)"
    r"\s)*"
)
_IS = rf"(?:\s(?:is|(?:would|should)\sbe)(?:\s(?:the|{_OF}))*)"
_WOULD = (
    r"(?:let\sme|i(?:\swould|['’](?:d|ll|m)|\swill)?)\s(?:choose|pick|select|say|answer|"
    r"go(?:ing)?\swith)"
)
_ENGLISH = (
    rf"(?:{_BEST}(?:(?:answer|ans|response){_IS}?|{_OF}(?:\sthat\sis\smore\slikely[a-z\s]*)?{_IS}|"
    rf"(?:selected|chosen|correct|best|right)\s{_OF})|{_WOULD}(?:\s{_OF})?)"
)
_OTHER = (
    r"(?:(?:die|la|l['’]|el|o|a|het)\s)?(?:(?:richtige|bonne|juiste|prawidłowa|poprawna|doğru|rätt|правильный|"
    r"правильна|सही|சரியான)\s)?(?:antwort|réponse|respuesta|risposta|resposta|opción|opção|opzione|jawapan(?:nya)?|"
    r"jawaban(?:nya)?|antwoord|đáp\sán|odpowiedź(?:\sto)?|cevap|svar(?:et)?|sagot|(?:мой\s)?ответ|"
    r"(?:моя\s)?відповідь|я\s(?:выбираю|обираю)|απάντηση|الإجابة|الجواب|התשובה|उत्तर|பதில்|คำตอบ(?:คือ)?|"
    r"我?的?(?:选择?|選擇?)|(?:最终|正确|最終|正確)?答案(?:是|为|為)?|(?:答え|正解|選択肢|选项|選項)(?:は)?|(?:정답|답)(?:은)?)"
    r"(?:\s(?:correcte|correcta|correta|corretta|saya|đúng|yang\s(?:betul|benar|tepat)))?"
    r"(?:\s(?:ist|lautet|est|es|é|è|is|adalah|ialah|là|är|er))?(?:\s(?:la|a|opción|opção|opzione))*"
)
_KEY = r"(?:final[_ ]?)?(?:answer|choice|option|letter|selection)"
_MARKED = (
    rf"(?:[\"']{_KEY}[\"']\s*:\s*[\"']?\(?|<(?:final|{_KEY})>\s*\(?|boxed\s*\{{\s*(?:\\?text(?:bf)?\s*\{{)?\(?|"
    r"</think>\s*\**)"
)
_HEDGES = (
    r"(?:(?:sure|certainly|of\scourse|ok(?:ay)?|well|hmm|probably|definitely|(?:most\s)?likely|so|thus|"
    rf"therefore|hence|i\s(?:think|believe|would\ssay)(?:\sthat)?)(?:[^a-z]{_W})){{0,2}}"
)
_GIVEN = r"(?:(?:based\son|given|according\sto|since|as|between|from|in)\s[^.!?\n]*,\s*(?:and\s)?)?"
_CLAUSE = rf"^(?:.*(?:[.!?:\n。]|,\s*(?:so|thus|therefore)\s))?{_IN_A_CLAUSE}{_GIVEN}{_HEDGES}"

# What follows a letter: an end, or what ends a label and then no other option's letter. An article is none,
# nor is a letter of which the sentence tells something, as in "A is wrong".
_END = rf"(?:です|だ|입니다|이다)?{_W}(?:</\w{{1,20}}>{_W})*$"
_NO_LINK = (
    r"(?:[^\sIOSABC,，、/&]|S(?:[^O]|O[^R])|I(?:\s[^cwd]|[a-z])|"
    r"O(?:[^R]|$)|[BC][a-z'’]|A(?:[a-mo-z'’\s]|N[^D])|(?:OR|AND)\w)"
)
_MORE = rf"[,，、;]{_S}(?:[^\s\x{{3000}}(OABC]|O(?:[^R]|$)|[BC][a-z'’]|A(?:[a-mo-z'’]|N[^D]|\s+[d-np-z]))"
_CLOSED = (
    rf"(?:(?:[.):\]*。：\"”}}]|['’][\s,}}]|\s[-–—=→|(\[])+{_S}{_NO_LINK}|[)*\]\"'”’]*{_MORE}|"
    rf"\s+(?:because|since|as|due|based|given)[^a-z]|\s(?:over|rather\sthan)\s(?:{_OF}\s)?[A-C])"
)
_TELLS = (
    r"(?:is|isn|was|are|were|would|could|can|cannot|does|doesn|do|did|may|might|has|have|seems?|makes|"
    r"suggests|says)[^a-z]"
)
_RIGHT = (
    rf"{_W}\s(?:is|seems|would\s+be)\s+(?:the\s+)?(?:(?:more|most)\s+(?:likely|plausible|appropriate|probable)|"
    rf"correct|right|best|better)(?:[^a-z](?:(?:(?-i:[^A-Z]*)\s)?than\s+(?:{_OF}\s+)?\(?[A-C]\)?)?|$)"
)


def _rest(own: str, others: str) -> str:
    """Return what names no other option."""
    told = "".join(letter for letter in others if letter != "A")
    article = r"|A\s+(?:[c-np-z][a-z]|b[a-df-z]|be[a-bd-z]|o[a-qs-z]|a[a-mo-rt-z])"
    return (
        rf"(?-i:[^A-C]*(?:(?:{own}[^A-Za-z0-9'’_-]|[D-Z][A-C][^A-Za-z0-9'’_-]|[A-C][A-Za-z0-9'’_-]|"
        rf"(?:[{told}]|[{others}](?:[)*\"”]+|\s+(?:and|or)\s+[A-C]))\s+{_TELLS}"
        rf"{article if 'A' in others else ''})[^A-C]*)*{own}?$)"
    )


def patterns(letter: str) -> list[str]:
    """Return the patterns of an option's letter."""
    wide, small = (f"\\x{{{0xFEE0 + ord(form):X}}}" for form in (letter, letter.lower()))
    own = f"(?:{letter}|{wide}|{small})"
    others = LETTERS.replace(letter, "")
    rest = _rest(letter, others)
    ends = f"(?:{_END}|{_CLOSED}{rest})"
    return [
        # B. The aunt; or B, with reasons below
        rf"^{_W}(?:\d{{1,3}}[.)]\s*|A:[ *]*)?{_HEDGES}(?:(?:it|that)(?:\s+is|['’]s|\s+would\s+be)|"
        r"(?:(?:the\s+)?pronoun|it|(?:the\s+pronoun\s+)?[\"“'‘][a-z]+[\"”'’])\s+refers\s+to)?"
        rf"{_W}(?:{_OF}{_W})?{own}(?:{_END}|(?:{_CLOSED}|{_RIGHT}){rest})",
        rf"^{_W}(?:{_HEDGES}(?:the\s+|my\s+|final\s+)*answer{_IS}?{_W})?(?:{_OF}{_W})?{own}{_W}"
        rf"\n{_W}(?-i:[^A-C\s(\[*_#>\"-]|{letter}|[A-C](?:[a-z']|\s{_TELLS}))",
        # I choose the second sentence
        rf"^{_W}(?:{_WOULD}\s+)?(?:the\s+)?{PLACES[letter]}\s+{_OF}"
        rf"(?:\s+is\s+(?:the\s+)?(?:(?:more|most)\s+likely|correct|right|best)(?:[^a-z]|$)|{_W}$)",
        rf"{_CLAUSE}{_ENGLISH}{_W}(?:not\s+[{others}],?\s+but\s+)?(?:{_OF}{_W})?{own}{ends}",
        rf"{_CLAUSE}{_OTHER}{_W}{own}{ends}",
        rf"^.*{_MARKED}{own}{ends}",
    ]
