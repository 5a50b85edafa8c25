def test_every_study_with_its_claim_and_its_document(featlearn):
    ended = featlearn("list")
    assert ended.code == 0
    assert "* toy/holds" in ended.out
    assert "  bad/fails" in ended.out
    assert "The statement of bad/fails." in ended.out
    assert "the document of bad/fails" in ended.out
    assert ended.err == ""


def test_json(featlearn):
    studies = featlearn("list", "--json").json["studies"]
    assert [s["study"] for s in studies if s["headline"]] == ["toy/holds"]
    assert studies[0] == {
        "study": "toy/holds",
        "system": "toy",
        "statement": "The statement of toy/holds.",
        "source": "the document of toy/holds",
        "headline": True,
        "tiers": ["smoke", "quick"],
    }


def test_what_a_study_wrote_is_not_taken_for_markup(featlearn, monkeypatch):
    import studies_of_a_test

    strange = studies_of_a_test.study("odd/markup", list)
    object.__setattr__(strange, "statement", "x in [bold] and [/] :smile:")
    monkeypatch.setattr("featlearn.studies.STUDIES", (strange,))
    assert "x in [bold] and [/] :smile:" in featlearn("list").out


def test_a_broken_plugin_is_a_sentence_and_the_others_are_listed(featlearn, place, monkeypatch):
    info = place / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[featlearn.studies]\nx = not_there\n")
    monkeypatch.syspath_prepend(place)
    ended = featlearn("list", "--json")
    assert "The studies of broken were skipped" in ended.err
    assert len(ended.json["studies"]) == 5
