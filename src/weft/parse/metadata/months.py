"""The months by their names in the languages that write dates with Latin, Greek and Cyrillic letters, and Arabic."""

from __future__ import annotations

from typing import Final

# January to December; forms that differ, genitives and abbreviations, stand together.
_NAMES: Final = """
    january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec
    januar jänner jän|februar feber|märz mär maerz mrz|april|mai|juni|juli|august|september|oktober okt|november|dezember dez
    janvier janv jan|février fevrier févr fév fev|mars|avril avr|mai|juin|juillet juil|août aout|septembre|octobre|novembre|décembre decembre déc
    enero ene|febrero|marzo|abril abr|mayo|junio|julio|agosto ago|septiembre setiembre set|octubre|noviembre|diciembre dic
    gennaio gen|febbraio febbr|marzo|aprile|maggio mag|giugno giu|luglio lug|agosto|settembre sett|ottobre ott|novembre|dicembre
    janeiro|fevereiro|março marco|abril|maio|junho|julho|agosto|setembro|outubro out|novembro|dezembro
    januari|februari febr|maart mrt|april|mei|juni|juli|augustus|september|oktober|november|december
    stycznia styczeń sty|lutego luty lut|marca marzec|kwietnia kwiecień kwi|maja maj|czerwca czerwiec cze|lipca lipiec lip|sierpnia sierpień sie|września wrzesień wrz|października październik paź|listopada listopad lis|grudnia grudzień gru
    января январь янв|февраля февраль фев|марта март мар|апреля апрель апр|мая май|июня июнь июн|июля июль июл|августа август авг|сентября сентябрь сен сент|октября октябрь окт|ноября ноябрь ноя нояб|декабря декабрь дек
    січня січень|лютого лютий|березня березень|квітня квітень|травня травень|червня червень|липня липень|серпня серпень|вересня вересень|жовтня жовтень|листопада листопад|грудня грудень
    ledna leden|února únor|března březen|dubna duben|května květen|června červen|července červenec|srpna srpen|září|října říjen|listopadu|prosince prosinec
    januára|februára|marca|apríla|mája|júna|júla|augusta|septembra|októbra|novembra|decembra
    januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december
    januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|desember des
    tammikuuta tammikuu|helmikuuta helmikuu|maaliskuuta maaliskuu|huhtikuuta huhtikuu|toukokuuta toukokuu|kesäkuuta kesäkuu|heinäkuuta heinäkuu|elokuuta elokuu|syyskuuta syyskuu|lokakuuta lokakuu|marraskuuta marraskuu|joulukuuta joulukuu
    ocak oca|şubat şub|mart|nisan nis|mayıs|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|kasım kas|aralık ara
    január|február|március márc|április ápr|május máj|június jún|július júl|augusztus|szeptember szept|október|november|december
    ianuarie ian|februarie|martie|aprilie|mai|iunie iun|iulie iul|august|septembrie|octombrie|noiembrie|decembrie
    januari|februari pebruari|maret|april|mei|juni|juli|agustus agt|september|oktober|november|desember
    siječnja|veljače|ožujka|travnja|svibnja|lipnja|srpnja|kolovoza|rujna|listopada|studenoga studenog|prosinca
    януари|февруари|март|април|май|юни|юли|август|септември|октомври|ноември|декември
    ιανουαρίου ιαν|φεβρουαρίου φεβ|μαρτίου μαρ|απριλίου απρ|μαΐου μαϊ|ιουνίου ιουν|ιουλίου ιουλ|αυγούστου αυγ|σεπτεμβρίου σεπ|οκτωβρίου οκτ|νοεμβρίου νοε|δεκεμβρίου δεκ
    يناير|فبراير|مارس|أبريل ابريل|مايو|يونيو|يوليو|أغسطس اغسطس|سبتمبر|أكتوبر اكتوبر|نوفمبر|ديسمبر
    janvāris janvārī|februāris februārī|marts martā|aprīlis aprīlī|maijs maijā|jūnijs jūnijā|jūlijs jūlijā|augusts augustā|septembris septembrī|oktobris oktobrī|novembris novembrī|decembris decembrī
    sausio|vasario|kovo|balandžio|gegužės|birželio|liepos|rugpjūčio|rugsėjo|spalio|lapkričio|gruodžio
    jaanuar|veebruar|märts|aprill|mai|juuni|juuli|august|september|oktoober|november|detsember
"""  # fmt: skip  # noqa: E501


def _numbers() -> dict[str, int]:
    numbers: dict[str, int] = {}
    for line in _NAMES.strip().splitlines():
        for number, names in enumerate(line.split("|"), 1):
            for name in names.split():
                numbers.setdefault(name, number)  # `listopada` is October's to Croats, November's to more people
    return numbers


MONTHS: Final = _numbers()
