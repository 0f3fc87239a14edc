"""
Who proposes when a deployment could sleep?

Goes through the profiles in the views, lets a model judge what the rules of streams/proposals found
(or the rules alone), and asks the processor for proposals. What becomes of one is decided there.
"""
