"""Queries that find. Candidates come as plain numbers, by the id of their entry; what is shown is fetched last."""

from typing import Final, LiteralString

MOST_TERMS: Final = 16
_NUMBERS: Final[tuple[LiteralString, ...]] = (
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
)  # fmt: skip

# A term that stands nearly everywhere finds nothing, and its whole list would take longer than all the rest: a list
# ends at $most, and one that long counts as common.
_LISTS: Final[tuple[LiteralString, ...]] = tuple(
    f"CALL db.idx.fulltext.queryNodes('Entry', $t{n}) YIELD node WITH node LIMIT $most "
    f"RETURN {n} AS term, collect(id(node)) AS entries"
    for n in _NUMBERS
)

_SIZE: Final[LiteralString] = "MATCH (e:Entry) RETURN -1 AS term, [count(e)] AS entries"


def lists(terms: int) -> LiteralString:
    """One query for the entries of each of so many terms, `$t0` …: rows of (number of the term, list of entries).

    One row more, numbered -1, counts all entries.
    """
    return " UNION ALL ".join((_SIZE, *_LISTS[:terms]))


# Exact: while a scope is small this is as quick as an index, and misses nothing.
NEAREST_EXACT: Final[LiteralString] = """
MATCH (e:Entry)
WITH e, vec.cosineDistance(e.v, vecf32($vector)) AS distance
ORDER BY distance LIMIT $limit
RETURN id(e), e.at, distance, e.importance, e.valid_at, e.terms
"""

NEAREST_BY_INDEX: Final[LiteralString] = """
CALL db.idx.vector.queryNodes('Entry', 'v', $limit, vecf32($vector)) YIELD node, score
RETURN id(node), node.at, score, node.importance, node.valid_at, node.terms
"""

# Entries and their neighbours in the session.
AROUND: Final[LiteralString] = """
UNWIND $ids AS i
MATCH (e:Entry) WHERE id(e) = i
MATCH (e)-[:NEXT*0..1]-(o:Entry)
RETURN DISTINCT id(o), o.at, vec.cosineDistance(o.v, vecf32($vector)), o.importance, o.valid_at, o.terms
"""

_WHERE: Final[LiteralString] = """
WHERE ($category IS NULL OR m.category = $category)
  AND ($repo IS NULL OR m.repo = $repo)
  AND all(tag IN $tags WHERE tag IN m.tags)
  AND m.importance >= $importance
  AND $since <= m.created_at AND m.created_at < $until
  AND m.created_at <= $known_at AND m.valid_at <= $begun_by
  AND (m.invalid_at IS NULL OR $holds_at < m.invalid_at OR $known_at < m.expired_at)
"""

# Where an index cannot filter first, all that passes the filter is compared.
SCAN: Final[LiteralString] = (
    "MATCH (m)-[:INDEXED]->(e)"
    + _WHERE
    + """
WITH e, vec.cosineDistance(e.v, vecf32($vector)) AS distance
ORDER BY distance LIMIT $limit
RETURN id(e), e.at, distance, e.importance, e.valid_at, e.terms
"""
)

# Of these entries, those that pass the filter.
SCAN_THESE: Final[LiteralString] = (
    "UNWIND $ids AS i MATCH (e) WHERE id(e) = i MATCH (m)-[:INDEXED]->(e)"
    + _WHERE
    + "RETURN id(e), e.at, vec.cosineDistance(e.v, vecf32($vector)), e.importance, e.valid_at, e.terms"
)

FETCH: Final[LiteralString] = """
UNWIND $ids AS i
MATCH (e) WHERE id(e) = i
MATCH (m)-[:INDEXED]->(e)
OPTIONAL MATCH (m)-[:ABOUT]->(a:Entity)
WITH i, m, collect(a.name) AS entities
OPTIONAL MATCH (episode:Episode)-[:STATES|HOLDS]->(m)
WITH i, m, entities, min(episode.key) AS episode
OPTIONAL MATCH (m)<-[:STATES]-(p:Passage)
WITH i, m, entities, episode, collect(p.key) AS passages
OPTIONAL MATCH (m)-[:STATES]->(f:Fact)
RETURN i, properties(m), entities, episode, passages, count(f), sum(CASE WHEN f.live IS NULL THEN 0 ELSE 1 END)
"""
