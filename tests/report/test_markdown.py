"""Markdown: what it knows becomes markup, and everything else is text."""

import pytest

from featlearn.report._markdown import inline, markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a *b* c", "a <em>b</em> c"),
        ("**a b**, c", "<strong>a b</strong>, c"),
        ("**a *b* c**", "<strong>a <em>b</em> c</strong>"),
        ("`a*b*` c", "<code>a*b*</code> c"),
        ("`` a`b ``", "<code>a`b</code>"),
        ("`<i>`", "<code>&lt;i&gt;</code>"),
        ("n*(d) and m*(d)", "n*(d) and m*(d)"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("E f*² = 1, S*_ℓ", "E f*² = 1, S*_ℓ"),
        ("a_b_c", "a_b_c"),
        ("(*a*)", "(<em>a</em>)"),
        ("1 < 2 & 3", "1 &lt; 2 &amp; 3"),
        ("[a](javascript:x)", "[a](javascript:x)"),
    ],
)
def test_spans(text, shown):
    assert inline(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("a\nb\n\nc", "<p>a b</p><p>c</p>"),
        ("## A\nb", "<h4>A</h4><p>b</p>"),
        ("# A\n### B", "<h4>A</h4><h6>B</h6>"),
        ("### A\n#### B", "<h4>A</h4><h5>B</h5>"),
        ("- a\n  b\n- c\n\nd", "<ul><li>a b</li><li>c</li></ul><p>d</p>"),
        ("a:\n1. b\n2) c", "<p>a:</p><ol><li>b</li><li>c</li></ol>"),
        ("- a\n1. b", "<ul><li>a</li></ul><ol><li>b</li></ol>"),
        ("- a\n## B", "<ul><li>a</li></ul><h4>B</h4>"),
        ("```sh\na <b>\n\n- c\n```\nd", "<pre><code>a &lt;b&gt;\n\n- c</code></pre><p>d</p>"),
        ("```\na", "<pre><code>a</code></pre>"),
        ("a | b", "<p>a | b</p>"),
        ("<b>a</b>", "<p>&lt;b&gt;a&lt;/b&gt;</p>"),
    ],
)
def test_blocks(text, shown):
    assert markdown(text) == shown


def test_tables_keep_their_sides_and_short_rows():
    table = markdown("| a | b |\n|---|--:|\n| *x* | 1 |\n| y |\n\nz")
    assert table == (
        '<div class="scroll"><table>'
        '<thead><tr><th>a</th><th class="number">b</th></tr></thead>'
        '<tbody><tr><td><em>x</em></td><td class="number">1</td></tr><tr><td>y</td></tr></tbody>'
        "</table></div><p>z</p>"
    )


def test_every_text_ends():
    for text in ("|", "```", "#", "- ", "* *", "**", "a\n|-|", "1.", "\t- a\n\t\t- b", "*a\n*"):
        assert markdown(text) is not None


def test_what_is_emphasised_may_have_an_exponent():
    assert "<em>kα</em>²" in str(markdown("half of *kα*², and n*(d) stays"))
