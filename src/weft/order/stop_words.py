"""Words and characters that are in every text, so that they tell nothing of a topic."""

from __future__ import annotations

from typing import Final

# Of English, and in the end those that are on every web site.
_WORDS: Final = """
    about above according across after again against all almost along already also although always among and another
    any anyone anything are around because been before being below best better between both but can cannot come could
    did different does doing done down during each either else enough even ever every example few first following for
    found from full further gave get getting give given goes going good got great had has have having her here high him
    his how however into its itself just keep kind know known large last later least less let like likely line long look
    made main make makes making many may maybe might mine more most much must need needed needs neither never new next
    none nor not nothing now number off often old once one only onto other others our out over own part per perhaps
    place possible rather really right said same say says second see seem seen set several shall she should show shown
    side simple simply since small some something sometimes still such sure take taken tell than that the their them
    then there therefore these they thing things think this those though three through thus time times too took toward
    try two under until upon use used useful user users uses using usually value various very want wanted was way ways
    well went were what whatever when where whether which while who whole whom whose why will with within without work
    works would yes yet you your yours zero
    account back click close comment comments contact content contents cookie cookies copyright download email file
    files home html http https index info information link links list login menu more name navigation news note open
    page pages previous privacy read reply reserved rights search section share site sites skip table terms text title
    top version view web website www
"""
STOP_WORDS: Final = frozenset(_WORDS.split())

# Of Chinese, simplified and traditional.
STOP_CHARACTERS: Final = frozenset(
    "的了是在和不这那有为与或以及其将会可能要您你我他她它们个一二三此该每各等之也都就而且但如若则被把从到对于由所使用得着过没很更最还又再只"
    "中上下里后前时请這為與將會們個該則從對於過沒還裡後時請"
)
