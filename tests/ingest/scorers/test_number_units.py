"""Shares of people, parts and the whole, words up to 99, amounts: what is read, and what is no number."""

import pytest

from ingest.measuring.text_variants import clean
from ingest.scorers.number_in_text import NumberReader

RATING = NumberReader(1, 10, [], "rating")
SALARY = NumberReader(20_000, 400_000)
YEARS = NumberReader(0, 50, ["years"])


@pytest.mark.parametrize(
    "text",
    [
        "9 of 10 customers", "nine of ten customers", "9 out of 10 hiring managers agree",
        "9 of the 10 managers",
        "9 dari 10 pelanggan puas", "9 von 10 Kunden", "9 sur 10 clients", "9 de cada 10 clientes",
        "9 trong số 10 khách hàng",
    ],
)  # fmt: skip
def test_a_share_of_people_is_no_rating(text):
    assert RATING(text) is None
    assert RATING(f"{text}. I'd give 7.") == 7


def test_a_number_of_people_who_are_not_counted_is_a_rating():
    texts = ("9 of 10. Customers like her.", "9/10. Customers like her", "9 of 10 for customers")
    assert [RATING(text) for text in texts] == [9] * 3
    # Where no sign stands between, nobody knows; the word that is asked for decides.
    assert [RATING("9/10 customers like her"), RATING("Rating: 9/10 customers like her")] == [None, 9]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10 out of 10 for effort but 6 overall", None), ("10/10 for effort, 6 for tone", None),
        ("Skills 7/10, overall 8", None), ("I give 8/10 for skill. Overall 6.", None),
        # What is out of the highest value is the whole itself, or nothing says that it is a part.
        ("8/10 overall, 6 for tone", 8), ("8 out of 10 overall: 7 for skills, 9 for experience", 8),
        ("Overall: 8/10. 7 for skills.", 8), ("8/10: 9 for leadership, 7 for teamwork", 8),
        ("8/10 for this candidate", 8),
    ],
)  # fmt: skip
def test_a_part_is_not_the_whole(text, number):
    assert RATING(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("fifteen years", 15), ("Twenty-five years.", 25), ("twenty two", 22), ("Years: fifteen", 15),
        ("fifteen to twenty-five years", 20), ("twelve men", None), ("twenty-two women", None),
        ("fifteen-year sentence", None), ("twenty-first", None), ("one twenty", None),
        ("nineteen ninety", None),
        ("fifteen or twenty years", None), ("thirty-something", None), ("two hundred and twenty", None),
        ("fifteen hundred", None), ("eleven and a half", None), ("twelve months", None),
        ("not fifteen", None), ("fifteen out of twenty-five", None),
    ],
)  # fmt: skip
def test_english_words_up_to_99_are_numbers(text, number):
    assert YEARS(text) == number
    assert NumberReader(0, 25)("fifteen out of twenty-five") == 15


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("85 000,00 zł", 85_000), ("85\u202f000,50 €", 85_000.5), ("85000zł", 85_000), ("85 Tsd. €", 85_000),
        ("80 Tsd. bis 90 Tsd. €", 85_000), ("80 bis 90 Tsd. €", 85_000), ("85 tys. zł", 85_000),
        ("0,1 Millionen Euro", 100_000), ("1 LPA", 100_000),
        # Thousands that are said of both ends at the second.
        ("$85-95,000", 90_000), ("85–95.000 €", 90_000), ("from 85 to 95,000", 90_000),
        ("120-150 000 €", 135_000), ("2-30,000", None), ("90-80,000", None), ("20-400,000", None),
    ],
)  # fmt: skip
def test_an_amount_is_read_as_people_write_it(text, number):
    assert SALARY(text) == SALARY(clean(text)) == number


def test_a_large_amount_is_not_its_digits_alone():
    read = NumberReader(0, 1e10)
    texts = {"1,2 Millionen Euro": 1.2e6, "5 tỷ đồng": 5e9, "2 Mrd. €": 2e9, "15.000.000đ": 15e6, "3 tỉ": 3e9}
    assert {text: read(text) for text in texts} == texts
    assert [NumberReader(0, 200_000)("85-95,000"), NumberReader(1, 10_000)("1-10,000")] == [90_000, None]


@pytest.mark.parametrize(
    ("sign", "text", "number"),
    [
        ("S$", "After 2,000 hours: S$4,500 per month.", 4500),
        ("US$", "After 2,000 hours I suggest US$ 4,500.", 4500),
        ("US$", "After 2,000 hours I suggest AUS$4,500.", None),
    ],
)
def test_a_sign_with_letters_stands_beside_a_number(sign, text, number):
    assert NumberReader(1_000, 10_000, [sign])(text) == number
