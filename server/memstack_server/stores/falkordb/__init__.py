"""FalkorDB: one graph for each scope, and a handful of keys beside them.

    mem:<slug>          the graph of a scope
    mem:scopes          hash, slug -> name: which scopes there are
    mem:embedder        string, JSON: whose vectors this store holds, set once with the first memory
    mem:queue:<slug>    stream: what of a scope waits for the language model, in order
    mem:queue           set of slugs: scopes where something waits
    mem:lease:<slug>    string: who works on that scope's queue; expires by itself
    mem:attempts        hash, <slug>/<stream id> -> number of failed attempts
    mem:dead            stream: what failed for good, with the reason

In a graph:

    (:Fact)-[:INDEXED]->(:Entry)            an entry holds what a fact is found by: terms, vector, place in its session
    (:Fact)-[:ABOUT]->(:Entity)
    (:Fact)-[:SUPERSEDES {at, reason}]->(:Fact)
    (:Episode)-[:HOLDS]->(:Passage)-[:INDEXED]->(:Entry)
    (:Episode)-[:STATES]->(:Fact)<-[:STATES]-(:Passage)
    (:Session), (:Counter), (:Tombstone)

An entry is made once and never changed: setting any property of a node that carries an indexed vector can leave an
orphan in the index. What has ended is found by the label PastEntry instead, which no index knows.

Graphs come into being on writing and never on reading: a search in a scope that nobody wrote to leaves no trace.
"""
