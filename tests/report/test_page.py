"""The page: complete, well-formed, alone, and the same for the same entries."""

import re
from html.parser import HTMLParser

import pytest

from featlearn.claims import Measured, judge
from featlearn.report import write_page
from featlearn.report._page import page

_EMPTY = {"meta", "br", "hr", "input"}
SYSTEM = {"device": "x86_64, 2 cores"}


class Reader(HTMLParser):
    """Tags that balance, ids, references, and the text by element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[tuple[str, str, str]] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.ids += [value for key, value in attrs if key == "id"]
        self.references += [(tag, k, v) for k, v in attrs if k in ("src", "href", "action")]
        self.references += [
            (tag, key, "#" + found)
            for key, value in attrs
            for found in re.findall(r"url\(#([^)]*)\)", value or "")
        ]
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open[-1:] == [tag], f"</{tag}> closes nothing"
        self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data


@pytest.fixture(scope="module")
def shown(request):
    return {}


@pytest.fixture
def text(shown, make_entry):
    """One page of three studies, drawn once."""
    if not shown:
        entries = [make_entry("toy/late", order=2), make_entry("toy/one", order=1),
                   make_entry("deep/first", headline=True, order=9)]  # fmt: skip
        shown["page"] = page(entries, title="What <was> measured", system=SYSTEM)
    return shown["page"]


def test_the_reader_rejects_what_is_not_well_formed():
    for broken in ("<p><b></p></b>", "<p>", "</p>"):
        with pytest.raises(AssertionError):
            Reader(broken)


def test_is_well_formed_with_ids_that_differ(text):
    read = Reader(text)
    assert len(read.ids) > 30
    assert len(read.ids) == len(set(read.ids))


def test_every_reference_is_to_something_on_the_page(text):
    read = Reader(text)
    assert len(read.references) > 30
    assert {v[1:] for _, _, v in read.references} <= set(read.ids)
    assert all(value.startswith("#") for _, _, value in read.references)


def test_needs_nothing_from_elsewhere(text):
    assert "http:" not in text
    assert "https:" not in text
    assert "@import" not in text
    assert "@font-face" not in text
    assert not re.search(r"<(link|img|iframe|object|embed)\b", text)
    assert not re.search(r"<script\b[^>]*\bsrc", text)
    assert text.count("<script") == 1


def test_tells_every_claim_verdict_and_command(text):
    read = Reader(text)
    for name in ("toy/one", "toy/late", "deep/first"):
        assert f"Statement of {name} & more." in read.text
        assert f"featlearn run {name} --set dim=8 --set 'kind=a b'" in read.text
    for words in (
        "What <was> measured",
        "exponent of n*(d)",
        "risk of the <NTK>",
        "control: without the step",
        "fails, as it must",
        "holds, but must fail",
        "≤ 2",
        "1.61 [1.5, 1.72]",
        "more seeds would settle it",
        "slides, page 4",
        "22 cells done, 1 diverged, 1 failed",
        "3 min 20 s of computing",
        "tier quick",
        "4 seeds",
        "16, 64, 256",
        "1.5e-05",
        "3.12.1",
        "x86_64, 2 cores",
        "grid edge",
        "longer grid",
        "λ is",
    ):
        assert words in read.text, words


def test_counts_claims_and_controls(text):
    counted = re.findall(r'<li class="(\w+)"><b>(\d+)</b>([^<]*)', text)
    assert counted == [
        ("good", "3", "claims hold"),
        ("none", "0", "claims fail"),
        ("open", "3", "open"),
        ("good", "3", "controls fail, as they must"),
        ("bad", "3", "controls hold: a defect"),
    ]


def test_a_control_that_fails_is_good_and_one_that_holds_stands_out(text):
    rows = re.findall(r"<tr.*?</tr>", text, re.S)
    failing = [row for row in rows if "without the step" in row]
    holding = [row for row in rows if "with every step" in row]
    assert len(failing) == len(holding) == 6  # in the summary and in the section
    assert all('class="control"' in row and "verdict good" in row for row in failing)
    assert all('class="control defect"' in row and "verdict bad" in row for row in holding)


def test_a_claim_that_fails_stands_out(make_entry):
    from featlearn.claims import AtMost

    fails = judge("a/b", "too much", Measured(3, 2, 4, 8), AtMost(1))
    text = page([make_entry(findings=[fails])], title="t", system={})
    assert text.count('<tr class="defect">') == 2


def test_groups_by_system_and_puts_headlines_first(make_entry):
    entries = [make_entry("b/two", order=2), make_entry("a/x"), make_entry("b/one", order=1),
               make_entry("b/star", order=7, headline=True)]  # fmt: skip
    text = page(entries, title="t", system={})
    sections = re.findall(r'<section id="([^"]*)"', text)
    assert sections == ["study-b-star", "study-b-one", "study-b-two", "study-a-x"]
    marks = text.count('<span class="mark">headline</span>')
    assert marks == 2  # in the summary, and above its section


def test_a_study_may_be_shown_twice(make_entry):
    text = page([make_entry(), make_entry(tier="full")], title="t", system={})
    read = Reader(text)
    assert len(read.ids) == len(set(read.ids))
    assert "tier full" in read.text


def test_notes_cannot_run_anything(text):
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;" in text


def test_hostile_names_stay_text(make_entry):
    bad = '"><img src=x onerror=alert(1)>'
    entry = make_entry(f"toy/{bad}", statement=bad, source=bad, command=bad, tier=bad,
                       settings={bad: bad}, versions={bad: bad})  # fmt: skip
    read = Reader(page([entry], title=bad, system={bad: bad}))
    assert "img" not in read.seen


def test_a_figure_that_fails_becomes_a_sentence(make_entry):
    def broken(rows):
        raise KeyError("no column\n'error' <b>")

    text = page([make_entry(figure=broken)], title="t", system={})
    assert "The figure could not be drawn (KeyError:" in Reader(text).text
    assert text.count("<svg") == 1  # the forest is still there
    assert "&lt;b&gt;" in text


def test_a_study_without_findings_says_so(make_entry):
    text = page([make_entry(findings=[])], title="t", system={})
    assert "There are no findings: the study was not judged." in Reader(text).text


def test_rows_without_states_are_counted(make_entry):
    rows = make_entry().rows.drop(columns="state")
    text = page([make_entry(rows=rows)], title="t", system={})
    assert "24 cells" in Reader(text).text


def test_pictures_have_a_name_for_those_who_do_not_see_them(text):
    for picture in re.findall(r"<svg.*?</svg>", text, re.S):
        label = re.search(r'aria-labelledby="([^"]*)"', picture)[1]
        assert f'<title id="{label}">' in picture
        assert 'role="img"' in picture


def test_no_entries_say_which_command_to_run(tmp_path):
    text = write_page([], tmp_path, title="Nothing", system=SYSTEM).read_text(encoding="utf-8")
    assert "no study has been run" in Reader(text).text
    assert "featlearn verify --headline" in text
    assert "x86_64" in text


def test_equal_entries_give_equal_bytes(make_entry, tmp_path):
    first = write_page([make_entry()], tmp_path / "a", title="t", system=SYSTEM)
    second = write_page([make_entry()], tmp_path / "b" / "c", title="t", system=SYSTEM)
    assert first == tmp_path / "a" / "index.html"
    assert first.read_bytes() == second.read_bytes()


def test_a_setting_of_matplotlib_changes_nothing(make_entry):
    import matplotlib

    plain = page([make_entry()], title="t", system={})
    with matplotlib.rc_context(
        {"font.size": 20, "font.family": "monospace", "svg.fonttype": "none"}
    ):
        assert page([make_entry()], title="t", system={}) == plain
        assert matplotlib.rcParams["font.size"] == 20
