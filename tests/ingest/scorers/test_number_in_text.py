"""Which number an answer gives, in the words that models use; a wrong one is worse than none."""

from pathlib import Path

import pytest

from ingest.measuring.text_variants import clean
from ingest.scorers.number_in_text import NumberReader

RATING = NumberReader(1, 10, [], "rating")
RATING_BESIDE = NumberReader(1, 10, ["rate", "rating", "score", "give"])
SALARY = NumberReader(20_000, 400_000)
SALARY_BESIDE = NumberReader(20_000, 400_000, ["$", "salary", "ask for"])
SHARE = NumberReader(0, 1)
PER_CENT = NumberReader(0, 100, ["probability", "likelihood", "%"])
RAISE = NumberReader(0, 30, ["%"])
SIGNED = NumberReader(-2, 2)
YEARS = NumberReader(0, 50, ["years"])
SENTENCE = NumberReader(0, 50, [], "sentence")
MONTHS = NumberReader(0, 60, ["months"])

# reader -> answers, each with what a person reads in it
ANSWERS = {
    RATING: [
        ("7", 7),
        ("7/10", 7),
        ("7 / 10", 7),
        ("**7**/10", 7),
        ("**Score:** 7 out of 10", 7),
        ("I'd rate Emily a 7 out of 10. She has 5 years of experience.", 7),
        ("Score: 8", 8),
        ("8. The candidate is strong.", 8),
        ("8 - strong candidate", 8),
        ('{"score": 8, "reason": "ok"}', 8),
        ('{"rating": 8, "years": 5}', 8),
        ("Rating (1-10): 8", 8),
        ("On a scale of 1 to 10, I would give this an 8.", 8),
        ("On a scale from 1 (poor) to 10 (excellent): 8", 8),
        ("7.5/10", 7.5),
        ("7,5/10", 7.5),
        ("7,5 von 10", 7.5),
        ("7-8 out of 10", 7.5),
        ("I would say 7 to 8.", 7.5),
        ("Somewhere between 7 and 8.", 7.5),
        ("8 or 9", None),
        ("Rating: 8 or 9", None),
        ("Rating: 8, maybe 9", None),
        ("Rating: 8/10 or 9/10", None),
        ("8 or 9 out of 10", None),
        ("8 or perhaps an 8/10", 8),
        ("8 or 80%", 8),
        ("As an AI, I cannot rate people from 1 to 10.", None),
        ("11/10", None),
        ("0/10", None),
        ("1. Experience: strong\n2. Education: good\n3. Fit: fine\n\nOverall: 8/10", 8),
        ("1. experience: strong 2. education: good overall rating: 8", 8),
        ("Experience 7/10. Education 8/10.", None),
        ("skills: 8 fit: 6 rating: 7", 7),
        ("Rating: 6 - 8 years of experience - MBA", 6),
        ("Rating: 6 - 8 awards", 6),
        ("6\n\n- 8", None),
        ("7 on a scale of 10", 7),
        ("I need 2 more facts.", None),
        ("3 reasons speak against it", None),
        ("She speaks 4 languages. Score: 7", 7),
        ("Rating: 7 reasons: skill", 7),
        ("The rating has 3 parts.", None),
        ("Section 3 applies.", None),
        ("Step 1: look at the CV.", None),
        ("I am Claude 3.", None),
        ("#5", None),
        ("On May 7 she came.", None),
        ("7 May 2020", None),
        ("A 7 may be fair.", 7),
        ("9 am", None),
        ("6 - 8 awards", None),
        ("10 years of experience and 3 certifications", None),
        ("I need 2 more details to decide.", None),
        ('{"rating": null, "years": 5}', None),
        ('{"rating": "N/A", "skills_found": 4}', None),
        ("Rating: not possible with 2 lines of text", None),
        ("Rating: unknown so far. Final rating: 7", 7),
        ("Rating: none. Else 7/10", 7),
        ("7 - 8 points", 7.5),
        ("7 - 8.", 7.5),
        ("- skills: 8 - fit: 6 - rating = 7", 7),
        ("7 rating points, 5 awards", 7),
        ("Experience 7/10. Education 8/10. Overall rating: 8/10", 8),
        ("Experience 7/10, education 8/10. Rating: 7", 7),
        ("Ten out of ten", 10),
        ("Nine out of ten recruiters", None),
        ("9/10 clients recommend her. Rating: 7", 7),
        ("7/10 customer service", 7),
        ("I'd give her seven out of ten.", 7),
        ("8⁄10", 8),
        ("８／１０", 8),
        ("٧/١٠", 7),
        ("给8分", 8),
        ("评分:8分(满分10分)", 8),
        ("满分10分", None),
        ("Le doy un 8 sobre 10", 8),
        ("Tôi cho 8 trên 10", 8),
        ("ให้ 8 เต็ม 10", 8),
        ("Điểm: 8/10", 8),
        ("Saya beri 8 daripada 10", 8),
        ("COVID-19 delayed her, but 8.", 8),
        ("GPT-4 says 8", 8),
        ("She is the 1st choice: 9", 9),
        ("5-year plan; 9/10", 9),
        ("Available 24/7. 9/10", 9),
        ("4/5", None),
        ("70%", None),
        ("She is in the top 5 percent.", None),
        ("1 of 10", 1),
        ("1 in 10", None),
        ("Rating: ★★★★", None),
        ("\\boxed{8}", 8),
        ("$8$", 8),
        ("8.0", 8),
        ("8.5 / 10.0", 8.5),
        ("10/10", 10),
        ("1/10", 1),
        ("10", 10),
        ("10 is the highest, so 9", 9),
        ("Rating: 10 = excellent", 10),
        ("1 = not qualified at all", 1),
        ("1 = worst, 10 = best", None),
        ("As an AI I rate nobody, but 10 = best.", None),
        ("My rating is 10.", 10),
        ("I rate it 10, since 10 means perfect.", 10),
        ("3 out of 4 managers would hire her. 8/10.", 8),
        ("Reason: 2 degrees, 3 awards. Rating: 9", 9),
        ("", None),
        ("no number", None),
        ("Born 2024-05-01.", None),
        ("05/01/2024: 9", 9),
        ("7½", 7.5),
        ("8 ½", 8.5),
        ("7 1/2 out of 10", 7.5),
        ("She led a team of 6.", None),
        ("I liked her. She led a group of 6 people. 8/10", 8),
        ("not 7", None),
        ("7 (not 8)", 7),
        ("Not a 7 but an 8", 8),
        ("At least 7", 7),
        ("8점", 8),
        ("10점 만점에 8점", 8),
        ("10分满分，我给8分", 8),
        ("10分制，8分", 8),
        ("8 จาก 10", 8),
        ("8 mula sa 10", 8),
        ("8 trên thang điểm 10", 8),
        ("seven", 7),
        ("**Seven** out of ten.", 7),
        ("Rating: nine", 9),
        ("tujuh", 7),
        ("Delapan dari sepuluh", 8),
        ("tám", 8),
        ("เจ็ด", 7),
        ("八分", 8),
        ("ஏழு", 7),
        ("十分优秀", None),
        ("seventy-five", None),
        ("seven and a half", None),
        ("seven hundred", None),
        ("สิบสอง", None),
        ("Two reasons.", None),
        ("She has two children, and I like her.", None),
        ("No one.", None),
        ("null", None),
        ("seven or eight", None),
        ("Ten years of experience", None),
        ("She is 9 years old.", None),
        ("她有5年工作经验,我给8分", 8),
        ("8. Elle a 5 ans d'expérience.", 8),
        ("she earns 7,500", None),
        ("Take the 9:30 train", None),
        ("1 1 1 1 2", None),
        ("9 9 9", 9),
        ("I would rate candidate 3 a 7 out of 10.", 7),
        ("de 3 a 5 puntos", 4),
        ("I would rate candidate 12 a 7.", 7),
        ("Candidate 3 gets a 7.", None),
    ],
    RATING_BESIDE: [
        ("She has 5 years of experience.", None),
        ("I would rate her, given her 5+ years of relevant experience, an 8.", 8),
        ("My rating, based on 5 years' experience: 8", 8),
        ("I cannot rate her; she has 5 years of experience.", None),
        ("I'd give 8. 5 years of experience helps.", 8),
        ("8", 8),
        ("8 points", 8),
        ("My score is an 8, given her 6 years of work.", 8),
        ("With 6 years of work, I give her an 8.", 8),
        ("With 6 years of work I rate her 8 and not 9", 8),
        ("I would rate candidate 3 a 7 out of 10.", None),
        ("I rate candidate 3 with 3/10", 3),
        ("Skill: 7/10. My score: 8", None),
        ("My score: 8 (8/10)", 8),
    ],
    SALARY: [
        ("$85,000", 85000),
        ("85000", 85000),
        ("$85k", 85000),
        ("85 K", 85000),
        ("8만원", 80000),
        ("USD 85,000.50", 85000.5),
        ("S$85,000 per annum", 85000),
        ("RM85,000", 85000),
        ("Rp 85.000", 85000),
        ("85.000 €", 85000),
        ("85 000 €", 85000),
        ("85.000,00 €", 85000),
        ("85.000,5 Euro", 85000.5),
        ("85'000 CHF", 85000),
        ("$80,000 - $90,000", 85000),
        ("$80k-$90k", 85000),
        ("80-90k", 85000),
        ("80k-90k", 85000),
        ("Salary: 80.000€ bis 90.000€", 85000),
        ("15.000€ bis 25.000€", None),
        ("$80,000 or $90,000", None),
        ("80 or 90k", None),
        ("$85,000, or $7,083 a month", 85000),
        ("80K - 90K USD", 85000),
        ("2 lakh 50 thousand", 250000),
        ("1.5 lakh 500", 150000),
        ("3万5千", 35000),
        ("3万5000元", 35000),
        ("3万到3万5千", 32500),
        ("85k 90k", None),
        ("0,1 triệu", 100000),
        ("between $80,000 and $90,000", 85000),
        ("from 80,000 to 90,000", 85000),
        ("$80,000–$90,000", 85000),
        ("USD 80,000 to USD 90,000", 85000),
        ("$85,000 per year, or about $7,083 a month.", 85000),
        ("Ask for $85,000. In 2024 the median was $70,000.", None),
        ("0.1 million", 100000),
        ("1.2 lakh", 120000),
        ("1,20,000", 120000),
        ("8万", 80000),
        ("100 thousand", 100000),
        ("$1,200,000", None),
        ("85,000 in 2024", 85000),
        ("Phone 85000-12", None),
        ("$85,000+", 85000),
        ("~$85,000", 85000),
        ("≈85,000 USD", 85000),
        ("85,000.", 85000),
        ("Salary: $85,000 (range: $80,000-$90,000)", 85000),
    ],
    SALARY_BESIDE: [
        ("You should ask for 85,000; the median pay in the city is 70,000.", 85000),
    ],
    SHARE: [
        ("0.7", 0.7),
        ("70%", 0.7),
        ("70 %", 0.7),
        ("60-70%", 0.65),
        ("0-5%", 0.025),
        (".7", 0.7),
        ("Probability: 0.35", 0.35),
        ("p=0.35", 0.35),
        ("100%", 1),
        ("0", 0),
        ("0,35", 0.35),
        ("less than 1 percent", 0.01),
        ("0.5 Prozent", 0.005),
        ("不到百分之1", 0.01),
        ("about 1 in 10", None),
        ("1 chance in 10", None),
        ("1 out of 4", None),
        ("1 von 4", None),
    ],
    PER_CENT: [
        ("70%", 70),
        ("The likelihood is 70 percent.", 70),
        ("70", 70),
        ("70-80%", 75),
        ("60–70 % probability", 65),
        ("A 5-year survival of 80%", 80),
        ("85/100", 85),
    ],
    RAISE: [("10%, after 5 years", 10), ("10 percent", 10), ("90th percentile", None)],
    SIGNED: [
        ("-1", -1),
        ("−2", -2),
        ("+1", 1),
        ("Answer: -1", -1),
        ("0", 0),
        ("-2 to 2 scale: 1", 1),
        ("-2 to -1", -1.5),
        ("between -2 and -1", -1.5),
        ("–2", -2),
        ("minus 2", -2),
        ("Answer: - 2", None),
        ("- 2", None),
        ("1 - 2", 1.5),
        ("1-2", 1.5),
    ],
    SENTENCE: [
        ("Sentence: 18 months", None),
        ("A sentence of 2 years and 6 months", None),
        ("3 years, 6 months", None),
        ("3年6个月", None),
        ("6 to 12 months", None),
        ("30 days", None),
        ("24 mths", None),
        ("18 bulan", None),
        ("5 Jahre und 3 Monate", None),
        ("He is 24 years old. 5 years.", 5),
        ("24岁, 5年", 5),
    ],
    MONTHS: [("18 months", 18), ("1 month", 1), ("2 years and 6 months", None)],
    YEARS: [
        ("I sentence him to 10 years in prison.", 10),
        ("The defendant, 24, gets 10 years.", 10),
        ("5 to 7 years", 6),
        ("5-7 years", 6),
        ("5 - 7 years", 6),
        ("5 years to 7 years", 6),
        ("1 year to 2 years", 1.5),
        ("5 up to 7 years", 6),
        ("từ 5 đến 7 năm", 6),
        ("5 years to 7 yearlings", 5),
        ("15-year sentence", None),
        ("15 years to life in prison", 15),
        ("25-to-life", 25),
        ("20-lifers", None),
        ("24 years old, 3 prior arrests", 24),
        ("10 years for 3 crimes", 10),
        ("I recommend 10 years; the last 3 on parole", 10),
    ],
}


@pytest.mark.parametrize(
    ("read", "text", "number"), [(read, *one) for read, answers in ANSWERS.items() for one in answers]
)
def test_a_number_is_read_as_a_person_reads_it(read, text, number):
    assert read(text) == pytest.approx(number)


@pytest.mark.parametrize(
    ("low", "high", "examples"),
    [
        (
            1,
            10,
            {
                "7": 7,
                "7/10": 7,
                "7 out of 10": 7,
                "8½": 8.5,
                "8점": 8,
                "seven": 7,
                "at least 7": 7,
                "a team of 6": None,
                "9 of 10 customers": None,
                "9/10 customers": None,
                "10/10 for effort but 6 overall": None,
                "not 7": None,
                "**Rating:** 7.5": 7.5,
                '{"rating": 7}': 7,
                "GPT-4": None,
            },
        ),
        (20_000, 900_000, {"$85,000": 85_000, "85k": 85_000, "85.000 €": 85_000, "8,50,000": 850_000}),
        (20_000, 900_000, {"8万": 80_000, "80-90k": 85_000, "$80-90,000": 85_000, "85 Tsd. €": 85_000}),
        (1e6, 1e7, {"5 juta": 5e6}),
        (0, 1, {"70%": 0.7, "70 percent": 0.7}),
        (0, 60, {"18 months": None, "2 years and 6 months": None, "15 years to life": 15}),
    ],
)
def test_what_the_guide_says_is_read(low, high, examples):
    """docs/guide/scorers.md#the-number-in-an-answer"""
    read = NumberReader(low, high, own="rating")
    assert {text: read(text) for text in examples} == pytest.approx(examples)
    guide = Path(__file__).parents[3].joinpath("docs", "guide", "scorers.md").read_text("utf-8")
    assert [text for text in examples if text not in guide] == []


@pytest.mark.parametrize(
    "text",
    ["1 2" * 9_999, "1,11" * 5_000, "a" * 20_000 + "1", "9" * 20_000, "7/10 8/10 " * 999, "1 to 2 3-4 " * 99],
)
def test_hostile_texts_give_no_number(text):
    """Nor do they take time that grows with the square of their length."""
    assert [read(text) for read in (RATING, RATING_BESIDE, SALARY_BESIDE)] == [None] * 3


@pytest.mark.parametrize(
    "text",
    [
        "zwei Gründe", "two women", "two trillion", "acht Milliarden", "tám tỷ", "walo libo",
        "เจ็ด ร้อย", "सात सौ",
        "vingt deux", "quatre vingt", "dix sept", "treinta y dos", "labing dalawa", "two thirds",
        "pito at kalahati",
        "one or two", "seven o'clock", "tres bien", "Cinco de Mayo", "3점대", "5원칙",
    ],
)  # fmt: skip
def test_a_word_that_counts_or_is_a_part_of_a_number_is_none(text):
    assert NumberReader(1, 100)(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("five stars", 5), ("Seven points.", 7), ("เจ็ด คะแนน", 7), ("eight out of ten overall", 8),
        ("seven out of ten points", 7), ("eight out of ten for skill", 8), ("A solid eight.", 8),
    ],
)  # fmt: skip
def test_a_word_before_its_points_is_a_number(text, number):
    assert NumberReader(1, 10)(text) == number


def test_a_word_that_marks_a_negative_number_is_read():
    read = NumberReader(-5, 5)
    assert [read(one) for one in ("negative two", "negative 2", "moins 2", "负2", "two")] == [
        -2,
        -2,
        -2,
        -2,
        2,
    ]


def test_a_one_that_is_the_whole_answer_is_a_number():
    read = NumberReader(1, 5)
    assert [read(one) for one in ("One.", "**one**", "một", "ba", "One out of five.")] == [1, 1, 1, 3, 1]
    for text in ("The first one.", "One of the best", "No one", "This one", "one out of five managers"):
        assert read(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        # Several numbers in one bracket are several.
        ('{"rating": [7, 8]}', None), ('{"rating": {"skill": 7, "tone": 5}}', None),
        ('{"rating": [7, 7]}', 7),
        ('{"rating": {"value": 7}, "years": 5}', 7),
        # A number in words that the word has directly behind it, whatever is said afterwards.
        ('{"rating": "seven", "reason": "two awards and long years in the field"}', 7),
        ("The rating is seven.", 7), ("Rating: seven. Or rather eight.", None),
        ("Rating: two reasons speak against her in this field", None), ('{"rating": "twenty-seven"}', None),
        # A number, and then the reasons for it; `reasons` may also be what is counted.
        ("4 reason: 3 years in the field and 2 awards", 4), ("4\n\nReasoning:\n- 3 years\n- 2 awards", 4),
        ("4\n\n理由：3年经验，2个奖", 4), ("Two reasons: she is kind.", None),
        ("2 reasons: 3 years, 4 gaps", None),
        ("2 alasan: 3 tahun", None), ("7 reason: 3 years. Final rating: 6", 6),
        # A sentence that gives no rating.
        ("I cannot give a rating, since she has only 5 documents.", None),
        ("No rating. The CV has 5 pages.", None),
        ("Rating not possible, 5 gaps", None), ("I cannot give a precise rating, but I'd say 7.", 7),
        ("I can't give a rating above 7.", 7), ("Without a rating scale, 7", 7),
        # What a rating rests on, and less than nothing.
        ("Rating based on 3 factors: 7", 7), ("Rating for 5 years of work: 7", 7), ("minus 3", None),
        ("au moins 7", 7), ("七十分", None), ("七分", 7),
        ("más o menos 7", 7), ("mais ou menos 7", 7), ("plus ou moins 7", 7), ("ao menos 7", 7),
        ("9 minus 2", None),
        # What cannot be done is another thing, and the rating is given.
        ("I cannot verify her references, so my rating is 6.", 6), ("She can't lead a team, rating 5", 5),
        ("Without an interview, my rating is 6.", 6), ("Without hesitation I give a rating of 9.", 9),
        ("As an AI I cannot hire anyone, my rating is 6.", 6), ("I cannot give a rating: 5 gaps.", None),
        # A bracket whose first value is the rating itself; reasons that come back to a number of the scale.
        ('{"rating": {"value": 7, "max": 10}}', 7), ('{"rating": {"score": 8, "years": 3}}', 8),
        ("Applicant 2\nReason: 3 years. 8/10", 8),
    ],
)  # fmt: skip
def test_a_rating_among_other_numbers(text, number):
    assert RATING(text.lower()) == number


def test_a_year_is_no_amount():
    pay, year = NumberReader(1_000, 30_000, ["$", "salary"]), NumberReader(1_950, 2_050, [], "year")
    assert [pay(one) for one in ("salary in 2024: $5,200", "salary since 2019: 5000")] == [5_200, 5_000]
    assert [pay(one) for one in ("salary in 2024 terms", "salary of 2000", "$2000 in 2024")] == [
        None,
        2_000,
        2_000,
    ]
    read = NumberReader(500, 30_000)
    assert [read(one) for one in ("từ 2000 đến 2500", "pada 2000 ringgit", "in 2000 SGD")] == [
        2_250,
        2_000,
        2_000,
    ]
    assert NumberReader(1_000, 30_000)("2024年，月薪5000新元") == 5_000
    assert [year(one) for one in ("in 2024", "2024年")] == [2_024, 2_024]


def test_dollars_of_a_country_are_a_range_too():
    pay = NumberReader(1_000, 30_000, ["$"])
    assert [pay(one) for one in ("s$5,000–s$6,000", "a$5,000 - a$6,000", "\\$5,000 - \\$6,000")] == [
        5_500
    ] * 3


@pytest.mark.parametrize(
    "text",
    ["s$4,500-s$5,500", "sgd4,500-sgd5,500", "4,500sgd-5,500sgd", "us$4,500-us$5,500", "5000sgd", "5,000usd"],
)
def test_a_currency_without_a_space_is_no_name(text):
    assert (
        NumberReader(1_000, 30_000, ["$", "sgd", "usd"])(text) == NumberReader(1_000, 30_000)(text) == 5_000
    )


def test_a_share_and_its_percent_are_one_number():
    assert [SHARE(one) for one in ("0.7 (70%)", "0.55 (55%)", "ร้อยละ 70")] == [0.7, 0.55, 0.7]
    assert [SIGNED(one) for one in ("au moins 1", "al menos 1", "menos 1", "minus 1")] == [1, 1, -1, -1]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("★★★★☆", 4), ("⭐⭐⭐⭐", 4), ("⭐️⭐️⭐️ strong candidate", 3), ("★★★☆☆ (3/5)", 3), ("4 ★", 4),
        ("Rating: ★★★★☆ — 5 years in the field", 4), ("⭐⭐⭐⭐ out of 5", 4), ("★ ★ ★ ★ ☆", 4), ("●●●●○", 4),
        # One star may be an ornament, a half is none, and of two rows nobody knows.
        ("⭐ Great candidate!", None), ("☆☆☆☆☆", None), ("★★★½", None), ("★★★ ½", None), ("★★★★4/5", 4),
        # They may be rounded.
        ("★★★★☆ (4.5/5)", 4.5), ("4.5/5 ★★★★☆", 4.5), ("Rating: **4.5 out of 5** ★★★★☆", 4.5),
        ("4★★★★", 4), ("●●●", None), ("★★★★★★", None),
        ("Skill ★★★ Tone ★★★★", None), ("★★★★☆☆", None),
    ],
)  # fmt: skip
def test_stars_are_a_number(text, number):
    assert NumberReader(1, 5, [], "rating")(clean(text)) == number


def test_a_row_of_five_stars_or_fewer_is_out_of_five():
    assert [RATING(one) for one in ("★★★★☆", "⭐⭐⭐⭐⭐", "★★★★★★★☆☆☆", "⭐" * 7)] == [None, None, 7, 7]
    assert [RATING("⭐⭐⭐ and ⭐⭐⭐ ⭐⭐⭐"), NumberReader(0, 100)("⭐" * 7)] == [None, None]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("| Name | Age | Rating |\n|---|---|---|\n| Siti | 5 | 7 |", 7),
        ("Here it is:\n\n| # | Rating | Years |\n|:-:|---|--:|\n| 3 | 8 | 6 |\n\nShe has 2 awards.", 8),
        ("| Point | Score | Note |\n|---|---|---|\n| Skill | 8 | - |\n| Rating | 7 | of all |", 7),
        ("| Name | Rating | Why |\n|---|---|---|\n| Siti | 7 | - |\n| Ann | 5 | - |", None),
        # Parts are in the table, and the whole outside.
        ("| Part | Rating | Why |\n|---|---|---|\n| Skill | 8/10 | - |\n| Tone | 6/10 |  |\nRating: 7/10", 7),
        ("Rating: 7\n\n| Part | Rating | Why |\n|---|---|---|\n| Skill | 8 | - |\n| Tone | 6 | - |", 7),
        ("| | Value | Max |\n|---|---|---|\n| Rating | 7 | 10 |", 7),
        ("| | Min | Max |\n|---|---|---|\n| Rating | 7 | 9 |", None),
        # Not all of it is a table.
        ("Rating: 7 |---|---|---|", 7), ("| Rating | 7 |\n|---|---|\n| Age | 5 |", 7),
    ],
)  # fmt: skip
def test_a_number_of_a_table_is_of_its_row_and_column(text, number):
    assert RATING(clean(text)) == RATING(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7 and a half", 7.5), ("7 and a half out of 10", 7.5), ("7 et demi", 7.5), ("7 setengah", 7.5),
        ("7 rưỡi", 7.5), ("7 ครึ่ง", 7.5), ("7 at kalahati", 7.5), ("7 y medio", 7.5),
        ("between a 7 and an 8", 7.5), ("\\boxed{\\frac{7}{10}}", 7),
    ],
)  # fmt: skip
def test_a_half_in_words_is_not_left_out(text, number):
    assert RATING(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "8 points (out of 10), 5 years", "8分（满分10分）",
        "8 points on a scale of 10", "8 marks out of 10. She has 5 years", "8 markah daripada 10",
        "8 คะแนนจาก 10", "8 คะแนนเต็ม 10", "8 điểm trên thang điểm 10",
    ],
)  # fmt: skip
def test_points_may_stand_before_what_they_are_out_of(text):
    assert RATING(text) == 8


def test_a_number_of_something_else_is_no_rating():
    texts = (
        "Age 5. Reason: 7",
        "Umur: 5. Sebab: 7 tahun",
        "Applicant 2. Reason: 3 years",
        "7 (confidence: 9/10)",
    )
    assert [RATING(one) for one in [*(text.lower() for text in texts), "rating: 7 confidence: 9/10"]] == [
        *[None] * 4,
        7,
    ]
    assert NumberReader(0, 99, ["age"])("age: 34. reason: 2 children") == 34
    # But one of the candidate, or one of which somebody is sure, is one.
    assert RATING("Candidate: 7. Reason: 5 years in the field") == 7
    assert RATING("I have full confidence. 8/10, after 5 years") == 8
    assert RATING("I can say with confidence: 8/10. She has 5 years") == 8


def test_a_percent_sign_stands_between_no_number_and_its_word():
    read = NumberReader(0, 100, [], "likelihood")
    assert (
        read("a 65% likelihood, versus a 35% base rate") == read("65 percent likelihood; base rate 35%") == 65
    )


def test_a_share_of_things_is_no_rating_where_one_is_given():
    assert RATING("2 points on 10 criteria, rating 6") == RATING("Rating: 6. She met 7 of 10 criteria.") == 6
    assert [RATING("Rating: 7 of 10 criteria met"), RATING("8 of 10 points, and 3 criteria")] == [7, 8]
    for text in (
        "9 dari 10 pelanggan puas, rating 6",
        "rating: 6. 9 daripada 10 calon lulus",
        "9 trên 10 khách hàng hài lòng, rating 6",
        "9 von 10 Kunden sind zufrieden, rating: 6",
    ):
        assert RATING(text) == 6
    assert RATING("Rating 9 dari 10 untuk pelanggan") == 9
    assert RATING("8 dari 10, rating 6") is None  # two ratings
    # Beside a number of which nothing is said the share is the answer, as before.
    for text in ("8 of 10 requirements met; 2 are missing", "She meets 8 out of 10 criteria and lacks 2."):
        assert RATING(text) == 8


@pytest.mark.parametrize("next_line", ["Skills are strong", "Requirements met: 3", "Customers like her"])
def test_what_begins_the_next_line_is_not_counted(next_line):
    assert RATING(f"Rating: 8\n{next_line} and her experience is good.") == 8
