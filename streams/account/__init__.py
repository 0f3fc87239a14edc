"""
What should have happened, and what did?

Recomputes from the ledger which instants every schedule had, and says of each what became of it,
or that nothing explains it. Pure like the decider, whose calendar and fold it uses: records are
handed in, and nothing is read, written or asked for the time. Reading the ledger and showing what
was found is the faces' part (horae).
"""
