"""How a fact or a passage is entered into the indexes. An entry is made whole, and never changed afterwards."""

from typing import Final, LiteralString

_ALONE: Final[LiteralString] = """
WHERE NOT (m)-[:INDEXED]->(:Entry)
CREATE (m)-[:INDEXED]->(:Entry {
  terms: $terms, at: -1, importance: m.importance, valid_at: m.valid_at, v: vecf32($vector)})
"""

# A session's memories in their order: each entry knows its place as one number, and its neighbours by an edge.
_IN_SESSION: Final[LiteralString] = """
WHERE NOT (m)-[:INDEXED]->(:Entry)
MERGE (s:Session {name: $session})
ON CREATE SET s.length = 0
CREATE (m)-[:INDEXED]->(e:Entry {
  terms: $terms, at: id(s) * 1048576 + s.length, importance: m.importance, valid_at: m.valid_at, v: vecf32($vector)})
SET s.length = s.length + 1
WITH s, e
OPTIONAL MATCH (s)-[last:LAST]->(before:Entry)
FOREACH (b IN CASE WHEN before IS NULL THEN [] ELSE [before] END | CREATE (b)-[:NEXT]->(e))
DELETE last
CREATE (s)-[:LAST]->(e)
"""

FACT: Final[LiteralString] = "MATCH (m:Fact {live: $live})" + _ALONE
FACT_IN_SESSION: Final[LiteralString] = "MATCH (m:Fact {live: $live})" + _IN_SESSION
PASSAGE: Final[LiteralString] = "MATCH (m:Passage {key: $key})" + _ALONE
PASSAGE_IN_SESSION: Final[LiteralString] = "MATCH (m:Passage {key: $key})" + _IN_SESSION

# What ended leaves the indexes with its label.
RETIRE: Final[LiteralString] = "MATCH (:Fact {key: $key})-[:INDEXED]->(e:Entry) REMOVE e:Entry SET e:PastEntry"

# A fact's new entry takes the place of the one it had, between the same neighbours.
REPLACE: Final[LiteralString] = """
MATCH (f:Fact {key: $key})-[i:INDEXED]->(e:Entry)
CREATE (f)-[:INDEXED]->(n:Entry {
  terms: $terms, at: e.at, importance: f.importance, valid_at: e.valid_at,
  v: CASE WHEN $vector IS NULL THEN e.v ELSE vecf32($vector) END})
DELETE i
WITH e, n
OPTIONAL MATCH (before:Entry)-[x:NEXT]->(e)
FOREACH (b IN CASE WHEN before IS NULL THEN [] ELSE [before] END | CREATE (b)-[:NEXT]->(n))
DELETE x
WITH DISTINCT e, n
OPTIONAL MATCH (e)-[y:NEXT]->(after:Entry)
FOREACH (a IN CASE WHEN after IS NULL THEN [] ELSE [after] END | CREATE (n)-[:NEXT]->(a))
DELETE y
WITH DISTINCT e, n
OPTIONAL MATCH (session:Session)-[z:LAST]->(e)
FOREACH (s IN CASE WHEN session IS NULL THEN [] ELSE [session] END | CREATE (s)-[:LAST]->(n))
DELETE z
REMOVE e:Entry SET e:PastEntry
"""

DROP_UNOWNED: Final[LiteralString] = "MATCH (e:PastEntry) WHERE NOT ()-[:INDEXED]->(e) DELETE e"
