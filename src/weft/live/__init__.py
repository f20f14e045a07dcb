"""A crawl as one looks at it and steers it while it runs, from this process or another one: all through its folder.

    engine ──Progress──▶ sampler ──Status──▶ report.json ──▶ `weft top`, dashboard, metrics, log lines
                                └──Moment──▶ state/history.jsonl ──▶ charts
    a person's wish ──▶ state/commands/*.json ──▶ the engine's steering ──▶ settings, crawl.log

`status` and `commands` are the words that both sides speak; whoever looks on needs no more than these and `reader`.
"""
