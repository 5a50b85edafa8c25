import re

import pytest


@pytest.mark.parametrize(
    ("study", "code", "said"),
    [
        ("toy/holds", 0, "fails, as it must"),
        ("toy/open", 0, "open: needs 12 more seeds"),
        ("bad/fails", 1, "fails"),
        ("bad/control", 1, "holds, and must not"),
        ("bad/broken", 1, "bad/broken could not be judged (KeyError: 'excess')."),
    ],
)
def test_verdicts_and_exit_codes(featlearn, study, code, said):
    ended = featlearn("verify", study)
    assert ended.code == code
    assert said in " ".join(ended.out.split())


def test_the_table_has_what_was_predicted_and_measured(featlearn):
    text = featlearn("verify", "toy/holds").out
    assert re.search(r"the claim +≤ 2 +1 \[0\.9, 1\.1\] +holds", text)
    assert re.search(r"control: the control +≤ 2 +3 \[2\.9, 3\.1\] +fails, as it", text)
    assert re.search(r"the claim +— +3 \[−∞, ∞\] +measured", text)
    assert "! width-limited" in text
    assert "without the mechanism" in text
    assert re.search(r"toy/holds  quick, 2 seeds, \d\.\d s", text)
    assert re.search(r"Of 1 claims 1 holds; 1 control fails, as it must\. \d\.\d s in all\.", text)


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_the_table_keeps_to_the_terminal(featlearn, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = featlearn("verify").out.splitlines()
    assert max(map(len, lines)) <= min(columns, 120)
    assert any("holds, and must not" in line for line in lines) or columns == 80


def test_the_headline_claims_alone(featlearn):
    records = featlearn("verify", "--headline", "--json").json["studies"]
    assert [record["study"] for record in records] == ["toy/holds"]


def test_what_was_computed_before_is_shown_as_such(featlearn):
    featlearn("run", "toy/holds")
    assert re.search(r"stored \(0\.\d s when computed\)", featlearn("verify", "toy/holds").out)


def test_cells_that_failed_are_told_beside_the_verdict(featlearn, monkeypatch):
    monkeypatch.setenv("BREAK", "1")
    assert "6 of 6 cells failed: RuntimeError: the study broke" in featlearn("verify", "toy").out


def test_json_carries_the_verdicts_and_infinity(featlearn):
    ended = featlearn("verify", "toy/holds", "bad/fails", "--json")
    assert ended.code == 1
    assert ended.json["as_expected"] is False
    good, bad = ended.json["studies"]
    assert [f["verdict"] for f in good["findings"]] == ["holds", "fails", "measured"]
    assert [f["as_expected"] for f in good["findings"]] == [True, True, True]
    assert float(good["findings"][2]["measured"]["high"]) == float("inf")
    assert (good["verdict"], bad["verdict"]) == ("holds", "fails")
    assert good["wall_seconds"] > 0
