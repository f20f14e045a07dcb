"""A page in, a cleaned page out: in each form, with what its head said."""

from __future__ import annotations

import pickle

import pytest

from weft.clean import PRESET_OF, PRESETS, Cleaned, Cleaner, Form

PAGE = """<!DOCTYPE html>
<html lang="de-AT">
<head><title> Obst
 &amp; mehr </title><meta charset=utf-8><base href="/dir/"><style>p {}</style></head>
<body onload="x()">
<!-- a comment --><?php echo 1 ?>
<nav><a href="/">Home</a> <a href="/more">More</a></nav>
<form action="/search"><h1 class="big">Äpfel</h1>
<p>Birnen <b>und</b> <i>Quitten</i>,<br>roh oder gekocht. <img src="pear.png" alt="pear"> <a href="jam">Mus</a></p>
<label>Your name: <input value="secret"></label><select><option>never</option></select><textarea>typed</textarea>
<button>Go</button><object><param name=x></object><script>run()</script></form>
</body></html>
"""


def cleaned(preset: str, form: Form = Form.HTML) -> Cleaned:
    return Cleaner(PRESETS[preset], form).clean(PAGE.encode(), "http://example.org/a/b.html", "text/html")


def test_the_papers_rules_leave_body_and_words() -> None:
    assert cleaned("paper").content == (
        '<html lang="de-AT"><body onload="x()"><nav><a href="/">Home</a> <a href="/more">More</a></nav>'
        '<h1 class="big">Äpfel</h1><p>Birnen <b>und</b> <i>Quitten</i>,\nroh oder gekocht.  <a href="jam">Mus</a></p>'
        "<label>Your name: </label></body></html>"
    )


def test_text_keeps_the_words_and_their_structure() -> None:
    assert cleaned("text").content == (
        '<html lang="de-AT"><body><nav>Home More</nav><h1>Äpfel</h1>'
        "<p>Birnen <b>und</b> <i>Quitten</i>,<br>roh oder gekocht.  Mus</p>"
        "<label>Your name: </label>  \n Go</body></html>"
    )


def test_article_leaves_out_what_stands_around_it() -> None:
    assert cleaned("article").content == (
        '<html lang="de-AT"><body><h1>Äpfel</h1><p>Birnen <b>und</b> <i>Quitten</i>,<br>roh oder gekocht. '
        '<img src="pear.png" alt="pear"> <a href="jam">Mus</a></p><label>Your name: </label></body></html>'
    )


def test_safe_leaves_nothing_that_runs() -> None:
    assert cleaned("safe").content == (
        '<html lang="de-AT"><body><nav><a href="/">Home</a> <a href="/more">More</a></nav><h1>Äpfel</h1>'
        '<p>Birnen <b>und</b> <i>Quitten</i>,<br>roh oder gekocht. <img src="pear.png" alt="pear"> '
        '<a href="jam">Mus</a></p>Your name:   \n Go</body></html>'
    )


def test_forms_of_words() -> None:
    assert cleaned("paper", Form.TEXT).content == (
        "Home More\nÄpfel\nBirnen und Quitten, roh oder gekocht. Mus\nYour name:"
    )
    assert cleaned("text", Form.TEXT).content == (
        "Home More\nÄpfel\nBirnen und Quitten,\nroh oder gekocht. Mus\nYour name: Go"
    )
    markdown = cleaned("article", Form.MARKDOWN).content
    assert markdown.startswith(
        "# Äpfel\n\nBirnen **und** *Quitten*,  \nroh oder gekocht. ![pear](http://example.org/dir/"
    )
    assert "[Mus](http://example.org/dir/jam)" in markdown


def test_the_article_is_what_the_page_is_about() -> None:
    words = "The quince is a hard fruit, related to the apple and the pear, and mostly eaten cooked. " * 12
    menu = "".join(f"<li><a href=/{n}>Chapter {n}</a></li>" for n in range(40))
    page = f"<html><body><div class=menu><ul>{menu}</ul></div><div class=content><h1>Quince</h1><p>{words}</p></div>"
    article = Cleaner(PRESETS["paper"], Form.ARTICLE).clean(page).content
    assert words.strip() in article
    assert "Chapter" not in article


@pytest.mark.parametrize("form", list(Form))
def test_title_language_and_charset_stay_beside_it(form: Form) -> None:
    page = cleaned(PRESET_OF[form], form)
    assert (page.title, page.language, page.charset) == ("Obst & mehr", "de", "utf-8")


@pytest.mark.parametrize("form", list(Form))
def test_the_language_of_a_page_that_does_not_say_it_is_guessed(form: Form) -> None:
    text = "Le coing est un fruit dur, proche de la pomme et de la poire, que l'on mange surtout cuit, en gelée. "
    page = f"<script>{'the and of ' * 300}</script><p>{text * 4}"
    assert Cleaner(form=form).clean(page).language == "fr"


def test_bytes_are_decoded_as_a_browser_would() -> None:
    page = "<meta charset=windows-1251><title>Заголовок</title><p>Слова".encode("cp1251")
    assert Cleaner().clean(page) == Cleaned("<html><body><p>Слова</p></body></html>", "Заголовок", "ru", "windows-1251")
    assert Cleaner().clean("<p>я".encode("koi8-r"), content_type="text/html; charset=koi8-r").content.count("я") == 1


def test_the_charset_of_text_is_the_one_that_it_names() -> None:
    assert Cleaner().clean("<p>x", content_type="text/html; charset=Latin1").charset == "windows-1252"
    assert Cleaner().clean("<meta charset=big5><p>x").charset == "big5"
    assert Cleaner().clean("<p>x").charset == ""


def test_links_of_a_page_without_url_keep_their_words() -> None:
    page = '<p><a href="/a">one</a> <a href="https://example.org/b">two</a><img src=x alt=y>'
    for url in ("", "not a url", "data:,x"):
        assert Cleaner(PRESETS["article"], Form.MARKDOWN).clean(page, url).content == "one [two](https://example.org/b)"


def test_hidden_words_are_in_no_form_of_words() -> None:
    page = "<p>seen<p hidden>hidden one<p style='display:none'>hidden two"
    for form in (Form.TEXT, Form.MARKDOWN, Form.ARTICLE):
        assert Cleaner(form=form).clean(page).content == "seen"


def test_a_cleaner_can_be_sent_to_a_worker() -> None:
    for rules in PRESETS.values():
        for form in Form:
            cleaner = Cleaner(rules, form)
            again = pickle.loads(pickle.dumps(cleaner))
            assert again.clean(PAGE) == cleaner.clean(PAGE)


def test_a_page_leaves_nothing_behind() -> None:
    cleaner = Cleaner()
    first = cleaner.clean(PAGE)
    cleaner.clean("<p>another")
    assert cleaner.clean(PAGE) == first
