"""Markup: text is escaped once, markup never."""

from featlearn.report._markup import Html, html, tag


def test_text_is_escaped_and_markup_is_not():
    assert html("<", Html("<b>"), ["&", None, ("'",)]) == "&lt;<b>&amp;&#x27;"
    assert tag("p", tag("b", "<")) == "<p><b>&lt;</b></p>"


def test_attributes():
    assert tag("a", class_="x", data_label='"', hidden=True, title=None, open=False) == (
        '<a class="x" data-label="&quot;" hidden></a>'
    )
    assert tag("meta", name="a") == '<meta name="a">'
