"""Settings: each is declared once, as a field of `weft.config.CrawlConfig`, and everything else follows from it.

    delay_s: Annotated[NotNegative, Setting(MANNERS, "TIME", "Wait between two requests …", name="delay")] = 1.0

    --delay 500ms            a flag (`cli.options`)
    delay = "500ms"          a key of a settings file, and WEFT_DELAY=500ms in the environment (`cli.sources`)
    weft.crawl(delay=0.5)    a keyword in Python (`keywords`), with its type for mypy
    CrawlConfig.delay_s      for the crawl itself, in seconds

| file | question |
|---|---|
| `setting` | what can be said about a setting? |
| `table` | which are there? |
| `units` | what do 500ms and 10M mean? |
| `pairs` | what do 'Name: value' and host=user:password mean? |
| `values` | what does a setting hold after a person, or a program, said this? |
| `host_tables` | what is said for some hosts only? |
| `by_host` | what holds for this host? |
| `toml_lines` | on which line of a file does it stand? |
| `keywords` | how does a program write them? Made by `make settings` |
"""
