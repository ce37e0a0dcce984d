"""Queries about entities and what is known of them."""

from typing import Final, LiteralString

TIE: Final[LiteralString] = """
MATCH (f:Fact {live: $live})
MERGE (a:Entity {key: $key})
ON CREATE SET a.name = $name, a.type = $type, a.aliases = $aliases, a.terms = $terms
MERGE (f)-[:ABOUT]->(a)
"""

# Names that were learned later.
RENAME: Final[LiteralString] = """
MATCH (a:Entity {key: $key})
WHERE a.aliases <> $aliases
SET a.aliases = $aliases, a.terms = $terms
"""

BY_KEYS: Final[LiteralString] = "UNWIND $keys AS k MATCH (a:Entity {key: k}) RETURN DISTINCT properties(a)"

# $terms are terms of ours, joined by '|': any of them.
BY_TERMS: Final[LiteralString] = """
CALL db.idx.fulltext.queryNodes('Entity', $terms) YIELD node
WITH node LIMIT $limit
RETURN properties(node)
"""

# With the most that is known of it first.
WITH_COUNTS: Final[LiteralString] = """
UNWIND $keys AS k
MATCH (a:Entity {key: k})
OPTIONAL MATCH (f:Fact)-[:ABOUT]->(a) WHERE f.live IS NOT NULL
RETURN properties(a), count(f)
"""

# One step of the graph: entities that share a fact that holds, each with that fact.
NEIGHBOURS: Final[LiteralString] = """
UNWIND $keys AS k
MATCH (a:Entity {key: k})<-[:ABOUT]-(f:Fact)-[:ABOUT]->(b:Entity)
WHERE f.live IS NOT NULL AND NOT b.key IN $seen
RETURN a.key, f.key, f.content, properties(b)
ORDER BY f.importance DESC, f.created_at DESC LIMIT $limit
"""

OF_FACT: Final[LiteralString] = "MATCH (:Fact {key: $key})-[:ABOUT]->(a:Entity) RETURN properties(a)"

CUT: Final[LiteralString] = """
MATCH (f:Fact {key: $key})-[e:ABOUT]->(a:Entity {key: $entity})
DELETE e
RETURN a.name
"""
