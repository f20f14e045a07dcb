"""A page's metadata as exports have it."""

from __future__ import annotations

import msgspec

from weft.export.metadata_fields import METADATA_FIELDS, metadata_fields
from weft.page import Metadata, Page

STORY = """<title>Bees | The Paper</title><meta property="og:site_name" content="The Paper">
<meta name=author content="Jane Doe">
<meta property="article:published_time" content="2020-01-28"><meta property="og:type" content="article"><h1>Bees</h1>"""


def test_the_fields_are_flat_and_do_not_shadow_the_title_or_the_media_type() -> None:
    told = metadata_fields(Page.from_html(STORY))
    assert tuple(told) == METADATA_FIELDS
    assert (told["headline"], told["authors"], told["published"]) == ("Bees", ["Jane Doe"], "2020-01-28")
    assert (told["site_name"], told["page_type"]) == ("The Paper", "article")


def test_every_field_of_the_metadata_is_exported() -> None:
    named = {"headline": "title", "page_type": "type"}
    own = {field.name for field in msgspec.structs.fields(Metadata)} - {"language"}  # which exports have anyway
    assert {named.get(name, name) for name in METADATA_FIELDS} == own


def test_what_is_no_page_has_empty_fields() -> None:
    assert set(map(bool, metadata_fields(None).values())) == {False}
