"""
When could a deployment sleep, by what was measured of it?

Candidates by rules from the profile of its week, and which of them need nobody's judgement. Pure
like the decider: profiles are handed in, and nothing is read, written or asked for the time. Asking
a model and sending what is proposed is horae/proposing; accepting is the decider's part.
"""
