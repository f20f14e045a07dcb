"""Paper 4, "Design and improvement of tag deletion function in crawler" (2019): `bench.clean`'s designs, three times.

designs     figure 3: five designs; figure 4: what their threads' time goes to
"""
