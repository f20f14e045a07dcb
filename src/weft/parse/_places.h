/* The tags and attributes that matter to links, and the places where links stand: for `_scan.c` alone. */
#ifndef WEFT_PLACES_H
#define WEFT_PLACES_H

#include "_tokens.h"

/* ---- Names of tags and attributes ------------------------------------------------------------------------------ */

enum Element {
    E_OTHER, E_A, E_AREA, E_IMG, E_IMAGE, E_IFRAME, E_SCRIPT, E_SOURCE, E_VIDEO, E_AUDIO, E_EMBED, E_TRACK, E_BGSOUND,
    E_LINK, E_OBJECT, E_APPLET, E_USE, E_FEIMAGE, E_BODY, E_TABLE, E_CAPTION, E_COLGROUP, E_COL, E_TBODY, E_THEAD,
    E_TFOOT, E_TR, E_TD, E_TH, E_INPUT, E_BASE, E_META, E_TITLE, E_STYLE, E_TEMPLATE, E_SELECT, E_OPTION, E_OPTGROUP,
    E_HR, E_BR, E_FORM, E_HTML, E_HEAD, E_NOSCRIPT, E_NOFRAMES, E_BASEFONT, E_TEXTAREA, E_XMP, E_NOEMBED, E_SVG, E_DESC,
    E_MARQUEE, E_H1,
    E_SHAPE,  /* of a drawing, and nothing else */
    E_DOUBTFUL,  /* frameset and its like: the tree knows */
    E_COUNT
};

enum Attribute {
    A_OTHER, A_HREF, A_XLINK_HREF, A_SRC, A_SRCSET, A_IMAGESRCSET, A_LONGDESC, A_POSTER, A_DATA, A_ARCHIVE,
    A_BACKGROUND, A_STYLE, A_REL, A_TYPE, A_NAME, A_CONTENT, A_HTTP_EQUIV, A_SRCDOC, A_SHADOWROOTMODE, A_DATA_SRC,
    A_DATA_SRCSET, A_DATA_ORIGINAL, A_DATA_ORIGINAL_SET, A_DATA_LAZY_SRC, A_DATA_LAZY_SRCSET, A_DATA_POSTER,
    A_ALT, A_HREFLANG, A_LANG,
    A_COUNT
};

static const Name TAG_NAMES[] = {
    {"a", E_A}, {"area", E_AREA}, {"img", E_IMG}, {"image", E_IMAGE}, {"iframe", E_IFRAME}, {"script", E_SCRIPT},
    {"source", E_SOURCE}, {"video", E_VIDEO}, {"audio", E_AUDIO}, {"embed", E_EMBED}, {"track", E_TRACK},
    {"bgsound", E_BGSOUND}, {"link", E_LINK}, {"object", E_OBJECT}, {"applet", E_APPLET}, {"use", E_USE},
    {"feimage", E_FEIMAGE}, {"body", E_BODY}, {"table", E_TABLE}, {"caption", E_CAPTION}, {"colgroup", E_COLGROUP},
    {"col", E_COL}, {"tbody", E_TBODY}, {"thead", E_THEAD}, {"tfoot", E_TFOOT}, {"tr", E_TR}, {"td", E_TD},
    {"th", E_TH}, {"input", E_INPUT}, {"base", E_BASE}, {"meta", E_META}, {"title", E_TITLE}, {"style", E_STYLE},
    {"template", E_TEMPLATE}, {"select", E_SELECT}, {"option", E_OPTION}, {"optgroup", E_OPTGROUP}, {"hr", E_HR},
    {"br", E_BR}, {"form", E_FORM}, {"html", E_HTML}, {"head", E_HEAD}, {"noscript", E_NOSCRIPT},
    {"noframes", E_NOFRAMES}, {"basefont", E_BASEFONT}, {"textarea", E_TEXTAREA}, {"xmp", E_XMP},
    {"noembed", E_NOEMBED}, {"svg", E_SVG}, {"desc", E_DESC}, {"marquee", E_MARQUEE}, {"h1", E_H1},
    {"frameset", E_DOUBTFUL}, {"frame", E_DOUBTFUL}, {"plaintext", E_DOUBTFUL}, {"math", E_DOUBTFUL},
    {"path", E_SHAPE}, {"g", E_SHAPE}, {"circle", E_SHAPE}, {"rect", E_SHAPE}, {"line", E_SHAPE}, {"ellipse", E_SHAPE},
    {"polyline", E_SHAPE}, {"polygon", E_SHAPE}, {"text", E_SHAPE}, {"tspan", E_SHAPE}, {"textpath", E_SHAPE},
    {"defs", E_SHAPE}, {"symbol", E_SHAPE}, {"lineargradient", E_SHAPE}, {"radialgradient", E_SHAPE},
    {"stop", E_SHAPE}, {"clippath", E_SHAPE}, {"mask", E_SHAPE}, {"pattern", E_SHAPE}, {"marker", E_SHAPE},
    {"filter", E_SHAPE}, {"fegaussianblur", E_SHAPE}, {"feoffset", E_SHAPE}, {"feblend", E_SHAPE},
    {"feflood", E_SHAPE}, {"fecolormatrix", E_SHAPE}, {"fecomposite", E_SHAPE}, {"femerge", E_SHAPE},
    {"femergenode", E_SHAPE}, {"fedropshadow", E_SHAPE}, {"animate", E_SHAPE}, {"animatetransform", E_SHAPE},
    {"animatemotion", E_SHAPE}, {"set", E_SHAPE}, {"switch", E_SHAPE},
};

static const Name ATTRIBUTE_NAMES[] = {
    {"href", A_HREF}, {"xlink:href", A_XLINK_HREF}, {"src", A_SRC}, {"srcset", A_SRCSET},
    {"imagesrcset", A_IMAGESRCSET}, {"longdesc", A_LONGDESC}, {"poster", A_POSTER}, {"data", A_DATA},
    {"archive", A_ARCHIVE}, {"background", A_BACKGROUND}, {"style", A_STYLE}, {"rel", A_REL}, {"type", A_TYPE},
    {"name", A_NAME}, {"content", A_CONTENT}, {"http-equiv", A_HTTP_EQUIV}, {"srcdoc", A_SRCDOC},
    {"shadowrootmode", A_SHADOWROOTMODE}, {"data-src", A_DATA_SRC}, {"data-srcset", A_DATA_SRCSET},
    {"data-original", A_DATA_ORIGINAL}, {"data-original-set", A_DATA_ORIGINAL_SET},
    {"data-lazy-src", A_DATA_LAZY_SRC}, {"data-lazy-srcset", A_DATA_LAZY_SRCSET}, {"data-poster", A_DATA_POSTER},
    {"alt", A_ALT}, {"hreflang", A_HREFLANG}, {"lang", A_LANG},
};

/* ---- Where links stand: link_kinds.py and lazy.py say what they mean ------------------------------------------- */

typedef struct {
    int tag;
    int attribute;
    int is_embed;  /* Kind.EMBED: passed over when nobody asks for those */
    int is_list;   /* several URLs, which Python takes apart */
} Place;

static const Place PLACES[] = {
    {E_A, A_HREF, 0, 0}, {E_AREA, A_HREF, 0, 0}, {E_A, A_XLINK_HREF, 0, 0}, {E_IMG, A_LONGDESC, 0, 0},
    {E_IFRAME, A_LONGDESC, 0, 0}, {E_IFRAME, A_SRC, 0, 0},
    {E_IMG, A_SRC, 1, 0}, {E_SCRIPT, A_SRC, 1, 0}, {E_SOURCE, A_SRC, 1, 0}, {E_VIDEO, A_SRC, 1, 0},
    {E_AUDIO, A_SRC, 1, 0}, {E_EMBED, A_SRC, 1, 0}, {E_TRACK, A_SRC, 1, 0}, {E_BGSOUND, A_SRC, 1, 0},
    {E_IMG, A_SRCSET, 1, 1}, {E_SOURCE, A_SRCSET, 1, 1}, {E_LINK, A_IMAGESRCSET, 1, 1}, {E_VIDEO, A_POSTER, 1, 0},
    {E_OBJECT, A_DATA, 1, 0}, {E_OBJECT, A_ARCHIVE, 1, 1}, {E_APPLET, A_ARCHIVE, 1, 1}, {E_IMAGE, A_HREF, 1, 0},
    {E_USE, A_HREF, 1, 0}, {E_SCRIPT, A_HREF, 1, 0}, {E_FEIMAGE, A_HREF, 1, 0}, {E_IMAGE, A_XLINK_HREF, 1, 0},
    {E_USE, A_XLINK_HREF, 1, 0}, {E_SCRIPT, A_XLINK_HREF, 1, 0}, {E_FEIMAGE, A_XLINK_HREF, 1, 0},
    {E_BODY, A_BACKGROUND, 1, 0}, {E_TABLE, A_BACKGROUND, 1, 0}, {E_TR, A_BACKGROUND, 1, 0},
    {E_TD, A_BACKGROUND, 1, 0}, {E_TH, A_BACKGROUND, 1, 0}, {E_THEAD, A_BACKGROUND, 1, 0},
    {E_TBODY, A_BACKGROUND, 1, 0}, {E_TFOOT, A_BACKGROUND, 1, 0},
    {E_INPUT, A_SRC, 1, 0},  /* if it is of type=image */
    {E_LINK, A_HREF, 0, 0},  /* a page or a part of this one: its rel tells, see rel_place */
};
enum { PLACE_COUNT = sizeof PLACES / sizeof PLACES[0] };

static const Place LAZY_PLACES[] = {
    {E_IMG, A_DATA_SRC, 1, 0}, {E_IMG, A_DATA_SRCSET, 1, 1}, {E_IMG, A_DATA_ORIGINAL, 1, 0},
    {E_IMG, A_DATA_ORIGINAL_SET, 1, 1}, {E_IMG, A_DATA_LAZY_SRC, 1, 0}, {E_IMG, A_DATA_LAZY_SRCSET, 1, 1},
    {E_SOURCE, A_DATA_SRC, 1, 0}, {E_SOURCE, A_DATA_SRCSET, 1, 1}, {E_SOURCE, A_DATA_ORIGINAL_SET, 1, 1},
    {E_SOURCE, A_DATA_LAZY_SRCSET, 1, 1}, {E_IFRAME, A_DATA_SRC, 0, 0}, {E_IFRAME, A_DATA_LAZY_SRC, 0, 0},
    {E_VIDEO, A_DATA_SRC, 1, 0}, {E_VIDEO, A_DATA_POSTER, 1, 0}, {E_AUDIO, A_DATA_SRC, 1, 0},
    {E_EMBED, A_DATA_SRC, 1, 0},
};
enum { LAZY_COUNT = sizeof LAZY_PLACES / sizeof LAZY_PLACES[0] };

static int is_list_place(int place)
{
    return place < PLACE_COUNT && PLACES[place].is_list;
}

#endif
