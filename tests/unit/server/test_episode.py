from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain import limits
from memstack_server.domain.episode import passages


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=5_000))
def test_every_word_is_in_a_passage_and_no_passage_is_long(text: str):
    cut = passages(text)
    assert all(0 < len(passage) <= limits.PASSAGE_CHARACTERS for passage in cut)
    assert "".join("".join(cut).split()) == "".join(text.split())


def test_a_passage_ends_where_a_sentence_does():
    sentence = "It was decided that tabs are used. "
    first, *_ = passages(sentence * 60)
    assert first.endswith("used.")
    assert len(first) > limits.PASSAGE_CHARACTERS / 2


def test_short_paragraphs_are_read_together():
    assert passages("One.\n\nTwo.\n\nThree.") == ("One.\n\nTwo.\n\nThree.",)
