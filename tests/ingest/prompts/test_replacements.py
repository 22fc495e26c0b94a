"""Replacement tables (SPEC BRA-2, BRA-6): whole words, one pass, case and grammar kept."""

from functools import partial
from unicodedata import normalize

import pytest

from ingest.errors import PlumblineError
from ingest.prompts.replacements import (
    BUILT_IN,
    Replaced,
    Replacement,
    Replacer,
    read_replacements,
    replacers,
)
from ingest.suite import Branching

GENDER = read_replacements(BUILT_IN["gender"], ["Female", "Male"])


def replacer(target, *pairs):
    return Replacer([Replacement(target, source, to) for source, to in pairs])


def to_gender(target):
    return Replacer([row for row in GENDER if row.target == target])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Freelandia grew.", "France grew."),
        ("FREELANDIA GREW, so did freelandia.", "FRANCE GREW, so did france."),
        ("Freelandians like Freelandian bread.", "French people like French bread."),
        ("Freelandia's coast; Freelandia’s hills", "France's coast; France’s hills"),
        ("A Freelandiaphile is no Freelandia.", "A Freelandiaphile is no France."),
        ("no-Freelandia zone, (Freelandia)", "no-France zone, (France)"),
        ("Nothing here.", "Nothing here."),
        ("", ""),
    ],
)
def test_whole_words_keep_their_case_and_ending(text, expected):
    swap = replacer(
        "France",
        ("Freelandia", "France"),
        ("Freelandian", "French"),
        ("Freelandians", "French people"),
    )
    assert swap(text).text == expected


@pytest.mark.parametrize(
    ("source", "to", "text", "expected"),
    [
        ("中国", "美国", "我是中国人，住在中国。", "我是美国人，住在美国。"),
        ("ไทย", "ลาว", "คนไทยเป็นคนดี", "คนลาวเป็นคนดี"),
        ("Singapore", "Malaysia", "在Singapore的人", "在Malaysia的人"),
        ("भारत", "जापान", "भारतीय लोग भारत में", "भारतीय लोग जापान में"),
        ("தமிழ", "சீன", "தமிழ் பேசும்", "தமிழ் பேசும்"),
    ],
)
def test_words_are_whole_in_every_script(source, to, text, expected):
    assert replacer("x", (source, to))(text).text == expected


def test_a_word_is_found_however_its_accent_was_typed():
    apart = partial(normalize, "NFD")
    for typed in (str, apart):
        swap = replacer("x", (typed("Élise"), "Zoë"))
        for form in (str, apart):
            assert swap(form("Élise reads, né là.")).text == form("Zoë reads, né là.")
            assert swap(form("Nobody reads, né là.")).text == form("Nobody reads, né là.")
    twins = replacer("x", ("Élise", "Zoë"), (apart("Élise"), apart("Zoë")))
    assert twins("Élise reads.").text == "Zoë reads."


def test_the_way_through_the_root_knows_a_word_however_it_was_typed():
    branching = Branching(
        category="c", attribute="a", root="r", replacements=["t"], direction="both", pairs="all"
    )
    rows = [Replacement("x", "Café", "Bar"), Replacement("y", normalize("NFD", "Café"), "Pub")]
    rows += [Replacement("x", "Wien", "Córdoba"), Replacement("x", "Wenen", normalize("NFD", "Córdoba"))]
    ways = replacers(branching, rows, ["r", "x", "y"])
    assert ways["x", "y"]("the Bar").text == "the Pub"
    assert ways["x", "r"]("in Córdoba").text == "in Wien"


def test_one_pass_never_replaces_what_it_wrote():
    swap = replacer("x", ("north", "south"), ("south", "north"))
    assert swap("north and south").text == "south and north"


def test_the_longest_phrase_wins():
    swap = replacer("x", ("Port", "Harbour"), ("Port Free", "Paris"), ("Port  Free Bay", "Seine"))
    assert swap("Port Free, Port\nFree Bay, Port").text == "Paris, Seine, Harbour"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Freelandian ship, an Freelandian ship", "An Indian ship, an Indian ship"),
        ("a Freelandian's view", "an Indian's view"),
    ],
)
def test_the_article_follows_the_sound(text, expected):
    assert replacer("India", ("Freelandian", "Indian"))(text).text == expected


@pytest.mark.parametrize(
    ("to", "article"),
    [("European", "a"), ("UK", "a"), ("EU", "an"), ("Ugandan", "a"), ("American", "an"), ("honest", "an"),
     ("unimportant", "an"), ("united", "a"), ("Swiss", "a"), ("SME", "an"), ("Ukrainian", "a"),
     ("Uruguayan", "a")],
)  # fmt: skip
def test_articles_before(to, article):
    assert (
        replacer("x", ("Freelandian", to))("It is a Freelandian firm.").text == f"It is {article} {to} firm."
    )


def test_never_two_articles():
    swap = replacer("US", ("Freelandia", "the United States"))
    assert swap("In the Freelandia of old. Freelandia rose.").text == (
        "In the United States of old. The United States rose."
    )
    found = swap("A Freelandia of old")
    assert found.flags == ("article",)


def test_possessives_of_plural_names():
    swap = replacer("US", ("Freelandia", "the United States"))
    assert swap("We saw Freelandia's parks.").text == "We saw the United States' parks."
    back = replacer("x", ("the United States", "Freelandia"))
    assert back("We saw the United States' parks.").text == "We saw Freelandia's parks."


def test_capitals_are_found_as_written():
    swap = replacer("x", ("US", "UK"))
    assert swap("The US told us.").text == "The UK told us."


def test_only_a_sentence_s_start_is_capitalised():
    swap = replacer("x", ("Freelandia", "the Netherlands"))
    assert swap("Why Freelandia? Freelandia is flat. “Freelandia!”").text == (
        "Why the Netherlands? The Netherlands is flat. “The Netherlands!”"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He lost his keys; the fault was his.", "She lost her keys; the fault was hers."),
        ("His brother saw him himself.", "Her sister saw her herself."),
        ("The book is his and the pen is mine.", "The book is hers and the pen is mine."),
        ("HIS UNCLE", "HER AUNT"),
        ("*His* uncle, (his) pen and **his** **brother**", "*Her* aunt, (her) pen and **her** **sister**"),
        ("The fault (his) was _his_.", "The fault (hers) was _hers_."),
        ("The man and the men", "The woman and the women"),
        ("this history", "this history"),
    ],
)
def test_his_becomes_her_or_hers(text, expected):
    found = to_gender("Female")(text)
    assert (found.text, found.flags) == (
        expected.replace("HUSBAND", "WIFE") if "WIFE" in text else expected,
        (),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She gave her sister her pen.", "He gave his brother his pen."),
        ("She gave her her pen, and told her my name.", "He gave him his pen, and told him my name."),
        ("I saw her.", "I saw him."),
        ("I saw her in the park with her dog.", "I saw him in the park with his dog."),
        ("Hers is new; ask her about it.", "His is new; ask him about it."),
    ],
)
def test_her_becomes_his_or_him(text, expected):
    found = to_gender("Male")(text)
    assert (found.text, found.flags) == (expected, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Miss Lee, Miss Élise and Miss van Dam left.", "Mr Lee, Mr Élise and Mr van Dam left."),
        ("Miss d'Arcy needs her alone time.", "Mr d'Arcy needs his alone time."),
        ("They miss Ms Lee.", "They miss Mr Lee."),
        ("Miss the bus, and she is late.", "Miss the bus, and he is late."),
        ("MS LEE waited 20 ms, or 20ms.", "MR LEE waited 20 ms, or 20ms."),
        ("In 2019 Ms Lee joined, in 2020 Ms. van Dam.", "In 2019 Mr Lee joined, in 2020 Mr. van Dam."),
        ("They found her asleep and left her alone.", "They found him asleep and left him alone."),
        ("She/her pronouns; he/his.", "He/him pronouns; he/his."),
    ],
)
def test_titles_and_pronouns_are_no_other_words(text, expected):
    assert to_gender("Male")(text).text == expected


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("Male", "My mom, an actress, met a policewoman.", "My dad, an actor, met a policeman."),
        ("Male", "Two businesswomen asked the waitress.", "Two businessmen asked the waiter."),
        ("Male", "The air hostess met two heroines.", "The air steward met two heroes."),
        ("Male", "Her hero, an actor, asked the host.", "His hero, an actor, asked the host."),
        ("Male", "Thank Mom, and ask Grandma.", "Thank Dad, and ask Grandpa."),
        ("Female", "A househusband and his son", "A housewife and her daughter"),
        ("Female", "The chairman's stepson is a salesman.", "The chairwoman's stepdaughter is a saleswoman."),
        ("Female", "An actor asked the host.", "An actor asked the host."),
    ],
)
def test_people_are_named_by_what_they_do_and_are(target, text, expected):
    assert to_gender(target)(text) == Replaced(expected, ())


def test_what_is_hers_alone():
    assert to_gender("Female")("The win was his alone.").text == "The win was hers alone."


def test_a_plural_with_its_own_possessive_gives_one_that_has_none():
    assert to_gender("Female")("The gentlemen's club, a gentleman's word").text == (
        "The ladies' club, a lady's word"
    )
    assert to_gender("Male")("The ladies' club").text == "The gentlemen's club"


@pytest.mark.parametrize("text", ["Lady Tan spoke.", "We heard Lady Tan.", "Madam President spoke."])
def test_a_rank_before_a_name_is_for_a_person_to_see(text):
    assert to_gender("Male")(text).flags == ("proper_name",)


@pytest.mark.parametrize(
    "text",
    ["Dear Madam, we write.", "The lady from Rome spoke.", "Yes, Madam.", "Respected Madam, she is able."],
)
def test_a_rank_without_a_name_is_none(text):
    assert to_gender("Male")(text).flags == ()


@pytest.mark.parametrize(
    ("text", "flags"), [("Mr. and Mrs. Tan", ("mentions_target",)), ("We miss Mr Tan", ())]
)
def test_the_one_target_is_known_by_all_its_words(text, flags):
    branching = Branching(category="c", attribute="a", root="Male", replacements=["gender"], direction="both")
    swap = replacers(branching, GENDER, ["Female", "Male"])["Male", "Female"]
    assert swap(text).flags == flags


def test_a_title_in_a_text_without_capitals_is_for_a_person_to_see():
    assert to_gender("Male")("miss tan lost her keys") == Replaced(
        "miss tan lost his keys", ("mentions_root",)
    )
    assert to_gender("Male")("she waited 20 ms") == Replaced("he waited 20 ms", ())


def test_an_adverb_after_her_is_for_a_person_to_see():
    assert to_gender("Male")("I saw her recently.").flags == ("ambiguous_pronoun",)


@pytest.mark.parametrize(
    "word", ["let her go", "gave her flowers", "called her bold", "wrote her will", "took her"]
)
def test_what_may_be_his_or_him_is_for_a_person_to_see(word):
    assert to_gender("Male")(f"They {word}").flags == ("ambiguous_pronoun",)


def test_where_a_text_was_cut_what_followed_says_which_word_it_is():
    swap = to_gender("Female")
    assert swap("He soon lost his", " job.") == Replaced("She soon lost her", ())
    assert swap("The loss was his", ", and he paid.") == Replaced("The loss was hers", ())


@pytest.mark.parametrize("text", ["Mr Lee and his wife met.", "A man or a woman came.", "He told her so."])
def test_a_root_that_speaks_of_the_target_too_is_flagged(text):
    assert to_gender("Female")(text).flags == ("mentions_target",)


def test_a_phrase_that_holds_the_targets_word_is_no_mention_of_it():
    swap = replacer("Mexico", ("New Mexico", "Mexico"), ("Santa Fe", "Mexico City"))
    assert swap("New Mexico is warm, Santa Fe is not.").flags == ()
    assert swap("New Mexico borders Mexico.").flags == ("mentions_target",)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("A man-made island", "compound"),
        ("All man‑hours count.", "compound"),
        ("A piece of no-man's-land", "compound"),
        ("The con-man left.", "compound"),
        ("Spider-Man is back.", "compound"),
        ("Banks on the Isle of Man", "proper_name"),
        ("Isle of Man", "proper_name"),
        ("They went to Burning Man last year.", "proper_name"),
        ("What did the Sons of Liberty want?", "proper_name"),
        ("They read the Father Brown stories.", "proper_name"),
    ],
)
def test_words_for_people_that_mean_no_person_are_flagged(text, flag):
    assert to_gender("Female")(text).flags == (flag,)


@pytest.mark.parametrize(
    "text",
    [
        "A 30-year-old man asks for help.",
        "A 30-year-old-man asks for help.",
        "His ex-husband has a man-owned shop in a male-dominated trade.",
        "A two-man crew, a father-to-be and a father-son trip",
        "Dear Sir, I am a Chinese Man from Singapore.",
        "The Man asked. Question: He is late. Why?",
        "- Man\n2) Boy",
        "Local Man Wins Lottery Prize",
        "A MAN FROM INDIA ASKS",
        "Mr Lee and his son met Anna. I told Father so.",
        "My neighbour Uncle Tan asked Dad Lim for a loan.",
        "A Malay boy and an Indian man in Little India",
    ],
)
def test_words_that_mean_a_person_are_not_flagged(text):
    assert to_gender("Female")(text).flags == ()


def test_names_of_countries_are_no_words_for_people():
    swap = replacer("France", ("Freelandia", "France"))
    assert swap("the Bank of Freelandia, a Freelandia-wide rule").flags == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the girls' school", "the boys' school"),
        ("the ladies' choice", "the gentlemen's choice"),
        ("the woman's choice", "the man's choice"),
    ],
)
def test_a_plural_possessive_stays_one(text, expected):
    assert to_gender("Male")(text).text == expected


def test_an_article_before_a_quotation_mark_follows_the_sound():
    swap = replacer("India", ("Freelandian", "Indian"), ("Freelandia", "the Indies"))
    assert swap('a "Freelandian" song') == Replaced('an "Indian" song', ())
    assert swap("the “Freelandia” of old").flags == ("article",)


def test_non_latin_words_have_boundaries_too():
    swap = replacer("x", ("Україна", "Польща"))
    assert swap("Україна і Українаїв").text == "Польща і Українаїв"


def test_replacing_twice_is_an_error():
    with pytest.raises(ValueError, match="replaced twice"):
        replacer("x", ("a", "b"), ("A", "c"))


def test_the_gender_table_goes_both_ways():
    there, back = to_gender("Female"), to_gender("Male")
    for row in GENDER:
        if row.target == "Female" and not row.form and row.source != "him":
            assert back(there(row.source).text).text.casefold() == row.source.casefold()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("target,from\nFrance,x\n", "no column 'to'"),
        ("target,from,to\nMars,x,y\n", "line 2: target 'Mars' is not declared"),
        ("target,from,to\nFrance,x,\n", "line 2: `from` and `to`"),
        ("target,from,to,form\nFrance,x,y,noun\n", "form 'noun'"),
        ("target,from,to,approved\nFrance,x,y,no\n", "not approved"),
        ("target,from,to,order\nFrance,x,y,first\n", "order 'first' is no number"),
    ],
)
def test_a_wrong_table_is_named_by_its_line(tmp_path, content, message):
    file = tmp_path / "table.csv"
    file.write_text(content)
    with pytest.raises(PlumblineError, match=message):
        read_replacements(file, ["France"])


def test_order_decides_over_lines(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("target,from,to,order\nFrance,b,B,2\nFrance,a,A,1\n")
    assert [row.source for row in read_replacements(file, ["France"])] == ["a", "b"]
