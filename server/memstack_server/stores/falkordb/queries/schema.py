"""Indexes. One lookup by key must not cost a walk through the scope; MERGE finds its match by them too."""

from typing import Final, LiteralString

INDEXES: Final[tuple[LiteralString, ...]] = (
    "CREATE INDEX FOR (f:Fact) ON (f.key)",
    "CREATE INDEX FOR (f:Fact) ON (f.live)",
    "CREATE INDEX FOR (f:Fact) ON (f.slot)",
    "CREATE INDEX FOR (e:Entity) ON (e.key)",
    "CREATE INDEX FOR (e:Episode) ON (e.key)",
    "CREATE INDEX FOR (p:Passage) ON (p.key)",
    "CREATE INDEX FOR (s:Session) ON (s.name)",
    # Our own terms are indexed, so the store has nothing to leave out and nothing to stem.
    "CALL db.idx.fulltext.createNodeIndex({label: 'Entry', stopwords: []}, {field: 'terms', nostem: true})",
    "CALL db.idx.fulltext.createNodeIndex({label: 'Entity', stopwords: []}, {field: 'terms', nostem: true})",
)

_DIGITS: Final[tuple[LiteralString, ...]] = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


def vector_index(dimensions: int) -> LiteralString:
    """Makes the index of vectors of that length, which the store takes as part of the query only."""
    length: LiteralString = "".join(_DIGITS[int(digit)] for digit in str(dimensions))
    return (
        "CREATE VECTOR INDEX FOR (e:Entry) ON (e.v) OPTIONS "
        "{dimension: " + length + ", similarityFunction: 'cosine', M: 16, efConstruction: 200, efRuntime: 64}"
    )


DROP_VECTOR_INDEX: Final[LiteralString] = "DROP VECTOR INDEX FOR (e:Entry) ON (e.v)"

STATE_OF_INDEXES: Final[LiteralString] = "CALL db.indexes() YIELD label, types, status RETURN label, types, status"
