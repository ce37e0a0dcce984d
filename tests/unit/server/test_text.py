import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.text import checked, digest, normalised


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str):
    assert normalised(normalised(text)) == normalised(text)


@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1), min_size=1))
def test_how_words_are_spaced_does_not_matter(words: list[str]):
    assert normalised(" \n" + "\t ".join(words) + "\u00a0") == normalised(" ".join(words))


@given(st.text())
def test_how_accents_are_composed_does_not_matter(text: str):
    assert normalised(unicodedata.normalize("NFD", text)) == normalised(unicodedata.normalize("NFC", text))


def test_case_matters():
    assert normalised("export PATH") != normalised("export path")


@given(st.text())
def test_what_is_accepted_comes_back_as_it_was_and_has_an_encoding(text: str):
    try:
        accepted = checked(text, "content", 20)
    except InvalidInput:
        return
    assert accepted == text
    assert accepted.encode()


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x1b", "\x7f", "\ud800"])
def test_what_no_store_keeps_is_refused_by_its_number(character: str):
    with pytest.raises(InvalidInput, match=rf"content holds the character U\+{ord(character):04X}"):
        checked(f"a{character}b", "content", 20)


def test_the_limit_itself_is_allowed():
    assert checked("x" * 20, "content", 20) == "x" * 20
    with pytest.raises(InvalidInput, match="content has 21 characters; at most 20"):
        checked("x" * 21, "content", 20)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 64))
def test_a_digest_is_hexadecimal_of_the_length_asked_for(text: str, length: int):
    assert len(digest(text, length)) == length
    assert set(digest(text, length)) <= set("0123456789abcdef")
