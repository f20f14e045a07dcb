"""What weft does for a program, and for its own command line: a file a command, and a function of its name.

    weft.crawl, weft.resume    a crawl: its pages one by one, or all at once; and `_sync`, without async
    weft.mirror                a site that works with the network off
    weft.clean                 what carries nothing is deleted from pages
    weft.export                a crawl in the forms that other tools read
    weft.report                what came of a crawl
    weft.explain               what has become of a URL or a host, and why
    weft.rank                  the best URLs of a crawl by its links
    weft.read                  the pages of a crawl folder

`cli` reads flags, shows how far it is and says how it ended; all else is here. Nothing here prints, or changes the
process it runs in.
"""
