"""A crawl, or a cluster's, to look at and steer in a browser: one page, and the server of it.

    report.json, history ──▶ source ──▶ feed (read and encoded once for all) ──server-sent events──▶ page/app.js
                                                                                                       │ a token
    state/commands       ◀── source ◀── app (POST /commands) ◀── guard (token, Host, Origin) ◀─────────┘

It runs in a process of its own, `weft dashboard`, or beside a crawl (`child`): viewers cost the engine nothing.
starlette and uvicorn are known to this room alone.
"""
