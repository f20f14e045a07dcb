"""Does a text read like the language that its charset is for?

The charsets of East Asia accept nearly any bytes: what is Big5, Shift_JIS, EUC-JP or EUC-KR is also flawless GBK, only
that it is nonsense. Errors do not show it, but the characters do. In text of any kind, a few hundred characters make
up a half; in nonsense, where characters come as chance has it, they are rare. The share of frequent ones (trial, with
translated messages of programs; 95 of 100 pages lie on this side of each figure):

    a page of                    3 messages      10 messages
    read in the right charset    0.24 or more    0.34 or more
    read in a wrong one          0.33 or less    0.23 or less

One message alone says nothing, so what is short is left to its label, or to others to guess.
"""

from __future__ import annotations

from typing import Final

from weft.parse.charset.errors import has_few_errors
from weft.regex import regex

READS_WELL: Final = 0.25  # the share from which a text is believed to be one

# What is to displace a label must read that many times better, and not by chance.
_MUCH_BETTER: Final = 2
_LEAST_FREQUENT_CHARS: Final = 5
_LOOK_CHARS: Final = 65_536
_SAMPLE_CHARS: Final = 500

_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经"
    "么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力与长把机十民第公此已工使情明性知全三又关"
    "点正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产或新制身果加西月话合回特代内信表化老给世位次度门任常先海通教"
    "原东提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四总何电数安少报才结反受目太量再感建务做接必场件计管期市直资"
    "命山金指许统区保至形社便空决治展科司五基书非则听白界达光放强即网页首登录注册户密码联系闻图片视频客服搜索版权载"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經"
    "麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日者意無力與長把機十民第公此已工使情明性知全三又關"
    "點正業外將兩高間由問很最重並物手應向頭文體政美相見被利什二等產或新制身果加西月話合回特代內信表化老給世位次度門任常先海通教"
    "原東提立及比員解水名真論處走義各入幾口認條平系氣題活更別打女變四總何電數安少報才結反受目太量再感建務做接必場件計管期市直資"
    "命山金指許統區保至形社便空決治展科司五基書非則聽白界達光放強即網頁首登錄註冊戶密碼聯繫聞圖片視頻客服搜尋版權載臺灣"
)
_JAPANESE = (
    "ぁあぃいうえおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめも"
    "ゃやゅゆょよらりるれろわをん"
    "ァアィイウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチッツテデトドナニネノハバパヒビピフブプヘベペホボポマミムメモ"
    "ャヤュユョヨラリルレロワンヴー"
)
_KOREAN = (
    "이다는의에가을를은도로고하지기사대인한시정일자어리라수서나해전보아만부그구조제국들과있것장으스여주유등성동공비상원치게면적중"
    "년회문명우무소요오학화연경생양세미신안관개방물용와내야심계강산드르트터크레니까러거말모든번분식음입습합할했되된된지않없못때"
    "같더또최초후전간건검색로그인홈페뉴스게판료업체자료실글쓰기목록댓운영"
)
_CHINESE: Final = frozenset(_SIMPLIFIED + _TRADITIONAL)  # GBK has both, and pages in traditional characters use it too
_KANA: Final = frozenset(_JAPANESE)
_FREQUENT: Final = {
    "gbk": _CHINESE,
    "gb18030": _CHINESE,
    "big5": frozenset(_TRADITIONAL),
    "euc-jp": _KANA,
    "shift_jis": _KANA,
    "euc-kr": frozenset(_KOREAN),
}
_CANDIDATES: Final = ("gbk", "big5", "shift_jis", "euc-jp", "euc-kr")
# What says nothing about the language: ASCII, signs, letters of other scripts. For Chinese and Korean that is kana too:
# it has the same bytes in GBK as in EUC-JP, so that only the ideographs beside it can tell the two apart.
_SILENT_IN_JAPANESE = regex(r"[\x00-\u3040\uff00-\uff60]+")
_SILENT = regex(r"[\x00-\u33ff\uff00-\uff60]+")


def share_of_frequent(text: str, charset: str) -> float:
    """Of the first characters that count, how many are frequent ones; 1 where nothing is known about a charset."""
    frequent, count = _frequent_chars(text, charset)
    return frequent / count if count else 1.0


def best_reading(body: bytes, better_than: float = 0.0) -> str | None:
    """The charset of East Asia in which a body reads well, and much better than the share given, if there is one."""
    best: str | None = None
    best_share = max(READS_WELL, _MUCH_BETTER * better_than)
    for charset in _CANDIDATES:
        text = body.decode("whatwg-" + charset)
        frequent, count = _frequent_chars(text, charset)
        if frequent >= _LEAST_FREQUENT_CHARS and frequent >= best_share * count and has_few_errors(text):
            best, best_share = charset, frequent / count
    return best


def _frequent_chars(text: str, charset: str) -> tuple[int, int]:
    """How many of the first characters that count are frequent, and of how many; 0 of 0 if nobody can say."""
    frequent = _FREQUENT.get(charset)
    if frequent is None:
        return 0, 0
    silent = _SILENT_IN_JAPANESE if frequent is _KANA else _SILENT
    sample = silent.sub("", text[:_LOOK_CHARS])[:_SAMPLE_CHARS]
    return sum(map(frequent.__contains__, sample)), len(sample)
