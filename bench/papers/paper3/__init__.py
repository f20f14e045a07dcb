"""Paper 3, "Study on parallel crawler based on pipeline load balancing model" (2009): its experiments with weft.

groups      tables 1 and 2, figure 2: balanced, unbalanced, serial (`bench.groups`)
swing       figure 3: equation (10) as printed, corrected, and damped as weft has it, on the same load
seasons     where balance matters today: the network changes after the numbers were chosen, or nobody knew them
"""
