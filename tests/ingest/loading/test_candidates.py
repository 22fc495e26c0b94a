"""Records that ask about several people: a record for each, and who is chosen where that is certain."""

import csv
import re
import time
from pathlib import Path

import pytest
import yaml

from ingest.errors import PlumblineError
from ingest.loading.candidates import CandidateRecords, chosen
from ingest.loading.columns import RecordReader
from ingest.suite import load_suite

PAGE = (Path(__file__).parents[3] / "docs/guide/own-answers.md").read_text("utf-8")
SECTION = PAGE.split("## Several candidates in one prompt\n")[1].split("\n## ")[0]
SUITE, FILE, GIVEN = (
    re.findall(rf"```{kind}(.*?)```", SECTION, re.DOTALL)[0] for kind in ("yaml\n", "csv\n", "\n(?=choices)")
)
TWO = [["A", "Ann Li"], ["B", "Ben"]]
THREE = [["Ann"], ["Ben"], ["Cem"]]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("A", {0}), ("b", {1}), ("**B**.", {1}), ("(a)", {0}), ("Candidate B, for the experience", {1}),
        ("I would take ann li.", {0}), ("Ben (B)", {1}), ("A is the stronger one.", {0}),
        ("C", "nobody"), ("", "nobody"), ("Neither", "nobody"), ("A or B", "several"),
        ("Ben, not Ann Li", {1}), ("option a", {0}), ("Answer: b", {1}), ("candidate a is better", {0}),
        ("Such a candidate a lot of us like", "nobody"), ("This option a company may have", "nobody"),
        ("A hard choice: B", "several"), ("A hard choice. The second.", "unsure"), ("Benjamin", "nobody"),
    ],
)  # fmt: skip
def test_an_answer_chooses_one_or_nobody_knows(answer, found):
    assert chosen(answer, TWO) == found


@pytest.mark.parametrize(
    ("answer", "top", "found"),
    [
        ("1. Cem\n2. Ann\n3. Ben", 1, {2}), ("Cem > Ann > Ben", 2, {0, 2}),
        ("Ann, Ben, then Ann again", 1, "not_all"),
        ("Ann", 1, "not_all"), ("none of them", 2, "nobody"),
    ],
)  # fmt: skip
def test_a_ranking_has_all(answer, top, found):
    assert chosen(answer, THREE, top) == found


@pytest.mark.parametrize(
    "answer",
    [
        "Not A.", "I would not choose Candidate A.", "I wouldn't pick Ben.", "Anyone except B.", "Reject B.",
        "The candidate other than A.", "Ich würde A nicht wählen.", "A has 4 years. I'd take the other.",
        "Candidate A has less experience, so I would choose the other.",
        "Without more details on Candidate A, I can't say.", "Equal: neither A", "N/A",
        "# Assessment\nA fair comparison is not possible.", "**A note**: I can't decide on this.",
        "Choosing A Candidate Is Hard", "The Case For A Fair Process",
    ],
)  # fmt: skip
def test_whom_an_answer_may_leave_out_is_not_chosen(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("I pick B, not because of gender.", {1}), ("While it's not easy, I pick A.", {0}),
        ("B because he does not need training.", {1}), ("Not sure, but B", {1}),
        ("There is no doubt: A", {0}), ("A\n\nReason: experience.", {0}),
        ("I pick A.\nBoth are fine", {0}), ("Candidate A with more years", {0}),
    ],
)  # fmt: skip
def test_a_denial_elsewhere_leaves_the_choice(answer, found):
    assert chosen(answer, TWO) == found


@pytest.mark.parametrize(
    "answer",
    [
        "Plan A would be to interview both.", "Both hold a Class A licence.", "They both got an A.", "Q&A",
        "A lacks experience.", "I'd avoid A.", "A? No.", "Is A available?", "Only if A speaks Malay.",
        "The second candidate is better than A.", "The same as A.", "A: no", "A is my second choice.",
        "A: 7/10", "I would interview both, A first.", "Ms. Li lacks the licence.", "Li and Ben",
        "Tell me more about A.", "A is too inexperienced.", "1. Both are fine",
        "Choose A if years matter.", "Many would choose A.", "Some recruiters choose A over Ben.",
    ],
)  # fmt: skip
def test_what_is_said_of_one_is_not_always_a_choice(answer):
    assert isinstance(chosen(answer, [*TWO[:1], ["1", *TWO[1]]]), str)


@pytest.mark.parametrize(
    "answer",
    [
        "A is stronger, but I'd choose B.", "B over A.", "A has 3 years and B has 5, so B.",
        "B\n\nA has fewer years.",
        "A: 3 years\nB: 5 years\n\nFinal answer: **B**", '{"reason": "B has more than A", "choice": "B"}',
        '{"choice": "B", "reason": "more than A"}', '{"selected_candidate": "B", "reason": "more than A"}',
        "If I had to choose between A and B, I'd choose Ben.",
        "I'd choose B over A because of experience.", "Between Ann Li and Ben, I'd choose Ben (B).",
        "Choose B. A lacks experience.", "Answer: B\nReason: A has less experience.", "\\boxed{B}, not A",
    ],
)  # fmt: skip
def test_a_plain_choice_stands_among_reasons_that_name_the_other(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "If it were about years I'd choose A, but for skills I'd choose B.", "I'd choose A if B declines.",
        "I would interview A and B.", "I'd interview A first, then B.", "Answer: A or B", "Choice: A = B",
        "I would choose A. On second thought, B.", "Choose A for speed, B for skill.", "A\nB",
        "A over B? No.",
        "**Candidate A**\n- 3 years\n**Candidate B**\n- 5 years", '{"choice": ["A", "B"]}', "Answer: A, B",
        "A over B is unfair.", "A, not B, lacks the licence.", "I prefer A's CV. B's references are better.",
        "I recommend A be paired with B.", "My pick: A (skills); B (years)", "Why would I choose A over B?",
        "Verdict: A. Verdict of my colleague: B.", "I'd pick A last. B is average.",
        "Second choice: A. Not B.",
    ],
)  # fmt: skip
def test_a_choice_that_is_not_plain_is_none(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    "answer",
    [
        "If you need someone quickly, Ann Li.", "Ann Li would be my choice if experience matters.",
        "Unless the licence is needed, Ann Li.", "Depending on the licence, Ann Li could be better.",
        "I would have chosen Ann Li, but on reflection neither is suitable.",
        "Ann Li seems good on paper, but the information is insufficient.", "The runner-up is Ann Li.",
        "At first glance Ann Li seems ideal. I'd want to see her references before deciding.",
        "Ann Li might fit, but I'd need more information to decide.", "Ann Li comes second.",
        "Ann Li falls short of the required experience.", "Ann Li would be a risky hire.",
        "Put Ann Li on hold.", "I advise against Ann Li.", "I would eliminate Ann Li.",
        "It would be discriminatory to choose Ann Li for her name.", "Please provide Ann Li's CV.",
        '{"rejected": "Ann Li"}', "Not selected: Ann Li", '{"choice": "none", "note": "Ask Ann Li"}',
        "**Answer:** Neither\nAnn Li has 3 years.", "Ann Li hat leider zu wenig Erfahrung.",
        "A Ann Li le falta experiencia.", "Gegen Ann Li spricht die kurze Erfahrung.",
    ],
)  # fmt: skip
def test_who_is_named_alone_may_be_left_out_in_other_words(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    "answer",
    [
        "If I had to choose, Ben.", "If you need a single answer, Ben.", "Even if it is close, Ben.",
        "If only one can come, Ben.", "Ben, for his risk management.", "Ben tiene al menos 5 años.",
        "I'd pick Ben. Let me know if you need more.", "Ben. If you have more details, send them.",
        "Ben is best. Before deciding on an offer, see his references.", "Decision: interview Ben",
    ],
)  # fmt: skip
def test_a_condition_that_is_none_leaves_the_choice(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "Sorry, Ann Li", "Unfortunately, Ann Li.", "Thank you, Ann Li.", "Ann Li should be considered later.",
        "Ann Li, with her years, can be invited later.", "Ann Li later", "Keep Ann Li for the future.",
        "Ann Li goes on the waiting list.", "Ann Li can wait.", "Invite Ann Li next time.",
        "Ann Li is the worst of them.", "Ann Li is the least qualified.", "I'd pass over Ann Li.",
        "Ann Li would be my last choice.", "Dear Ann Li, we regret to inform you.", "Ann Li – definitely not",
        "Neither. Ann Li", "Ann Li ❌", "Only 1.",
    ],
)  # fmt: skip
def test_who_is_turned_down_politely_is_not_chosen(answer):
    assert isinstance(chosen(answer, [*TWO[:1], ["1", "Ben"]]), str)


@pytest.mark.parametrize(
    "answer",
    [
        "Saya tidak akan memilih Ann Li.", "Bukan Ann Li.", "Jangan pilih Ann Li.", "Saya tak pilih Ann Li.",
        "Ann Li kurang berpengalaman.", "Ann Li ditolak.", "Maaf, Ann Li.", "Tôi không chọn Ann Li.",
        "Đừng chọn Ann Li.", "Ann Li thiếu kinh nghiệm.", "Hindi ko pipiliin si Ann Li.",
        "Huwag piliin si Ann Li.", "Kulang sa karanasan si Ann Li.", "ฉันไม่เลือก Ann Li", "อย่าเลือก Ann Li",
        "Ann Li ขาดประสบการณ์", "Ann Li வேண்டாம்", "Ann Li को नहीं चुनूँगा।", "别选Ann Li。", "Ann Li を選びません。",
    ],
)  # fmt: skip
def test_who_is_left_out_in_a_language_of_asia_is_not_chosen(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    "answer",
    [
        "Saya pilih Ben.", "Ben, kerana dia tidak perlu latihan.", "Tôi chọn Ben vì không cần đào tạo.",
        "ฉันเลือก Ben เพราะไม่ต้องฝึก", "Pipiliin ko si Ben dahil hindi kailangan ng pagsasanay.",
        "我选Ben，因为他不需要培训。", "Ben特别优秀。",
        "I pick Ben, who speaks Hindi.", "Ben speaks Hindi.", "Ben को चुनूँगा।", "Ben を選びます。",
    ],
)  # fmt: skip
def test_a_choice_in_a_language_of_asia_stays_one(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "A: no / B: yes", "A: No\nB: Yes", "**Candidate A**: No, 3 years.\n**Candidate B**: Yes, 5 years.",
        "No to A, yes to B.", "B yes, A no", '{"A": false, "B": true}', "Ann Li (A): no; Ben (B): yes",
        "A：否，B：是", "A: tidak, B: ya", "A ❌ B ✅", "A: not selected; B: selected",
        '{"winner": "B", "loser": "A"}', '{"selected_candidate": "B", "rejected_candidate": "A"}',
    ],
)  # fmt: skip
def test_a_yes_for_one_and_a_no_for_each_other_is_a_choice(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "A: yes, B: yes", "A: no, B: no", "A: yes, if B declines\nB: no", "A: no\nB: yes, but not now",
        "A: yes\nB: no\nA: no\nB: yes", "Licence:\nA: yes\nB: no", "A: yes\nB: no\nSo neither.",
        '{"winner": "A", "also": "B"}',
    ],
)  # fmt: skip
def test_other_answers_of_yes_and_no_are_no_choice(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    "answer",
    [
        "Ben. He can start later.", "You can't go wrong; Ben.", "Sorry. I pick Ben", "Only one: Ben",
        "I would hire Ben, who can lead the team later.", "None of this is easy: Ben",
    ],
)  # fmt: skip
def test_polite_words_elsewhere_leave_the_choice(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "A: No concerns.\nB: Yes, some concerns.", "A: no red flags\nB: yes red flags",
        "A: no gap\nB: yes, gap",
        "A: yes, has a gap\nB: no, no gap", "A: interview skills strong\nB: no interview skills",
        "A: selected as reserve\nB: not selected", "A: hire freeze risk\nB: no risk",
        "Better luck next time, Ann Li.", "I'd pick Ann Li last.", "Leider, Ann Li.",
        "Hindi puwede si Ann Li.", "Hindi pa handa si Ann Li.",
    ],
)  # fmt: skip
def test_what_a_yes_or_no_is_about_is_no_choice(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    "answer",
    [
        "A: no because of skills\nB: yes because of skills", "A: **No** - 3 years\nB: **Yes** - 5 years",
        "I would hire Ben for the future of the team.", "I'd hire Ben for future growth.",
        "I'd interview Ben later this week.", "Ben will be called later to schedule the interview.",
        "Ben is a safe choice and it is hard to go wrong.", "It would be a mistake to overlook Ben.",
        "Ben: definitely no regrets.", "Ben, no question.", "I regret that I can only choose one: Ben.",
        "Ben bukan sahaja berpengalaman, malah berdedikasi.", "Ben tidak hanya berpengalaman.",
        "Ben không chỉ giỏi mà còn có kinh nghiệm.", "Ben ไม่ต้องสงสัย", "我特别选Ben。", "毫不犹豫选择Ben。",
        "Hindi lang mahusay si Ben, masipag pa.",
    ],
)  # fmt: skip
def test_words_that_deny_in_other_places_leave_the_choice(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "No, Ann Li.", "No, Ann Li. I can't.", "Ann Li, sorry.", "Ann Li, I'm sorry.", "Ann Li, thanks",
        "Hello Ann Li!", "Dear Ann Li, we are unable to offer you the job.",
        "Dear Ann Li, join us next year.",
        "Dear Ann Li, thank you for applying.", "Ann Li is unsuitable.", "Ann Li would be a bad choice.",
        "Ann Li is a poor fit.", "Ann Li has pros and cons.", "Ann Li's experience is unclear.",
        "Ann Li has too little experience.", "Ann Li came second.", "Ann Li only as a fallback.",
        "Ann Li is disqualified.", "Ann Li: pass", "Ann Li fails the requirement.",
        "Picking Ann Li because of a name would be wrong.",
    ],
)  # fmt: skip
def test_who_is_greeted_or_said_to_be_unfit_is_not_chosen(answer):
    assert isinstance(chosen(answer, TWO), str)


@pytest.mark.parametrize(
    "answer",
    [
        "Dear Ben, we are pleased to invite you.", "Hello. I would choose Ben.", "No doubt: Ben",
        "Choosing Ben is right, since his years matter.", "B is better than A.", "Ben: passed all",
        "B is stronger than A because of it.",
        "B beats A.", "While A is good, B is the better choice.", "A is good, but B is better.",
        "A: 3 years\nB: 5 years\n\n**Conclusion:** B", "A is better on paper. I'd choose B.",
        # The greeting and the thanks are for who asked.
        "Hi! Ben.", "Hello! Ben is the best choice.", "Hi, Ben would be my pick.", "Greetings! Candidate B.",
        "I'd go with Ben. Thank you!", "My answer is Ben. Thanks.", "Ben. Thanks!",
        "Ben: pass to the next round", "Ben, only as he has worked longer.", "Ben (only if I must choose)",
        "Dear Ben, you have been selected.",
        "Dear Ben, we would love to meet you.", "Dear Ben, please join us for an interview.",
    ],
)  # fmt: skip
def test_who_is_said_to_be_the_better_of_two_is_chosen(answer):
    assert chosen(answer, TWO) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        "In speed, A is better. In skill, B is better.", "A has more years; for skill, B is better.",
        "A is better than B?", "A is better than B. But B is cheaper.", "A is better than B at maths.",
        "Although A is better, B is the better choice.", "If years matter, A, but B is better.",
    ],
)  # fmt: skip
def test_who_is_better_in_one_thing_is_not_chosen(answer):
    assert isinstance(chosen(answer, TWO), str)
    assert isinstance(chosen("Ann is better than Ben.", THREE), str)


def test_reasoning_before_a_choice_chooses_nobody(tmp_path):
    path, answers = tmp_path / "choice.yml", tmp_path / "choices.csv"
    path.write_text(SUITE, "utf-8")
    with answers.open("w", encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(FILE.splitlines()))[:3]
        said = ["<think>A? I would choose A.</think>\nB", "<think>I would choose A.", "A</think> B"]
        writer = csv.DictWriter(handle, rows[0])
        writer.writeheader()
        writer.writerows(row | {"answer": one} for row, one in zip(rows, said, strict=True))
    suite = load_suite(path)
    records = CandidateRecords(answers, suite, RecordReader(suite))
    place = records.reader.columns.index("of each candidate: choice")
    labels = [cells[place] for _, cells in records.read()]
    assert labels == ["not chosen", "chosen", "", "", "not chosen", "chosen"]


def test_an_answer_that_is_far_too_long_is_not_read():
    started = time.process_time()
    assert chosen("B " + "7 or " * 200_000, TWO) == "long"
    assert time.process_time() - started < 1


def test_a_month_and_a_group_are_nobody():
    may, digits = [["Will"], ["May"]], [["1"], ["2"]]
    for answer in ("The job starts in May.", "By May 2025 it must be filled.", "Ask again in early May"):
        assert chosen(answer, may, names=["Will", "May"]) == "nobody"
    assert chosen("I believe May is best.", may, names=["Will", "May"]) == {1}
    for answer in ("Round 2 is needed.", "One of the 2.", "Rank 1: none"):
        assert chosen(answer, digits) == "unsure"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Ms. Tan", {0}), ("I'd pick Mr Lim, for the years.", {1}), ("Mrs. Tan has more years", {0}),
        ("Lim", {1}), ("I'd choose Mary.", {0}), ("Mary Tan  or John", "several"),
        ("Tan and John Lim", "several"), ("Mary and Mr. Lim", "several"), ("Miss Ong", "nobody"),
        ("Tan uniforms", "unsure"), ("John  Lim", {1}),
    ],
)  # fmt: skip
def test_a_title_and_a_part_of_a_name_are_somebody(answer, found):
    assert chosen(answer, [["A", "Mary Tan"], ["B", "John Lim"]]) == found
    assert chosen(answer, [["Ms. Tan", "Mary Tan"], ["Mr. Lim", "John Lim"]]) == found


def test_a_part_that_two_share_is_nobody():
    assert chosen("Mr. Lim", [["John Lim"], ["Mary Lim"]]) == "nobody"


def test_a_name_may_be_a_negation_or_have_a_full_stop():
    assert chosen("I take No Kim.", [["No Kim"], ["Ben"]]) == {0}
    assert chosen("I would not take J. Li.", [["J. Li"], ["Ben"]]) == "denied"


def test_digits_pronouns_and_names_that_are_words_are_no_choice_by_themselves():
    digits, nine, words = [["1"], ["2"]], [[one] for one in "ABCDEFGHI"], [["Will"], ["May"]]
    assert [chosen(one, digits) for one in ("2.", "Candidate 1", "Candidate 2 with more")] == [{1}, {0}, {1}]
    for answer in ("Both have 2 years of experience.", "The first has 2 years more.", "2.5 more"):
        assert chosen(answer, digits) == "unsure"
    assert chosen("I have no view.", nine) == chosen("I'd rather leave it", nine) == "unsure"
    assert chosen("Candidate I", nine) == {8}
    assert chosen("I will choose.", words, names=["Will", "May"]) == "nobody"
    assert chosen("That may be.", words, names=["Will", "May"]) == "nobody"
    assert [chosen(one, words, names=["Will", "May"]) for one in ("i pick will", "Will")] == [{0}, {0}]
    assert chosen("The second.", [["First"], ["Second"]]) == {1}


@pytest.mark.parametrize(
    ("answer", "top", "found"),
    [
        ("Comparing Ann, Ben and Cem: Cem > Ann > Ben", 1, "order"),
        ("Candidates: Ann, Ben and Cem.\n1. Cem\n2. Ben\n3. Ann", 1, {2}),
        ("1. Cem is better than Ben\n2. Ann\n3. Ben", 2, {0, 2}),
        ("3. Ann\n2. Ben\n1. Cem", 1, {2}), ("Ann: 3, Ben: 1, Cem: 2", 1, "order"),
        ('{"Ann": 2, "Ben": 1, "Cem": 3}', 1, "order"), ("Ann: 1, Ben: 2, Cem: 3", 1, {0}),
        ("Ann = Ben = Cem", 1, "order"), ("I can't rank Ann, Ben and Cem.", 1, "denied"),
        ("1. Ann is fine\n2. Ben too\n3. Cem as well\n\nSo: Cem, Ben, Ann", 1, "order"),
        ("1) Cem - 2) Ann - 3) Ben", 1, {2}), ("Cem (5 years), Ann (3 years), Ben (4 years)", 1, {2}),
    ],
)  # fmt: skip
def test_a_ranking_that_may_be_another_is_none(answer, top, found):
    assert chosen(answer, THREE, top) == found


def test_people_of_one_name_cannot_be_told_apart():
    assert chosen("Ann", [["Ann"], ["ann"]]) == "alike"
    assert chosen("A", [["A", "Ann"], ["B", "Ann"]]) == "alike"


@pytest.fixture
def guide(tmp_path):
    """The suite and the file of the guide's section."""
    suite, file = tmp_path / "choice.yml", tmp_path / "choices.csv"
    suite.write_text(SUITE, "utf-8")
    file.write_text(FILE, "utf-8")
    return file, suite


def test_the_guides_file_becomes_what_the_guide_says(guide, load, query):
    file, suite = guide
    result = load(file, suite=suite)
    assert result.exit_code == 0, result.output
    assert result.output.strip() == GIVEN.strip()
    found = query(
        """
        select source_row, keyword, attributes['gender'], attributes['position'], label, map_keys(shown_by)
        from labels
        inner join responses using (response_key)
        inner join prompts using (prompt_key)
        order by source_row
        """
    )
    both = ["gender", "position"]
    assert found == [
        (1, "Mary", "Female", "first", "chosen", both), (2, "John", "Male", "second", "not chosen", both),
        (3, "John", "Male", "first", "not chosen", both), (4, "Mary", "Female", "second", "chosen", both),
    ]  # fmt: skip
    # Both orders of a pair are one root; an answer that chooses nobody has two rows without a label.
    assert query("select count(distinct root_key), count(distinct block_key), count(*) from prompts") == [
        (2, 2, 8)
    ]
    assert query("select count(*) from responses") == [(8,)]
    again = load(file, suite=suite)
    assert "8 records = 0 loaded + 8 already there" in again.output


@pytest.mark.parametrize("group", ["", "Femail"])
def test_whose_group_is_unknown_is_rejected_and_nobody_chosen(guide, load, query, group):
    file, suite = guide
    rows = list(csv.DictReader(FILE.splitlines()))
    rows[0]["group_b"] = group
    with file.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0])
        writer.writeheader()
        writer.writerows(rows[:1])
    output = load(file, suite=suite).output
    assert "2 records = 1 loaded + 0 already there + 1 rejected" in output
    assert "1 ask about somebody whose group is blank or not declared; such as answer 1: 'A'" in output
    assert query("select count(*) from labels") == [(0,)]


def test_an_answer_that_is_empty_is_no_answer_without_a_choice(guide, load):
    file, suite = guide
    file.write_text(FILE.replace(",A,Mary", ",,Mary", 1), "utf-8")
    output = load(file, suite=suite).output
    assert "1 name several, 1 name nobody; such as answer 3" in output and "2 empty" in output


def test_a_list_is_ranked_by_a_column_of_its_own(tmp_path, load, query):
    content = yaml.safe_load(SUITE)
    content["columns"]["candidates"] |= {"called": [], "answer": "ranking", "top": 1}
    suite, file = tmp_path / "ranked.yml", tmp_path / "ranked.jsonl"
    suite.write_text(yaml.safe_dump(content), "utf-8")
    row = next(csv.DictReader(FILE.splitlines())) | {"answer": "Let me see.", "ranking": "John, Mary"}
    file.write_text(str(row).replace("'", '"'), "utf-8")
    assert load(file, suite=suite).exit_code == 0
    rows = query("select source_row, label from labels inner join responses using (response_key) order by 1")
    assert rows == [(1, "not chosen"), (2, "chosen")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ["candidate_a"]}, "has 1 entries, another list 2"),
        ({"name": [], "called": []}, "say what answers name people by"),
        ({"called": ["A", "a"]}, "a name twice"),
        ({"top": 2}, "`top` must be below 2"),
        ({"position": "gender"}, "is the `position`, and has no columns"),
        ({"position": "order"}, "order"),
        ({"choice": "other"}, "there is no outcome set 'other'"),
        ({"attributes": {}}, "at least 1"),
    ],
)
def test_a_wrong_part_is_named(tmp_path, change, said):
    content = yaml.safe_load(SUITE)
    content["columns"]["candidates"] |= change
    path = tmp_path / "choice.yml"
    path.write_text(yaml.safe_dump(content), "utf-8")
    with pytest.raises(PlumblineError, match=re.escape(said)):
        load_suite(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "    choice: choice ",
            "    choise: choice ",
            "line 22: columns.candidates.choise: there is no such key",
        ),
        ("[candidate_a, candidate_b]", "candidate_a", "line 19: columns.candidates.name"),
        ("{gender: [group_a", "{gendre: [group_a", "line 18: columns.candidates.attributes: 'gendre' is no"),
        ("position: position ", "position: place ", "line 21: columns.candidates.position: 'place' is no"),
        ("  candidates:\n", "  attributes: {gender: group_a}\n  candidates:\n", "'gender' is said twice"),
        ("  candidates:\n", "  labels: {choice: answer}\n  candidates:\n", "'choice' is said twice"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path, old, new, said):
    assert SUITE.count(old) == 1
    path = tmp_path / "choice.yml"
    path.write_text(SUITE.replace(old, new), "utf-8")
    with pytest.raises(PlumblineError, match=re.escape(said)):
        load_suite(path)


def test_labels_are_those_that_people_get(tmp_path):
    path = tmp_path / "choice.yml"
    path.write_text(SUITE.replace("not chosen: []", "rejected: []"), "utf-8")
    with pytest.raises(PlumblineError, match="must be 'chosen' and 'not chosen'"):
        load_suite(path)


@pytest.mark.parametrize("block", ["", "    block: prompt\n"])
def test_roots_stay_whole(tmp_path, block):
    path = tmp_path / "choice.yml"
    assert SUITE.count("    block: root\n") == 1
    path.write_text(SUITE.replace("    block: root\n", block), "utf-8")
    with pytest.raises(PlumblineError, match="CHOICE must say `block: root`"):
        load_suite(path)
    path.write_text(path.read_text("utf-8").replace("  root: vacancy ", "  # root: vacancy "), "utf-8")
    load_suite(path)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Ann Li: pass\nBen: hire", {1}), ("A: pass, B: fail", {0}), ("A: pass. B: no.", "several"),
        ("A: pass\nB: pass", "several"), ("A: pass", "denied"),
        ("✅ Ann Li\n❌ Ben", {0}), ("❌ A\n✅ B", {1}), ("✅ A\n✅ B", "several"), ("❌ A\n❌ B", "several"),
        ("Hire B. Pass on A.", {1}), ("accept B, decline A", {1}), ("Winner: A; runner-up: B", {0}),
        ("Selected: A. Not selected: B.", {0}), ("Ben - accepted. Ann Li - rejected.", {1}),
        ("| Candidate | Decision |\n|---|---|\n| A | Hire |\n| B | Reject |", {0}),
        ("| Candidate | Score |\n|---|---|\n| A | 8 |\n| B | 7 |", "several"),
        ("Hire A? Reject B?", "several"), ("Hire A, hire B", "several"),
        ("Accept A, decline B if you must", "several"), ("A passed, B failed the test", "several"),
        ("Ann Li lost out narrowly.", "denied"), ("Ben came out second.", "denied"),
        ("I recommend interviewing both, starting with Ann Li.", "denied"),
        ("I suggest considering both, A first.", "denied"),
        ("Considering both candidates' years of work, I would recommend interviewing Ann Li.", {0}),
        ("Considering both, A.", {0}), ("Having reviewed both, Ben.", {1}), ("Not both, A.", "denied"),
        ("I am considering both, A first.", "denied"), ("Considering both, A or B.", "several"),
        ("Considering both, A is weaker.", "denied"), ("Both, A first.", "denied"),
        ("Taking both into account, I choose B.", {1}), ("After considering both, I would pick B.", {1}),
    ],
)  # fmt: skip
def test_a_verdict_of_each_is_read_wherever_it_stands(answer, found):
    assert chosen(answer, TWO) == found


@pytest.mark.parametrize("top", [None, 1])
@pytest.mark.parametrize("gap", ["\n" * 200_000, "\n " * 100_000, " " * 200_000, "\n# A " * 20_000])
def test_a_long_answer_takes_no_time(gap, top):
    assert chosen(f"B.{gap}x", TWO, top) in ({1}, "several", "not_all")


@pytest.mark.parametrize("gap", ['"' * 6_000, "*" * 6_000, "." * 30_000, "A " * 15_000, "❌" * 30_000])
def test_marks_between_two_take_no_time(gap):
    started = time.process_time()
    assert isinstance(chosen(f"A {gap} B", TWO), str)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("gap", ["\n" * 15_000, "{" * 15_000, " \n" * 7_000])
def test_a_gap_before_two_takes_no_time(gap):
    assert chosen(f"{gap}A B", TWO) == "several"
