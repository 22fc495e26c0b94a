"""The built site, as readers and an attacker meet it.

Needs Node, Chromium, and before it, on a warehouse that may be spoilt, `tests/helpers/hostile.py` and
`plumbline report`. PLUMBLINE_SITE and PLUMBLINE_SITE_TABLES name another build and its tables.
"""

import csv
import re
from hashlib import md5
from pathlib import Path

import duckdb
import pdfua
import pikepdf
import pytest
from hostile import PAYLOAD
from in_browser import in_browser

from ingest.paths import PROJECT
from ingest.site.paper import find_chromium, print_pdf


@pytest.fixture(scope="module")
def visits(site) -> list[dict]:
    return open_pages(site, "--scan")


def open_pages(folder: Path, *options: str) -> list[dict]:
    """Open a site's pages at desktop and some at phone width; return what reports/tests/site.mjs saw."""
    return in_browser("tests/site.mjs", folder, *options)


def problems(visits: list[dict]) -> list[str]:
    return [
        f"{visit['width']} {visit['path']}: {problem}" for visit in visits for problem in visit["problems"]
    ]


def key(kind: str, text: str) -> str:
    return md5(f"{kind}:{text}".encode()).hexdigest()[:8]


def test_the_browser_check_sees_what_it_looks_for(tmp_path):
    (tmp_path / "index.html").write_text(
        """<!doctype html><title>Bad</title><body>
        <div style="width: 2000px">wide</div><img src="x" onerror="alert(1)">
        <script>fetch('http://127.0.0.2:9/').catch(() => {});</script>
        <div style="height: 700px">low</div>
        <script>setTimeout(() => document.body.prepend(document.querySelector('div').cloneNode()), 200);
            document.querySelector('div').style.height = '500px'</script>
        <canvas width="9" height="9"></canvas>
        <script>document.querySelector('canvas').getContext('2d').fillRect(0, 0, 9, 9)</script>
        <script>console.error('said'); throw Error('thrown')</script>
        """
    )
    for visit in open_pages(tmp_path, "--scan"):
        found = "\n".join(visit["problems"])
        for expected in ("dialog: 1", "request to http://127.0.0.2", "console: said", "script: thrown"):
            assert expected in found
        assert "wider than the window" in found
        assert "what is shown jumps: layout shift" in found
        assert "elements came out of data" in found
        assert "1 charts cut what they draw" in found
        assert "axe image-alt (critical), 1 times: img" in found
        assert "0 first headings" in found
        for only_once in ("page does not turn dark", "does not lead to the content", "no choice of colours"):
            assert (only_once in found) == (visit["width"] == "desktop")
        assert not visit["hasPolicy"]


def test_pages_open_without_errors_foreign_requests_or_overflow(visits):
    assert problems(visits) == []
    assert {visit["width"] for visit in visits} == {"desktop", "phone"}
    pages = ["responses", "census", "quality", "provenance", "metrics", "planted", "nulls", "ll144"]
    pages += ["measurements", "summary", "disparities", "downloads", "topics", "stereotypes"]
    pages += ["story", "workbench", "officer"]
    pages += ["pairs", "scorer-bias", "calibration", "licences", "annex-iv", "rerun", "power", "over-time"]
    assert {"/", *(f"/{page}/" for page in pages)} <= {visit["path"] for visit in visits}


def test_every_page_has_a_policy_and_a_title(visits):
    assert [visit["path"] for visit in visits if not visit["hasPolicy"]] == []
    assert [visit["path"] for visit in visits if visit["title"] in ("", "Evidence")] == []


def test_simulated_answers_are_marked_on_every_page(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        (is_simulated,) = connection.execute("select bool_or(is_simulated) from rpt_configs").fetchone()
    assert {visit["hasBanner"] for visit in visits} == {bool(is_simulated)}


def text_of(visits: list[dict], path: str) -> str:
    (text,) = (visit["text"] for visit in visits if (visit["path"], visit["width"]) == (path, "desktop"))
    return " ".join(text.split())


def test_a_verdict_on_published_figures_says_why(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        reasons = connection.execute(
            "select distinct reason from rpt_verdicts where metric = 'jsd_census_nats' and is_gate_profile"
        ).fetchall()
    text = text_of(visits, "/census/")
    assert reasons and [reason for (reason,) in reasons if " ".join(reason.split()) not in text] == []


def test_the_officer_counts_comparisons_as_the_first_page_does(visits, tables):
    """A comparison is a question by an attribute of a config, and as grave as its gravest number."""
    with duckdb.connect(str(tables), read_only=True) as connection:
        counted = connection.execute(
            "select verdict, if(max(lacks) = '', max(n_comparisons), sum(n_comparisons))::integer"
            " from rpt_verdict_actions where verdict <> 'not_applicable' group by verdict"
        ).fetchall()
        numbers = connection.execute(
            "select responses_slug, axis, verdict_rank, verdict from rpt_verdicts"
            " where is_gated and not is_control and verdict <> 'not_applicable'"
            " and not starts_with(config, 'second (judge)')"
        ).fetchall()
    gravest: dict[tuple[str, str], tuple[int, str]] = {}
    for slug, axis, *one in numbers:
        gravest[slug, axis] = min(gravest.get((slug, axis), (9, "")), tuple(one))
    verdicts = [verdict for _, verdict in gravest.values()]
    assert {verdict: n for verdict, n in counted if n} == {name: verdicts.count(name) for name in verdicts}
    officer = text_of(visits, "/officer/")
    for verdict, n in counted:
        assert f" {verdict}: {n} comparison" in officer


def test_every_config_of_every_category_has_its_answers(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        slugs = connection.execute(
            "select distinct responses_slug, category_slug from rpt_categories"
        ).fetchall()
    paths = {visit["path"] for visit in visits}
    assert {f"/responses/{answers}/" for answers, _ in slugs} <= paths
    assert {f"/category/{category}/" for _, category in slugs} <= paths


def test_every_file_offered_is_there_and_the_models_are_documented(site, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        offered = connection.execute("select file, n_bytes from rpt_downloads").fetchall()
    assert {file for file, _ in offered} >= {"audit_card.json", "audit_card.md", "fct_verdicts.parquet"}
    for file, n_bytes in offered:
        assert (site / "downloads" / file).stat().st_size == n_bytes
    for visit in open_pages(site, "--page", "/dbt/index.html#!/model/model.plumbline.fct_verdicts"):
        assert not [problem for problem in visit["problems"] if "request to" in problem]
        assert "fct_verdicts" in visit["text"]


def test_scores_have_their_three_pages_or_a_sentence(visits, tables):
    pages = ("measurements", "summary", "disparities")
    with duckdb.connect(str(tables), read_only=True) as connection:
        shown = connection.execute(
            "select comparison_slug, n from rpt_comparisons where is_shown order by position"
        ).fetchall()
    found = {(visit["path"], visit["width"]): visit["text"] for visit in visits}
    for width in ("desktop", "phone"):
        for page in pages:
            text = found[f"/{page}/", width]
            assert ("No score is compared between groups here" in text) == (not shown)
        if len(shown) == 1:
            assert f"{shown[0][1]:,} values of" in found["/measurements/", width]
    if len(shown) > 1:
        for slug, n in shown:
            assert f"{n:,} values of" in found[f"/measurements/{slug}/", "desktop"]
            assert {f"/{page}/{slug}/" for page in pages} <= {path for path, _ in found}


def test_a_comparison_shows_each_disparity_that_has_a_value(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        titles = connection.execute(
            "select distinct comparison_slug, title from rpt_disparities"
            " where value is not null and not (n_groups = 2 and disparity = 'max_abs_z')"
        ).fetchall()
    pages = {slug: text_of(visits, f"/disparities/{slug}/") for slug, _ in titles}
    assert [(slug, title) for slug, title in titles if title not in pages[slug]] == []


def test_a_link_leads_to_the_answers_that_were_counted(site, tables):
    """The count on the page against the table of shares, which another part of the pipeline made."""
    with duckdb.connect(str(tables), read_only=True) as connection:
        slug, axis, group, outcome_set, outcome, n_cell = connection.execute(
            """
            select responses_slug, axis, group_value, outcome_set, outcome, n_cell from rpt_shares
            where outcome_set <> 'response_status' and n_cell > 0
            order by axis like '%&%' desc, n_cell, responses_slug, group_value, outcome limit 1
            """
        ).fetchone()
    address = f"/responses/{slug}/?group={key(axis, group)}&outcome={key(outcome_set, outcome)}"
    for visit in open_pages(site, "--page", address):
        assert visit["problems"] == []
        assert f"Answers 1 to {min(25, n_cell)} of {n_cell:,}, chosen from" in visit["text"]


def test_every_law_table_has_its_numbers_and_no_pass_mark(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        groups = connection.execute(
            """
            select distinct group_value from rpt_local_law_144
            where config = (
                select config from rpt_local_law_144 order by is_simulated, suite, config limit 1
            )
            """
        ).fetchall()
    for visit in visits:
        if visit["path"] == "/ll144/":
            assert "There is no pass mark." in visit["text"]
            assert "not applicants of a deployed tool" in visit["text"]
            assert [group for (group,) in groups if group not in visit["text"]] == []
            assert groups or "local_law_144: {sex: gender, race: nationality}" in visit["text"]


def test_the_sentence_of_what_lies_farthest_out_is_on_the_page(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        sentences = {s for (s,) in connection.execute("select sentence from rpt_nulls").fetchall()}
    for visit in visits:
        if visit["path"] == "/nulls/" and sentences:
            assert any(f"): {sentence}" in visit["text"] for sentence in sentences)
            assert "comparisons lie beyond chance" in visit["text"] or "lies beyond chance" in visit["text"]


def test_every_page_ends_with_where_its_numbers_come_from(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        counted = dict(
            connection.execute(
                "select page_url, count(rpt_table) from rpt_pages where page_url not like '%[%' group by all"
            ).fetchall()
        )
    assert len(counted) > 20
    wrong = []
    for visit in visits:
        n = counted.get(visit["path"].rstrip("/") or "/", 0)
        if n and f"The numbers of this page: {n} table" not in visit["text"]:
            wrong.append(f"{visit['width']} {visit['path']}")
    assert wrong == []


def test_a_source_without_a_licence_stands_out(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        n, n_unknown = connection.execute(
            "select count(*), count(*) filter (where licence is null) from rpt_sources"
        ).fetchone()
    for visit in visits:
        if visit["path"] == "/licences/":
            none, some = f"{n} sources below has one", f"{n_unknown} of {n} sources below have none"
            assert (some if n_unknown else none) in visit["text"]
            assert visit["text"].count("● licence not recorded") >= n_unknown


def test_annex_iv_has_the_audits_numbers_and_claims_nothing(visits, tables):
    with duckdb.connect(str(tables), read_only=True) as connection:
        n, n_fail = connection.execute(
            """
            select count(*), count(*) filter (where verdict = 'fail') from rpt_verdicts
            where is_gated and not is_control
                and is_simulated = (select bool_and(is_simulated) from rpt_configs)
            """
        ).fetchone()
    for visit in visits:
        if visit["path"] == "/annex-iv/":
            assert "It is no legal advice." in visit["text"] and "not covered" in visit["text"]
            assert n == 0 or (f"{n:,} verdict" in visit["text"] and f": {n_fail:,} fail," in visit["text"])
            for claim in ("compliant", "complies", "in conformity"):
                assert claim not in visit["text"].lower()


def test_the_first_page_counts_what_the_data_decide(visits, tables):
    """Each question by each attribute, by the worst verdict of what the gate judges of it."""
    with duckdb.connect(str(tables), read_only=True) as connection:
        n, n_open, n_fail, n_pass = connection.execute(
            """
            with comparisons as (
                select bool_or(verdict = 'fail') as fails, bool_or(verdict = 'monitor') as differs,
                    bool_and(verdict = 'pass') as passes
                from rpt_verdicts
                where is_gated and not is_control and verdict <> 'not_applicable'
                group by responses_slug, axis
            )
            select count(*), count(*) filter (where not fails and not differs and not passes),
                count(*) filter (where fails), count(*) filter (where passes)
            from comparisons
            """
        ).fetchone()
    for visit in visits:
        if visit["path"] == "/" and n > 0:
            text = " ".join(visit["text"].split())
            assert f"This data can decide {n - n_open} of {n} comparison" in text
            assert f"by an attribute: {n_fail} fail," in text and f", {n_pass} pass." in text


# What a value of a filter means in the report's tables.
FILTERED = {
    "model": "model = ?",
    "role": "coalesce(nullif(role, ''), '(none)') = ?",
    "category": "category_slug = ?",
    "axis": "axis = ?",
    "profile": "profile = ?",
}


@pytest.fixture(scope="module")
def clicks(site) -> dict:
    return in_browser("tests/clicks.mjs", site)


def counted(tables: Path, key: str | None = None, value: str | None = None) -> int:
    """Comparisons of the overview under one choice; the gate's profile where none is chosen."""
    gate = "true" if key == "profile" else "is_gate_profile"
    with duckdb.connect(str(tables), read_only=True) as connection:
        (n,) = connection.execute(
            f"""
            select count(distinct (responses_slug, axis))
            from rpt_verdicts join rpt_configs using (suite, config)
            where not is_control and verdict <> 'not_applicable' and (is_gated or not is_gate_profile)
                and (profile, metric) not in (select (profile, metric) from rpt_thresholds where not is_gated)
                and {gate} and {FILTERED[key] if key else "true"}
            """,
            [value] if key else [],
        ).fetchone()
    return n


def check_choices(seen: dict, tables: Path) -> None:
    """Each option of each filter on the overview: its count, its address, and what is listed under it."""
    total = counted(tables)
    assert seen["total"] == f"{total:,} comparisons"
    for choice in seen["choices"]:
        key, value = choice["key"], choice["value"]
        n = counted(tables, key, value)
        of = f"{n:,}" if key == "profile" or n == total else f"{n:,} of {total:,}"
        assert choice["count"].startswith(f"{of} comparison"), choice
        assert choice["address"] == {key: value}
        assert choice["isChanged"] or n == total, choice
        if key == "axis":
            assert [line for line in choice["findings"] if f"by {value}" not in line] == []


def test_each_filter_of_the_overview_shows_what_the_tables_count(clicks, tables):
    assert clicks["problems"] == []
    assert {"category", "axis", "profile"} <= {choice["key"] for choice in clicks["choices"]}
    check_choices(clicks, tables)


def test_the_first_screen_says_and_draws_the_widest_gap_of_each_model(clicks, tables):
    seen = clicks["steps"]["first_screen"]
    with duckdb.connect(str(tables), read_only=True) as connection:
        gaps = connection.execute("""
            select contrast_sentence, group_high, round(100 * contrast_high)::int, group_low,
                round(100 * contrast_low)::int, round(100 * gap_chance)::int
            from rpt_verdicts
            where telling_rank = 1 and is_gate_profile and measure_kind = 'outcome' and not is_control
        """).fetchall()
    assert gaps
    for sentence, high, n_high, low, n_low, chance in gaps:
        assert any(
            sentence in one["told"].replace("\xa0", " ")
            and f"{low} {n_low}, {high} {n_high}; chance alone puts two groups up to {chance} apart"
            in one["drawn"]
            for one in seen
        ), (high, seen)


def test_each_page_has_filters_that_stand_in_the_address_and_outlast_a_reload(clicks):
    filters = {page["path"]: page["filters"] for page in clicks["pages"]}
    assert {"/categories/", "/nulls/", "/intersections/", "/disparities/", "/quality/"} <= {
        path for path, found in filters.items() if found
    }
    for path, found in filters.items():
        for choice in found:
            assert choice["address"] == choice["value"], (path, choice)
            assert choice["isChanged"], (path, choice)
            assert choice.get("isKept", True), (path, choice)


def test_a_number_leads_to_its_question_to_its_answers_and_back(clicks):
    way = clicks["steps"]["down_to_the_answers"]
    assert way["question"]["axis"] == way["question"]["asked"] == way["axis"]
    # "… (116 of 147)": the first group's count is what its page of answers shows.
    assert f"({way['shown']} of " in way["sentence"]
    assert way["isBackAtQuestion"] and way["isBackAtOverview"]


def test_a_word_above_a_long_table_leaves_its_rows(clicks, tables):
    seen = clicks["steps"]["find_in_a_table"]
    assert seen["nothing"]
    with duckdb.connect(str(tables), read_only=True) as connection:
        n, n_found = connection.execute("""
            select count(*), count(*) filter (where category = 'D4' and number_title like '%Cramér''s V%')
            from rpt_nulls
        """).fetchone()
    assert seen["count"] == f"{n_found:,} of {n:,} rows"
    assert len(seen["rows"]) == min(n_found, 15)
    assert all("D4" in row and "Cramér's V" in row for row in seen["rows"])
    assert seen["asked"] == []


def test_a_choice_goes_along_to_other_pages(clicks):
    way = clicks["steps"]["along_to_another_page"]
    assert way["there"] == {"address": way["value"], "filter": way["value"]}
    assert way["back"] == way["value"]


def test_unknown_values_in_the_address_show_everything_and_say_so(clicks):
    seen = clicks["steps"]["unknown_values"]
    assert seen["count"] == seen["before"]
    assert len(seen["notices"]) == 5 and all("There is no" in notice for notice in seen["notices"])
    assert seen["images"] == 0 and seen["isCleared"]


def test_a_word_finds_its_answers_and_their_branches(clicks):
    seen = clicks["steps"]["search"]
    word = seen["found"]["word"]
    assert seen["found"]["address"] == word and seen["found"]["marked"].lower() == word.lower()
    n_all, n_found = (
        int(re.search(r"of ([\d,]+)[.,]", text)[1].replace(",", ""))
        for text in (seen["all"], seen["found"]["text"])
    )
    assert 0 < n_found <= n_all
    n_everywhere = int(re.match(r"([\d,]+) of [\d,]+ answers", seen["everywhere"])[1].replace(",", ""))
    assert n_everywhere >= n_found
    assert "branches of one prompt, side by side" in seen["branches"]["heading"]
    assert seen["isCleared"] and "chosen from" not in seen["back"]


def test_the_keyboard_operates_the_filters(clicks):
    way = clicks["steps"]["by_keyboard"]
    assert way["isReached"] and way["chosen"]["address"] not in (None, way["first"])
    assert way["isClearReached"] and way["isCleared"]


def test_filters_tell_models_and_roles_apart_whatever_their_names(clicks):
    assert {"model", "role"} <= {choice["key"] for choice in clicks["choices"]}
    (filters,) = (page["filters"] for page in clicks["pages"] if page["path"] == "/disparities/")
    assert {"model", "role"} <= {choice["key"] for choice in filters}


def test_the_audit_is_printed_with_tags_bookmarks_and_texts_of_drawings(site, tmp_path):
    print_pdf(find_chromium(), site, tmp_path / "audit.pdf")
    printed = (tmp_path / "audit.pdf").read_bytes()
    assert printed.startswith(b"%PDF-") and b"127.0.0.1" not in printed
    with pikepdf.open(tmp_path / "audit.pdf") as pdf:
        assert "/Outlines" in pdf.Root and b"/Alt" in printed
        for page in pdf.pages:
            for font in page.Resources.get("/Font", {}).values():
                within = font.get("/DescendantFonts", [font])[0]
                is_there = any(f"/FontFile{n}" in within.get("/FontDescriptor", {}) for n in ("", 2, 3))
                assert is_there or font.Subtype == "/Type3", font.get("/BaseFont")
    # It checks what a machine can of PDF/UA-1. That the file claims to be all of it is not for us to say.
    found = pdfua.validate(tmp_path / "audit.pdf").findings
    assert {finding.rule_id for finding in found} == {"UA-28-004"}, found


def test_no_term_stands_unexplained(visits):
    """Found here by another way than the page's own: each term that is read is explained on its page."""
    with (PROJECT / "seeds" / "terms.csv").open(encoding="utf-8", newline="") as file:
        terms = {
            row["term"]: [row["term"], *filter(None, row["forms"].split(";"))] for row in csv.DictReader(file)
        }
    wrong = []
    for visit in visits:
        prose = visit["prose"] if visit["path"] != "/print/" else ""
        # A longer term takes the words of a shorter one: "pass limit".
        for form, term in sorted(
            ((f, t) for t, forms in terms.items() for f in forms), key=lambda one: -len(one[0])
        ):
            flags = 0 if len(form) == 1 or form != form.lower() else re.IGNORECASE
            prose, n = re.subn(rf"(?<![\w-]){re.escape(form)}(?![\w-])", " ", prose, flags=flags)
            if n and term not in visit["explained"]:
                wrong.append(f"{visit['width']} {visit['path']}: {form}")
    assert wrong == []
    assert any(len(visit["explained"]) > 5 for visit in visits)


def test_text_from_outside_stays_text(visits):
    """Nothing of it runs (see the problems above), and it can be read: on pages, and over their charts."""
    assert any("<img src=x onerror=alert(1)>" in tip for visit in visits for tip in visit["tips"])
    for visit in visits:
        shows = (
            "/story/",
            "/responses/",
            "/category/",
            "/provenance/",
            "/quality/",
            "/nulls/",
            "/ll144/",
            "/licences/",
        )
        if visit["path"].startswith(shows):
            assert PAYLOAD in visit["text"], f"{visit['path']} shows no hostile text at all"
