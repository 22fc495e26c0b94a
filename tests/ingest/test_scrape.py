"""Scraping (SPEC COR): from a MediaWiki, from pages and from files, never further than the suite allows."""

import os
import socket
from unicodedata import normalize

import pytest
import yaml
from click.testing import CliRunner
from wiki_server import PAGES, wiki

from ingest.assemble import command as assemble
from ingest.branch import command as branch
from ingest.corpus import fetch, wikipedia
from ingest.scrape import command


@pytest.fixture
def server():
    with wiki() as running:
        yield running


@pytest.fixture(autouse=True)
def naps(monkeypatch):
    """Seconds that would have been waited."""
    slept = []
    monkeypatch.setattr(fetch.time, "sleep", slept.append)
    return slept


def content(*sources, **more):
    return {
        "suite": "lands",
        "title": "Lands",
        "version": 1,
        "scrape": {"contact": "audit@example.org", "spacing": 0.0},
        "attributes": {"country": {"Freelandia": {}, "France": {}}},
        "axes": ["country"],
        "branches": [
            {"category": "LAND", "attribute": "country", "root": "Freelandia", "replacements": ["lands.csv"]}
        ],
        "categories": {
            "LAND": {
                "title": "Lands",
                "block": "root",
                "corpus": {
                    "attribute": "country",
                    "min_words": 5,
                    "sources": [{"concept": "Freelandia", **source} for source in sources],
                },
                "outcomes": [
                    {"set": "tone", "kind": "pattern", "labels": {"good": ["good"], "bad": ["bad"]}}
                ],
            }
        },
        **more,
    }


@pytest.fixture
def scrape(data, tmp_path):
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "lands.csv").write_text("target,from,to\nFrance,Freelandia,France\n")

    def run(*sources, options=(), change=None, **more):
        suite = content(*sources, **more)
        if change:
            change(suite)
        path = folder / "lands.yml"
        path.write_text(yaml.safe_dump(suite, sort_keys=False))
        return CliRunner().invoke(command, ["--suite", str(path), *options], obj=data)

    run.folder = folder
    run.suite = folder / "lands.yml"
    return run


def article(server, *titles, **more):
    api = f"http://{server.host}/w/api.php"
    return {"kind": "wikipedia", "titles": list(titles), "api": api, "links": 0, **more}


DOCUMENTS = "select origin, document_status, revision, licence from documents order by origin"


def test_an_article_comes_with_revision_licence_and_attribution(scrape, server, query):
    result = scrape(article(server, "Freelandia"))
    assert result.exit_code == 0, result.output
    (row,) = query("select title, revision, licence, attribution, source_kind, text from documents")
    assert row[:3] == ("Freelandia", "101", "CC BY-SA 4.0")
    assert "oldid=101" in row[3]
    assert "altered" in row[3]
    assert server.agents == {fetch.user_agent("audit@example.org")}
    sentences = query("select keyword, sentence from sentences order by sentence_position")
    assert sentences == [
        ("Freelandia", "Freelandia is a small country with many rivers."),
        (
            "Freelandia",
            "Most visitors of Freelandia praise the food markets that open before dawn in every town.",
        ),
    ]


def test_a_page_is_asked_for_once(scrape, server):
    source = article(server, "Freelandia", links=5, backlinks=1)
    scrape(source, {**source, "titles": ["Freelandia"]})
    assert server.asked["extracts"] == 4  # the page, two it links to, one that links to it
    before = server.asked.copy()
    result = scrape(source)
    assert "(0 new)" in result.output
    assert server.asked["extracts"] == before["extracts"]


def test_refresh_fetches_a_new_revision_and_keeps_the_old_one(scrape, server, query):
    scrape(article(server, "Freelandia"))
    scrape(article(server, "Freelandia"), options=["--refresh"])
    assert server.asked["extracts"] == 1
    server.revisions["Freelandia"] = 201
    scrape(article(server, "Freelandia"), options=["--refresh"])
    assert query("select revision, document_status from documents order by revision") == [
        ("101", "superseded"),
        ("201", "ok"),
    ]
    assert query("select count(*) from sentences") == [(2,)]


def test_redirects_disambiguations_and_missing_pages_have_a_status(scrape, server, query):
    result = scrape(article(server, "Free Land", "Free", "Nowhere", "Hollow"))
    assert query("select title, document_status, detail from documents order by document_status, title") == [
        ("", "disambiguation", "the page lists several meanings; name one of them"),
        ("Hollow", "empty", ""),
        ("", "missing", "no such page"),
        ("Freelandia", "ok", "redirected from Free Land"),
    ]
    assert "Nowhere: missing" in result.output
    assert "LAND: 1 documents (1 new)" in result.output
    again = scrape(article(server, "Free Land", "Free", "Nowhere", "Hollow"))
    assert "LAND: 1 documents (0 new)" in again.output


def test_busy_servers_are_waited_for(scrape, server, naps):
    server.faults = ["429", "503", "maxlag"]
    result = scrape(article(server, "Freelandia"))
    assert result.exit_code == 0, result.output
    assert 7.0 in naps
    assert 3.0 in naps


@pytest.mark.parametrize("odd", ["\ud800", "\udc00\ud800", "\0"])
def test_halves_of_characters_do_not_stop_the_stage(scrape, server, query, monkeypatch, odd):
    monkeypatch.setitem(PAGES, "Hills", (f"The hills of {odd} Freelandia have sheltered shepherds.", 103))
    result = scrape(article(server, "Hills", "Freelandia"))
    assert result.exit_code == 0, result.output
    assert query("select count(*) from documents where document_status = 'ok'") == [(2,)]


def test_it_gives_up_after_five_tries(scrape, server, query):
    server.faults = ["503"] * 5
    result = scrape(article(server, "Freelandia"))
    assert result.exit_code == 1
    assert query("select document_status, detail from documents")[0][0] == "failed"
    assert "5 times" in result.output


def test_an_answer_that_is_none_is_a_status(scrape, server, query):
    server.faults = ["garbage"]
    scrape(article(server, "Freelandia"))
    assert query("select document_status from documents") == [("failed",)]


def test_without_a_contact_nothing_is_asked(scrape, server, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_CONTACT", raising=False)
    result = scrape(article(server, "Freelandia"), scrape={"spacing": 0.0})
    assert result.exit_code == 1
    assert "PLUMBLINE_CONTACT" in result.output
    assert not server.asked


def web(server, *paths):
    return {"kind": "web", "urls": [f"http://{server.host}{path}" for path in paths]}


def allowing(host):
    return {"contact": "audit@example.org", "spacing": 0.0, "allow": [host]}


def test_pages_of_allowed_hosts_are_read(scrape, server, query):
    result = scrape(web(server, "/article", "/moved"), scrape=allowing(server.host))
    assert result.exit_code == 0, result.output
    assert [row[1] for row in query(DOCUMENTS)] == ["ok", "ok"]
    assert not query("select 1 from documents where text like '%Menu%'")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/private/article", "not_allowed"),
        ("/into", "not_allowed"),
        ("/away", "not_allowed"),
        ("/file", "not_allowed"),
        ("/loop", "failed"),
        ("/picture", "failed"),
        ("/huge", "too_large"),
        ("/none", "missing"),
    ],
)
def test_what_is_not_allowed_is_not_read(scrape, server, query, path, status):
    scrape(web(server, path), scrape=allowing(server.host))
    assert query("select document_status, text from documents") == [(status, None)]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "http://example.org/",
        "file:///etc/passwd",
        "https://user@example.org/",
        "ftp://example.org/x",
    ],
)
def test_other_hosts_and_schemes_are_refused_before_any_request(scrape, query, url):
    scrape({"kind": "web", "urls": [url]}, scrape=allowing("example.org"))
    assert query("select document_status from documents") == [("not_allowed",)]


def test_a_name_that_leads_to_this_machine_is_refused(scrape, query, monkeypatch):
    found = [(2, 1, 6, "", ("127.0.0.1", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    scrape({"kind": "web", "urls": ["https://inside.example.org/"]}, scrape=allowing("inside.example.org"))
    assert query("select document_status, detail from documents") == [
        ("not_allowed", "the host 'inside.example.org' leads to a local address")
    ]


def test_files_in_the_suites_folder(scrape, query):
    texts = scrape.folder / "texts" / "deep"
    texts.mkdir(parents=True)
    (texts / "a.txt").write_text("The rivers of Freelandia are long and cold in winter.")
    (texts / "b.md").write_text(
        "# Freelandia is a heading that nobody answers\n\nThe *farmers* of [Freelandia](http://x) grow "
        "**wheat** on the plains.\n\n```\nFreelandia is code that nobody should ever read here\n```\n"
    )
    paragraph = "<p>The schools of Freelandia teach three languages to every child.</p>"
    (texts / "c.html").write_text(f"<html><body><article>{paragraph * 2}</article></body></html>")
    (texts / "d.pdf").write_text("Freelandia is a country of no interest here at all.")
    (texts / "e.txt").write_bytes(b"\xff\xfe\x00")
    (texts / "f.txt").write_text("  \n")
    result = scrape({"kind": "local", "files": "texts/**/*", "licence": "CC0"})
    assert result.exit_code == 0, result.output
    assert "texts/**/*: 1 files are not read, such as texts/deep/d.pdf; only .txt, .md" in result.output
    assert [row[:2] for row in query(DOCUMENTS)] == [
        ("texts/deep/a.txt", "ok"),
        ("texts/deep/b.md", "ok"),
        ("texts/deep/c.html", "ok"),
        ("texts/deep/e.txt", "failed"),
        ("texts/deep/f.txt", "empty"),
    ]
    assert [row[0] for row in query("select distinct sentence from sentences order by all")] == [
        "The farmers of Freelandia grow wheat on the plains.",
        "The rivers of Freelandia are long and cold in winter.",
        "The schools of Freelandia teach three languages to every child.",
    ]


@pytest.mark.parametrize("name", ["t[1].txt", "t*.txt", "t?.txt"])
def test_a_name_that_a_file_has_is_no_pattern(scrape, query, name):
    for file in ("t1.txt", "tt.txt", name):
        (scrape.folder / file).write_text(f"The rivers of Freelandia are as long as {file} says.")
    scrape({"kind": "local", "files": name})
    assert query("select origin from documents") == [(name,)]


@pytest.mark.parametrize("pattern", ["../secret.txt", "/etc/passwd", "texts/../../secret.txt"])
def test_no_file_outside_the_folder(scrape, query, pattern):
    (scrape.folder.parent / "secret.txt").write_text("The secret of Freelandia is known to nobody at all.")
    result = scrape({"kind": "local", "files": pattern})
    assert result.exit_code == 1
    assert "outside the suite's folder" in result.output
    assert query("select count(*) from sentences") == [(0,)]


def test_no_link_leads_outside(scrape, query):
    (scrape.folder.parent / "secret.txt").write_text("The secret of Freelandia is known to nobody at all.")
    os.symlink(scrape.folder.parent / "secret.txt", scrape.folder / "link.txt")
    scrape({"kind": "local", "files": "*.txt"})
    assert query("select document_status, text from documents") == [("not_allowed", None)]


def test_a_changed_file_replaces_its_sentences(scrape, query):
    file = scrape.folder / "a.txt"
    file.write_text("The rivers of Freelandia are long and cold.")
    scrape({"kind": "local", "files": "a.txt"})
    file.write_text("The rivers of Freelandia are short and warm.")
    scrape({"kind": "local", "files": "a.txt"})
    assert query("select sentence from sentences") == [("The rivers of Freelandia are short and warm.",)]


def test_a_source_taken_out_gives_no_sentence_until_it_is_back(scrape, query):
    (scrape.folder / "a.txt").write_text("The rivers of Freelandia are long and cold.")
    (scrape.folder / "b.txt").write_text("The kings of Freelandia were old and rich.")
    (scrape.folder / "c.txt").write_text("The kings of France were young and poor.")
    rivers, kings = {"kind": "local", "files": "a.txt"}, {"kind": "local", "files": "b.txt"}
    france = {"kind": "local", "files": "c.txt", "concept": "France"}
    scrape(rivers, kings, france)
    assert query("select count(*) from sentences") == [(3,)]
    result = scrape(rivers)
    assert query("select sentence from sentences") == [("The rivers of Freelandia are long and cold.",)]
    assert query("select count(*) from documents where document_status = 'ok'") == [(3,)]
    assert "LAND: 1 documents (0 new), 1 sentences about 1 concepts" in result.output
    assert "LAND: 2 documents left out: no source gives them now" in result.output
    scrape(rivers, kings, france)
    assert query("select count(*) from sentences") == [(3,)]


def test_what_cannot_be_looked_at_today_gives_its_sentences_still(scrape, query):
    texts = scrape.folder / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("The rivers of Freelandia are long and cold.")
    scrape({"kind": "local", "files": "texts/*.txt"})
    texts.rename(scrape.folder / "moved")
    result = scrape({"kind": "local", "files": "texts/*.txt"})
    assert "no .txt" in result.output
    assert query("select count(*) from sentences") == [(1,)]


def test_pages_that_were_linked_stay_while_the_links_cannot_be_had(scrape, server, query, monkeypatch):
    source = article(server, "Freelandia", links=5)
    scrape(source)
    before = query("select sentence from sentences order by all")
    (n_documents,) = query("select count(*) from documents where document_status = 'ok'")[0]
    assert n_documents > 1

    def unreachable(*_):
        raise fetch.FetchError("failed", "the network is down")

    with monkeypatch.context() as down:
        down.setattr(wikipedia, "page_links", unreachable)
        assert "the network is down" in scrape(source).output
        assert query("select sentence from sentences order by all") == before
    result = scrape(article(server, "Freelandia"))
    assert f"{n_documents - 1} documents left out" in result.output


def test_keywords_find_whole_words_in_any_case(scrape, query):
    (scrape.folder / "a.txt").write_text(
        "The old PORT FREE has seen many storms. Freelandiaphiles are not people of the land at all. "
        + normalize("NFD", "The road to Nové Free is long and cold."),
        encoding="utf-8",
    )

    def change(suite):
        suite["categories"]["LAND"]["corpus"]["keywords"] = {"Freelandia": ["Port Free", "Nové Free"]}

    scrape({"kind": "local", "files": "a.txt"}, change=change)
    assert query("select keyword, sentence from sentences order by 1 desc") == [
        ("Port Free", "The old PORT FREE has seen many storms."),
        ("Nové Free", "The road to Nové Free is long and cold."),
    ]


def test_sentences_that_begin_alike_are_one_prompt_which_is_said_and_fill_no_cap(scrape, data, query):
    alike = [f"Most visitors of Freelandia have come to the old harbour {n} times." for n in range(6)]
    others = [f"Many {people} of Freelandia have sold their boats to the king." for people in ("sons", "men")]
    (scrape.folder / "a.txt").write_text("\n".join([*alike, *others]))

    def change(suite):
        suite["categories"]["LAND"]["corpus"]["cap"] = 3

    scrape({"kind": "local", "files": "a.txt"}, change=change)
    result = CliRunner().invoke(assemble, ["--suite", str(scrape.suite)], obj=data)
    assert "LAND: 2 dropped: same prompt as another" in result.output  # then the cap was reached
    assert "LAND: 3 prompts (3 new)" in result.output
    assert query("select count(distinct prompt) from prompts") == [(3,)]


def test_from_texts_to_branches(scrape, data, query):
    (scrape.folder / "a.txt").write_text(
        "Most visitors of Freelandia praise the food markets that open before dawn in every big town. "
        "Rivers of Freelandia everywhere and nowhere."
    )
    scrape({"kind": "local", "files": "a.txt", "source_tag": "book"})
    result = CliRunner().invoke(assemble, ["--suite", str(scrape.suite)], obj=data)
    assert result.exit_code == 0, result.output
    assert "1 dropped: no verb" in result.output
    result = CliRunner().invoke(branch, ["--suite", str(scrape.suite)], obj=data)
    assert result.exit_code == 0, result.output
    assert query(
        "select p.concept, p.prompt, t.text, p.source_tag, p.baseline_kind from prompts as p "
        "inner join texts as t on p.baseline_text_key = t.text_key order by p.concept desc"
    ) == [
        (
            "Freelandia",
            "Most visitors of Freelandia praise the food markets that open before dawn in",
            "Most visitors of Freelandia praise the food markets that open before dawn in every big town.",
            "book",
            "counterfactual",
        ),
        (
            "France",
            "Most visitors of France praise the food markets that open before dawn in",
            "Most visitors of France praise the food markets that open before dawn in every big town.",
            "br_book_cat_Freelandia",
            "counterfactual",
        ),
    ]


def test_a_held_text_follows_its_source_s_keyword_and_tag(scrape, query):
    told = "select keyword, source_tag from documents union all select keyword, source_tag from sentences"
    (scrape.folder / "a.txt").write_text("The rivers of Freelandia are long and the kings are old.")
    rivers = {"kind": "local", "files": "a.txt", "keyword": "rivers", "source_tag": "water"}
    scrape(rivers)
    assert query(told) == [("rivers", "water")] * 2
    kings = {**rivers, "keyword": "kings", "source_tag": "people"}
    for _ in range(2):
        scrape(kings, {**rivers, "files": "*.txt"})  # where two sources give it, it is the first one's
        assert query(told) == [("kings", "people")] * 2


def test_a_held_page_follows_its_source_s_keyword(scrape, server, query):
    scrape(article(server, "Freelandia", keyword="rivers"))
    before = server.asked.copy()
    scrape(article(server, "Freelandia", keyword="markets"))
    assert server.asked == before
    assert query("select distinct keyword from sentences") == [("markets",)]


def test_a_file_taken_out_is_not_kept_by_another_of_its_name(scrape, query):
    for folder, text in (("new", "The rivers of Freelandia are long."), ("old", "Freelandia has old kings.")):
        (scrape.folder / folder).mkdir()
        (scrape.folder / folder / "a.txt").write_text(text)
    new, old = ({"kind": "local", "files": f"{folder}/*.txt"} for folder in ("new", "old"))
    scrape(new, old)
    scrape(new)
    assert query("select sentence from sentences") == [("The rivers of Freelandia are long.",)]


def test_a_file_s_name_is_no_page_s(scrape, server, query):
    """A page of such a name is fetched, follows its own source, and keeps no file that was taken out."""
    told = "select source_kind, keyword from documents order by source_kind"
    (scrape.folder / "Freelandia.txt").write_text("Freelandia has old kings and long rivers.")
    file = {"kind": "local", "files": "*.txt", "keyword": "kings"}
    page = article(server, "Freelandia", keyword="rivers")
    for _ in range(2):
        scrape(file, page)
        assert query(told) == [("local", "kings"), ("wikipedia", "rivers")]
    scrape(page)
    assert query("select sentence from sentences where contains(sentence, 'kings')") == []
