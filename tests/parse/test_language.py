"""Which language a page is written in."""

from __future__ import annotations

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse.language import page_language


def language_of(markup: str = "", text: str = "", header: str | None = None) -> str:
    return page_language(turbohtml.parse(markup, positions=False), text, header)


GERMAN = "Der Ausschuss hat gestern über den neuen Haushalt beraten und mehrere Änderungen beschlossen."


# ── what is declared ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("lang", "language"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("DE_de", "de"),
        (" pt-BR ", "pt"),
        ("zh-Hans-CN", "zh"),
        ("gsw-CH", "gsw"),  # Swiss German has three letters only
        ("deu", "de"),
        ("en, fr", "en"),
        ("jp", "ja"),
        ("cn", "zh"),
        ("iw", "he"),
    ],
)
def test_the_language_is_the_first_part_of_the_tag(lang: str, language: str) -> None:
    assert language_of(f'<html lang="{lang}">') == language


@pytest.mark.parametrize(
    "lang", ["", " ", "german", "{{ lang }}", "x-default", "i-klingon", "und", "mul", "1", "ä", "e"]
)
def test_what_is_no_language_is_passed_over(lang: str) -> None:
    assert language_of(f'<html lang="{lang}">') == ""
    assert language_of(f'<html lang="{lang}">', header="fr") == "fr"


@pytest.mark.parametrize(
    ("markup", "header", "language"),
    [
        ("<html lang=es xml:lang=it><meta http-equiv=content-language content=fr>", "nl", "es"),
        ("<html xml:lang=it><meta http-equiv=content-language content=fr>", "nl", "it"),
        ("<html><meta http-equiv=Content-Language content='fr, en'>", "nl", "fr"),
        ("<html><meta http-equiv=content-language>", "nl-BE, fr", "nl"),
        ("<html>", None, "de"),
        ("<html><body><p lang=es>", "", "de"),
    ],
)
def test_the_page_is_asked_before_the_header_and_the_header_before_the_text(
    markup: str, header: str | None, language: str
) -> None:
    assert language_of(markup, GERMAN, header) == language


# ── what the text tells ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The committee met yesterday to talk about the new budget, and agreed on a number of changes."),
        ("de", GERMAN),
        ("fr", "Le gouvernement a annoncé hier une série de mesures destinées à réduire le déficit."),
        ("es", "El gobierno anunció ayer una serie de medidas destinadas a reducir el déficit público."),
        ("pl", "Rząd ogłosił wczoraj szereg środków mających na celu zmniejszenie deficytu."),
        ("tr", "Hükümet dün bütçe açığını azaltmaya yönelik bir dizi önlem açıkladı."),
        ("vi", "Chính phủ hôm qua đã công bố một loạt biện pháp nhằm giảm thâm hụt ngân sách."),
        ("ru", "Погода в субботу будет тёплой, без осадков. В воскресенье ожидается ветер и небольшой дождь."),
        ("uk", "Уряд учора оголосив про низку заходів, спрямованих на скорочення дефіциту бюджету."),
        ("fa", "دولت دیروز مجموعه‌ای از اقدامات را برای کاهش کسری بودجه اعلام کرد."),
        ("hi", "सरकार ने कल बजट घाटे को कम करने के लिए कई उपायों की घोषणा की।"),
        ("ja", "政府は昨日、財政赤字を削減するための一連の措置を発表した。"),
        ("ko", "정부는 어제 재정 적자를 줄이기 위한 일련의 조치를 발표했다."),
        ("zh", "政府昨天宣布了一系列旨在减少财政赤字的措施。"),
        ("el", "Η κυβέρνηση ανακοίνωσε χθες μια σειρά μέτρων."),
        ("th", "รัฐบาลประกาศมาตรการหลายประการเมื่อวานนี้"),
        ("ka", "მთავრობამ გუშინ გამოაცხადა ზომები."),
    ],
)
def test_the_text_tells_its_language(language: str, text: str) -> None:
    assert language_of(text=text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("こんにちは", "ja"),
        ("안녕하세요", "ko"),
        ("你好", "zh"),
        ("สวัสดี", "th"),
        ("Γεια σας", "el"),
        ("Привет, мир", "ru"),
        ("مرحبا", "ar"),
        ("שלום", "he"),
        ("नमस्ते", "hi"),
        ("Home About Contact", ""),
        ("Login", ""),
    ],
)
def test_a_short_text_tells_what_its_script_tells(text: str, language: str) -> None:
    assert language_of(text=text) == language


def test_the_middle_of_a_page_counts_and_not_its_navigation() -> None:
    navigation = "Home About Contact Products Services Careers Press Privacy Terms Search Login Help " * 5
    assert language_of(text=navigation + GERMAN * 40 + navigation) == "de"


@pytest.mark.parametrize("text", ["", " \n", "123 456", "!?", "😀" * 100, "\0" * 100, "\ud800", "x" * 10_000])
def test_a_text_without_words_has_no_language(text: str) -> None:
    assert language_of(text=text) == ""


@settings(max_examples=100, deadline=None, database=None)
@given(
    st.text(st.characters(exclude_categories=()), max_size=300),
    st.one_of(st.none(), st.text(st.characters(exclude_categories=()), max_size=20)),
)
def test_any_page_has_a_tag_or_none(text: str, header: str | None) -> None:
    language = language_of(f"<html lang='{text[:20]}'>{text}", text, header)
    assert language == "" or (2 <= len(language) <= 3 and language.isascii() and language.islower())
