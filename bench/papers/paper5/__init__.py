"""Paper 5, "Optimization and refinement of the algorithm of an offline browser download engine" (2002).

sizes       figure 3: speed and memory over the number of files, on a fast and a slow network (`bench.mirrors`)
"""
