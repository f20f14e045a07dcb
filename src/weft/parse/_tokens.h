/* Tokens of HTML, by the rules of the WHATWG tokenizer: for `_scan.c` here and `_marks.c` of the mirror.
 *
 * Text lies between two pointers, in any charset that has ASCII as it is; nothing is copied. Each file that includes
 * this has tables of its own, which it fills when it is loaded. Python.h comes first, for Py_ssize_t.
 */
#ifndef WEFT_TOKENS_H
#define WEFT_TOKENS_H

#include <stdint.h>
#include <string.h>

typedef struct {
    const char *at;
    Py_ssize_t size;
} Span;

/* ---- Characters ------------------------------------------------------------------------------------------------- */

enum { SPACE = 1, TAG_NAME_END = 2, NAME_END = 4, BARE_END = 8, ODD = 16 };  /* ODD: for whoever includes this */
static unsigned char classes[256];

#define IS(c, what) (classes[(unsigned char)(c)] & (what))
#define LOWER(c) ((unsigned char)((c) >= 'A' && (c) <= 'Z' ? (c) | 0x20 : (c)))

static inline void fill_classes(void)
{
    for (const char *c = " \t\n\f\r"; *c; c++) {
        classes[(unsigned char)*c] = SPACE | TAG_NAME_END | NAME_END | BARE_END;
    }
    classes['/'] = TAG_NAME_END | NAME_END;
    classes['>'] = TAG_NAME_END | NAME_END | BARE_END;
    classes['='] = NAME_END;
}

static inline int is_letter(char c)
{
    return LOWER(c) >= 'a' && LOWER(c) <= 'z';
}

/* ---- Names: a table of those that matter ------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    int id;
} Name;

enum { SLOTS = 512 };  /* far more than names: most others are told at the first look */

typedef struct {
    uint64_t key;
    const char *name;
    int size;
    int id;
} Slot;

static inline unsigned slot_of(uint64_t key, Py_ssize_t size)
{
    return (unsigned)(((key + (uint64_t)size) * 0x9E3779B97F4A7C15u) >> 55);
}

/* The first eight characters. */
static inline uint64_t key_of(const char *name, Py_ssize_t size, const char *end)
{
    static const uint64_t masks[] = {
        0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, UINT64_MAX,
    };
    uint64_t key = 0;
    memcpy(&key, name, end - name >= 8 ? 8 : (size_t)(end - name));
#if PY_BIG_ENDIAN
    key = __builtin_bswap64(key);
#endif
    return key & masks[size < 8 ? size : 8];
}

static inline int is_same(const char *text, const char *lower_name, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++) {
        if (LOWER(text[i]) != (unsigned char)lower_name[i]) {
            return 0;
        }
    }
    return 1;
}

/* What a name stands for, 0 if for nothing; the text in which it is ends at `end`. */
static inline int id_of(const Slot *slots, const char *name, Py_ssize_t size, const char *end)
{
    static const uint64_t lower = 0x2020202020202020u;  /* changes more than letters: whoever finds it must compare */
    uint64_t key = key_of(name, size, end);
    for (unsigned i = slot_of(key | lower, size); slots[i].name != NULL; i = (i + 1) % SLOTS) {
        const Slot *slot = &slots[i];
        if (slot->size == size && (key == slot->key ? size <= 8 || is_same(name + 8, slot->name + 8, size - 8)
                                                    : is_same(name, slot->name, size))) {
            return slot->id;
        }
    }
    return 0;
}

static inline void add_slot(Slot *slots, Name name)
{
    int size = (int)strlen(name.name);
    uint64_t key = key_of(name.name, size, name.name + size);
    unsigned i = slot_of(key | 0x2020202020202020u, size);
    while (slots[i].name != NULL) {
        i = (i + 1) % SLOTS;
    }
    slots[i] = (Slot){key, name.name, size, name.id};
}

static inline void fill_slots(Slot *slots, const Name *names, size_t count)
{
    memset(slots, 0, SLOTS * sizeof *slots);
    for (size_t n = 0; n < count; n++) {
        add_slot(slots, names[n]);
    }
}

/* ---- Attributes ------------------------------------------------------------------------------------------------- */

typedef struct {
    Span name;   /* its `at` is NULL behind the last attribute */
    Span value;  /* without quotes; empty if there is none */
    char quote;  /* " or ', 0 without quotes, = if there is no value at all */
} Attribute;

/* The next attribute of a tag, or its end; `at` is behind the tag's name or the attribute before. The place behind what
 * was found, or NULL if the text ends before.
 */
static inline const char *next_attribute(const char *at, const char *end, Attribute *found, int *is_self_closing)
{
    *is_self_closing = 0;
    for (; at < end && (IS(*at, SPACE) || *at == '/'); at++) {
        *is_self_closing = *at == '/';
    }
    if (at >= end) {
        return NULL;
    }
    if (*at == '>') {
        found->name.at = NULL;
        return at + 1;
    }
    found->name.at = at++;  /* even an = begins a name here */
    while (at < end && !IS(*at, NAME_END)) {
        at++;
    }
    found->name.size = at - found->name.at;
    found->value = (Span){"", 0};
    found->quote = '=';
    const char *name_end = at;
    while (at < end && IS(*at, SPACE)) {
        at++;
    }
    if (at >= end || *at != '=') {
        return name_end;
    }
    for (at++; at < end && IS(*at, SPACE); at++) {
    }
    if (at >= end) {
        return NULL;
    }
    found->quote = *at == '"' || *at == '\'' ? *at : 0;
    if (found->quote) {
        found->value.at = at + 1;
        at = memchr(found->value.at, found->quote, (size_t)(end - found->value.at));
        if (at == NULL) {
            return NULL;
        }
        found->value.size = at - found->value.at;
        return at + 1;
    }
    found->value.at = at;
    while (at < end && !IS(*at, BARE_END)) {
        at++;
    }
    found->value.size = at - found->value.at;
    return at;
}

/* ---- What is no markup ------------------------------------------------------------------------------------------ */

/* Behind a comment, whose <!-- ends here. */
static inline const char *skip_comment(const char *at, const char *end)
{
    if (at < end && *at == '>') {
        return at + 1;
    }
    if (end - at >= 2 && at[0] == '-' && at[1] == '>') {
        return at + 2;
    }
    while (at < end && (at = memchr(at, '-', (size_t)(end - at))) != NULL) {
        const char *dashes = at;
        while (at < end && *at == '-') {
            at++;
        }
        if (at - dashes < 2 || at >= end) {
            continue;
        }
        if (*at == '>') {
            return at + 1;
        }
        if (*at == '!' && end - at >= 2 && at[1] == '>') {
            return at + 2;
        }
    }
    return end;
}

static inline const char *skip_past(const char *at, const char *end, char c)
{
    const char *found = at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
    return found ? found + 1 : end;
}

/* Whether a tag of this name, without its < or </, begins here. */
static inline int is_tag_at(const char *at, const char *end, const char *name, Py_ssize_t size)
{
    return end - at > size && is_same(at, name, size) && IS(at[size], TAG_NAME_END);
}

/* The end of an element's raw text, where </name stands, or the end of all. */
static inline const char *raw_end(const char *at, const char *end, const char *name, Py_ssize_t size)
{
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        if (end - at > 2 && at[1] == '/' && is_tag_at(at + 2, end, name, size)) {
            return at;
        }
        at++;
    }
    return end;
}

/* The same for a script, in which <!-- <script> hides the next </script>. */
static inline const char *script_end(const char *at, const char *end)
{
    enum { PLAIN, ESCAPED, TWICE } state = PLAIN;
    enum { SIZE = 6 };
    while (at < end) {
        if (state == PLAIN) {
            at = memchr(at, '<', (size_t)(end - at));
            if (at == NULL) {
                return end;
            }
        } else if (*at == '-') {
            const char *dashes = at;
            while (at < end && *at == '-') {
                at++;
            }
            if (at - dashes >= 2 && at < end && *at == '>') {
                state = PLAIN;
                at++;
            }
            continue;
        } else if (*at != '<') {
            at++;
            continue;
        }
        if (end - at > 2 && at[1] == '/' && is_tag_at(at + 2, end, "script", SIZE)) {
            if (state != TWICE) {
                return at;
            }
            state = ESCAPED;
            at += 2 + SIZE + 1;
        } else if (state == PLAIN && end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
            state = ESCAPED;
            at += 2;  /* its dashes may be those of --> too */
        } else if (state == ESCAPED && is_tag_at(at + 1, end, "script", SIZE)) {
            state = TWICE;
            at += 1 + SIZE + 1;
        } else {
            at++;
        }
    }
    return end;
}

#endif
