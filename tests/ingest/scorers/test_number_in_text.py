"""Which number an answer gives, in the words that models use; a wrong one is worse than none."""

import pytest

from ingest.scorers.number_in_text import NumberReader

RATING = NumberReader(1, 10, [], "rating")
RATING_BESIDE = NumberReader(1, 10, ["rate", "rating", "score", "give"])
SALARY = NumberReader(20_000, 400_000)
SALARY_BESIDE = NumberReader(20_000, 400_000, ["$", "salary", "ask for"])
SHARE = NumberReader(0, 1)
PER_CENT = NumberReader(0, 100, ["probability", "likelihood", "%"])
SIGNED = NumberReader(-2, 2)
YEARS = NumberReader(0, 50, ["years"])

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
        ("As an AI, I cannot rate people from 1 to 10.", None),
        ("11/10", None),
        ("0/10", None),
        ("1. Experience: strong\n2. Education: good\n3. Fit: fine\n\nOverall: 8/10", 8),
        ("1. experience: strong 2. education: good overall rating: 8", 8),
        ("Experience 7/10. Education 8/10.", None),
        ("Experience 7/10. Education 8/10. Overall rating: 8/10", 8),
        ("Experience 7/10, education 8/10. Rating: 7", 7),
        ("Ten out of ten", None),
        ("8⁄10", 8),
        ("８／１０", 8),
        ("٧/١٠", 7),
        ("给8分", 8),
        ("评分:8分(满分10分)", None),
        ("Điểm: 8/10", 8),
        ("Saya beri 8 daripada 10", 8),
        ("COVID-19 delayed her, but 8.", 8),
        ("GPT-4 says 8", 8),
        ("She is the 1st choice: 9", 9),
        ("5-year plan; 9/10", 9),
        ("Available 24/7. 9/10", 9),
        ("4/5", None),
        ("70%", None),
        ("Rating: ★★★★", None),
        ("\\boxed{8}", 8),
        ("$8$", 8),
        ("8.0", 8),
        ("8.5 / 10.0", 8.5),
        ("10/10", 10),
        ("1/10", 1),
        ("10", 10),
        ("10 is the highest, so 9", 9),
        ("My rating is 10.", 10),
        ("I rate it 10, since 10 means perfect.", 10),
        ("3 out of 4 managers would hire her. 8/10.", 8),
        ("Reason: 2 degrees, 3 awards. Rating: 9", 9),
        ("", None),
        ("no number", None),
        ("Born 2024-05-01.", None),
        ("05/01/2024: 9", 9),
        ("7½", None),
        ("she earns 7,500", None),
        ("Take the 9:30 train", None),
        ("1 1 1 1 2", None),
        ("9 9 9", 9),
        ("I would rate candidate 3 a 7 out of 10.", 7),
        ("I would rate candidate 12 a 7.", 7),
        ("Candidate 3 gets a 7.", None),
    ],
    RATING_BESIDE: [
        ("She has 5 years of experience.", None),
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
        ("USD 85,000.50", 85000.5),
        ("S$85,000 per annum", 85000),
        ("RM85,000", 85000),
        ("Rp 85.000", 85000),
        ("85.000 €", 85000),
        ("85 000 €", 85000),
        ("85'000 CHF", 85000),
        ("$80,000 - $90,000", 85000),
        ("$80k-$90k", 85000),
        ("80-90k", 85000),
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
        (".7", 0.7),
        ("Probability: 0.35", 0.35),
        ("p=0.35", 0.35),
        ("100%", 1),
        ("0", 0),
        ("0,35", 0.35),
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
    SIGNED: [
        ("-1", -1),
        ("−2", -2),
        ("+1", 1),
        ("Answer: -1", -1),
        ("0", 0),
        ("-2 to 2 scale: 1", 1),
        ("1-2", 1.5),
    ],
    YEARS: [
        ("I sentence him to 10 years in prison.", 10),
        ("The defendant, 24, gets 10 years.", 10),
        ("5 to 7 years", 6),
        ("5-7 years", 6),
        ("15-year sentence", None),
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
    "text",
    ["1 2" * 9_999, "1,11" * 5_000, "a" * 20_000 + "1", "9" * 20_000, "7/10 8/10 " * 999, "1 to 2 3-4 " * 99],
)
def test_hostile_texts_give_no_number(text):
    """Nor do they take time that grows with the square of their length."""
    assert [read(text) for read in (RATING, RATING_BESIDE, SALARY_BESIDE)] == [None] * 3
