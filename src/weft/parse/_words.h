/* The words of a piece of markup: what a link or a heading says.
 *
 *     <a href=x><b>All</b> the
 *        news <img src=y alt=paper></a>     All the news; an image's alt only where there is no text
 *
 * Tags, comments and scripts are left out; white space and control characters become one space; references are resolved.
 * What is read ends with the link or heading, at the next link, at the end tag of a block that began before it, or when
 * there are enough characters. So whatever a page looks like, each of its bytes is read once for each kind of piece.
 */
#ifndef WEFT_WORDS_H
#define WEFT_WORDS_H

#include "_tokens.h"

enum { MAX_WORDS_CHARS = 500, MAX_RAW_CHARS = 8 * MAX_WORDS_CHARS, MAX_WORDS_BYTES = 4 * MAX_RAW_CHARS };

typedef struct {
    char *to;             /* room for MAX_WORDS_BYTES */
    Py_ssize_t size;
    Py_ssize_t chars;
    Py_ssize_t most_chars;
    int is_space_due;     /* before the next character, if there is one */
    int keeps_references; /* they stay as they are: Python resolves them */
    int has_rare;         /* a reference that only Python knows */
    int ends_at_links;
} Words;

enum BlockName { B_OTHER, B_BLOCK, B_BREAK, B_A, B_IMG, B_SCRIPT, B_STYLE };

static const Name BLOCK_NAMES[] = {
    {"p", B_BLOCK}, {"div", B_BLOCK}, {"li", B_BLOCK}, {"ul", B_BLOCK}, {"ol", B_BLOCK}, {"dl", B_BLOCK},
    {"dt", B_BLOCK}, {"dd", B_BLOCK}, {"table", B_BLOCK}, {"td", B_BLOCK}, {"th", B_BLOCK}, {"tr", B_BLOCK},
    {"tbody", B_BLOCK}, {"thead", B_BLOCK}, {"tfoot", B_BLOCK}, {"caption", B_BLOCK}, {"section", B_BLOCK},
    {"article", B_BLOCK}, {"nav", B_BLOCK}, {"header", B_BLOCK}, {"footer", B_BLOCK}, {"main", B_BLOCK},
    {"aside", B_BLOCK}, {"figure", B_BLOCK}, {"blockquote", B_BLOCK}, {"pre", B_BLOCK}, {"center", B_BLOCK},
    {"form", B_BLOCK}, {"address", B_BLOCK}, {"fieldset", B_BLOCK}, {"body", B_BLOCK}, {"html", B_BLOCK},
    {"h1", B_BLOCK}, {"h2", B_BLOCK}, {"h3", B_BLOCK}, {"h4", B_BLOCK}, {"h5", B_BLOCK}, {"h6", B_BLOCK},
    {"br", B_BREAK}, {"hr", B_BREAK}, {"a", B_A}, {"img", B_IMG}, {"script", B_SCRIPT}, {"style", B_STYLE},
};

static Slot block_slots[SLOTS];

static inline void fill_words(void)
{
    fill_slots(block_slots, BLOCK_NAMES, sizeof BLOCK_NAMES / sizeof BLOCK_NAMES[0]);
}

/* References that are frequent in texts; Python knows all of them, and what a page means that omits the semicolon. */
static const struct {
    const char *name;
    int size;
    const char *meant;
} TEXT_REFERENCES[] = {
    {"amp;", 4, "&"}, {"nbsp;", 5, " "}, {"lt;", 3, "<"}, {"gt;", 3, ">"}, {"quot;", 5, "\""}, {"#39;", 4, "'"},
    {"#160;", 5, " "}, {"#8217;", 6, "\xE2\x80\x99"}, {"#8211;", 6, "\xE2\x80\x93"}, {"#x27;", 5, "'"},
    {"rsquo;", 6, "\xE2\x80\x99"}, {"ndash;", 6, "\xE2\x80\x93"}, {"mdash;", 6, "\xE2\x80\x94"},
    {"raquo;", 6, "\xC2\xBB"}, {"laquo;", 6, "\xC2\xAB"}, {"copy;", 5, "\xC2\xA9"}, {"hellip;", 7, "\xE2\x80\xA6"},
};

static inline int is_full(const Words *w)
{
    return w->chars >= w->most_chars;
}

/* Add one character, whose bytes these are. */
static inline void add_char(Words *w, const char *at, int size)
{
    unsigned char c = (unsigned char)*at;
    if (c <= ' ' || c == 0x7F || (c == 0xC2 && size == 2 && (unsigned char)at[1] <= 0xA0)) {
        w->is_space_due = w->is_space_due || (c != 0 && w->size > 0);
        return;
    }
    if (w->is_space_due) {
        w->is_space_due = 0;
        w->to[w->size++] = ' ';
        if (++w->chars >= w->most_chars) {
            return;
        }
    }
    memcpy(w->to + w->size, at, (size_t)size);
    w->size += size;
    w->chars++;
}

static inline int utf8_size(unsigned char c)
{
    return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* What follows an &: how many bytes of it are a reference, after having added it. */
static inline Py_ssize_t add_reference(Words *w, const char *at, const char *end)
{
    for (size_t i = 0; !w->keeps_references && i < sizeof TEXT_REFERENCES / sizeof TEXT_REFERENCES[0]; i++) {
        int size = TEXT_REFERENCES[i].size;
        if (end - at >= size && memcmp(at, TEXT_REFERENCES[i].name, (size_t)size) == 0) {
            add_char(w, TEXT_REFERENCES[i].meant, utf8_size((unsigned char)*TEXT_REFERENCES[i].meant));
            return size;
        }
    }
    if (at < end && (*at == '#' || is_letter(*at))) {
        w->has_rare = 1;
    }
    add_char(w, "&", 1);
    return 0;
}

static inline void add_text(Words *w, const char *at, const char *end)
{
    while (at < end && !is_full(w)) {
        if (*at == '&') {
            at++;
            at += add_reference(w, at, end);
            continue;
        }
        int size = utf8_size((unsigned char)*at);
        if (size > end - at) {
            return;
        }
        add_char(w, at, size);
        at += size;
    }
}

static inline int name_is(Span name, const char *lower)
{
    return name.size == (Py_ssize_t)strlen(lower) && is_same(name.at, lower, name.size);
}

static inline int is_blank(const char *at, const char *end)
{
    while (at < end && IS(*at, SPACE)) {
        at++;
    }
    return at == end;
}

/* The alt of an image; NULL if its tag does not end. */
static inline const char *read_image(const char *at, const char *end, Span *alt)
{
    Attribute found;
    int ignored;
    while ((at = next_attribute(at, end, &found, &ignored)) != NULL && found.name.at != NULL) {
        if (alt->at == NULL && name_is(found.name, "alt")) {
            *alt = found.value;
        }
    }
    return at;
}

static inline const char *behind_tag(const char *at, const char *end)
{
    Span ignored = {"", 0};
    return read_image(at, end, &ignored);
}

/* The words from `at` on, to the end of the link or heading that it is in. */
static inline void read_words(Words *w, const char *at, const char *end)
{
    Span alt = {NULL, 0};
    int depth = 0;
    while (at < end && !is_full(w)) {
        const char *less = memchr(at, '<', (size_t)(end - at));
        add_text(w, at, less ? less : end);
        if (less == NULL || end - less < 2) {
            break;
        }
        at = less + 1;
        int is_end = *at == '/';
        Span name = {at + is_end, 0};
        if (name.at < end && is_letter(*name.at)) {
            for (at = name.at + 1; at < end && !IS(*at, TAG_NAME_END); at++) {
            }
            name.size = at - name.at;
            int id = id_of(block_slots, name.at, name.size, end);
            if ((id == B_A && w->ends_at_links) || (id == B_BLOCK && is_end && depth-- == 0)) {
                break;
            }
            if (id == B_BLOCK || id == B_BREAK) {
                depth += id == B_BLOCK && !is_end;
                add_char(w, " ", 1);  /* blocks do not run together */
            }
            Span image = {NULL, 0};
            at = id == B_IMG ? read_image(at, end, &image) : behind_tag(at, end);
            if (at == NULL) {
                break;
            }
            if (alt.at == NULL && image.at != NULL && !is_blank(image.at, image.at + image.size)) {
                alt = image;
            }
            if (!is_end && (id == B_SCRIPT || id == B_STYLE)) {
                at = id == B_SCRIPT ? script_end(at, end) : raw_end(at, end, "style", 5);
            }
        } else if (end - at >= 3 && memcmp(at, "!--", 3) == 0) {
            at = skip_comment(at + 3, end);
        } else if (*at == '!' || *at == '?' || is_end) {
            at = skip_past(at, end, '>');
        } else {
            add_char(w, "<", 1);
        }
    }
    if (w->size == 0 && alt.at != NULL) {
        w->is_space_due = 0;
        add_text(w, alt.at, alt.at + alt.size);
    }
}

/* About how many words there are in a text without tags: where one begins; in Chinese and Japanese, two characters.
 * Eight bytes at once: each of the high bits says whether its byte is more than a space.
 */
static inline Py_ssize_t count_words(const char *at, const char *end, const char *text_end)
{
    static const uint64_t high = 0x8080808080808080u, low = 0x7F7F7F7F7F7F7F7Fu, above_space = 0x5F5F5F5F5F5F5F5Fu;
    Py_ssize_t begins = 0, ideographs = 0;
    uint64_t before = 0;  /* the last byte of those before, as the first one of these */
    while (at < end) {
        uint64_t bytes = 0;  /* what is missing counts as space */
        Py_ssize_t size = end - at < 8 ? end - at : 8;
        if (text_end - at >= 8) {  /* the bytes behind `end` are there, too: it takes no loop to get some of these */
            memcpy(&bytes, at, 8);
        } else {
            memcpy(&bytes, at, (size_t)size);
        }
#if PY_BIG_ENDIAN
        bytes = __builtin_bswap64(bytes);
#endif
        bytes &= size < 8 ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;
        uint64_t is_black = (((bytes & low) + above_space) | bytes) & high;
        uint64_t is_first = is_black & ~(is_black << 8 | before);
        begins += (Py_ssize_t)(((is_first >> 7) * 0x0101010101010101u) >> 56);
        before = is_black >> 56;
        if (bytes & high) {
            for (Py_ssize_t i = 0; i < size; i++) {
                ideographs += (unsigned char)at[i] >= 0xE3 && (unsigned char)at[i] <= 0xE9;
            }
        }
        at += size;
    }
    return begins + ideographs / 2;
}

#endif
