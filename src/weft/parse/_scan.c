/* The links of a page, found without building its tree.
 *
 *     scan(text, embeds, decode_text, …)   one walk through the text         -> Page, or None: "ask the tree"
 *     Page.take_links(…)                   its links, made canonical, once each; what they say, if asked for (_links.h)
 *     Reported                             links that need not be taken in, as they were reported before (_reported.h)
 *     Scanner(embeds, decode_text, …)      a walk through a text that comes in parts and is too long for a tree
 *     Scanner.feed(part, is_last)          as far as the tags in it are whole     -> Page, bytes that are done with
 *
 * The walk follows the tokenizer of the HTML standard. What a tag means also depends on where in the tree it stands;
 * of that the walk keeps only as much as can change which links there are, and in which order:
 *
 *     tables      what stands between cells is moved in front of the table; cells outside a table do not count
 *     templates   their contents do not count
 *     select, svg only what is usual in them
 *     body        a second one adds its attributes to the first
 *
 * Wherever that is not enough, the walk gives up, and the caller builds the tree. So the rule for changes is: when in
 * doubt, DOUBT. tests/parse/test_scan_same.py compares both ways. A Scanner has no tree to ask: it counts its doubts, and
 * goes on as if nothing were open around the tag.
 *
 * The text is UTF-8 (no copy is made of one in ASCII), and spans point into it. Python objects are made for distinct
 * links only; all that is rare is given to Python as it stands.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

#include "_links.h"

/* ---- Tables made once, when the module is loaded ---------------------------------------------------------------- */

static Slot tag_slots[SLOTS], attribute_slots[SLOTS];
static unsigned char place_at[E_COUNT][A_COUNT], lazy_at[E_COUNT][A_COUNT];  /* index + 1; 0: no link */
static unsigned char is_wanted[3][E_COUNT];  /* whether attributes of a tag matter: see wanting */

static void want(const Place *places, int count, unsigned char at[E_COUNT][A_COUNT])
{
    for (int i = 0; i < count; i++) {
        at[places[i].tag][places[i].attribute] = (unsigned char)(i + 1);
        if (!places[i].is_embed) {
            is_wanted[0][places[i].tag] = 1;
        }
    }
}

static void fill_tables(void)
{
    static const unsigned char others[] = {E_SCRIPT, E_BASE, E_META, E_TEMPLATE, E_IMG};
    fill_slots(tag_slots, TAG_NAMES, sizeof TAG_NAMES / sizeof TAG_NAMES[0]);
    fill_slots(attribute_slots, ATTRIBUTE_NAMES, sizeof ATTRIBUTE_NAMES / sizeof ATTRIBUTE_NAMES[0]);
    fill_classes();
    memset(is_wanted[1], 1, E_COUNT);  /* any may have a style */
    want(PLACES, PLACE_COUNT, place_at);
    want(LAZY_PLACES, LAZY_COUNT, lazy_at);
    for (size_t i = 0; i < sizeof others; i++) {
        is_wanted[0][others[i]] = 1;
    }
    for (int tag = 0; tag < E_COUNT; tag++) {  /* what is loaded, and what the page says of itself */
        is_wanted[2][tag] = is_wanted[0][tag] || tag == E_HTML || place_at[tag][A_SRC] || place_at[tag][A_DATA];
    }
    fill_words();
    classes['&'] |= ODD;
    classes['\r'] |= ODD;
    classes[0] |= ODD;
}

/* ---- What a walk keeps in mind ---------------------------------------------------------------------------------- */

enum { IN_TABLE, IN_CELL, IN_CAPTION };
enum { MAX_TABLES = 128, MAX_DRAWING = 128 };

typedef struct {
    unsigned char state;
    unsigned char cell;     /* E_TD or E_TH */
    unsigned char section;  /* E_TBODY, E_THEAD, E_TFOOT, or 0 */
    unsigned char has_stray;  /* something other than a part of the table may be open between its cells */
} Table;

typedef struct {
    int count;
    int is_self_closing;
    uint32_t seen;
    unsigned char ids[A_COUNT];
    Span values[A_COUNT];  /* by id */
} Attributes;

typedef struct {
    unsigned char size;
    char name[23];  /* in lower case; all that may be in a drawing are shorter */
} DrawnName;

typedef struct {
    Page *page;
    const char *end;
    const char *rest;  /* the tag that does not end here: the next part begins with it */
    int is_partial;    /* more text follows */
    int is_lenient;    /* there is no tree to ask */
    Py_ssize_t doubts;
    int embeds;
    int notes;          /* what links say and what the page says of itself is wanted, too */
    int noscripts;      /* open ones */
    int is_again;       /* the tag was doubtful, and is noted already */
    int has_odd_bytes;  /* a zero byte or a carriage return is somewhere in the text */
    PyObject *decode, *rel_place, *decode_text;  /* Python's, borrowed */
    int templates;     /* open ones */
    int links_in_template;  /* open ones, in the innermost; see watch_template */
    int is_in_head;    /* nothing has begun the body so far */
    int has_tags;
    int has_form;
    int is_in_select;
    int tables;        /* open ones; a table between the cells of another ends that */
    int drawing;       /* open elements of a drawing */
    Table table[MAX_TABLES];
    DrawnName drawn[MAX_DRAWING];
} Walk;

static int wanting(const Walk *w)
{
    return w->embeds ? 1 : w->notes ? 2 : 0;
}

static int is_between_cells(const Walk *w)
{
    return w->tables > 0 && w->table[w->tables - 1].state == IN_TABLE;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* Whether a value is not what it stands for: there are references in it, zero bytes, or line ends of another kind. */
static int has_odd(const Walk *w, Span value)
{
    if (!w->has_odd_bytes) {
        return memchr(value.at, '&', (size_t)value.size) != NULL;
    }
    for (Py_ssize_t i = 0; i < value.size; i++) {
        if (IS(value.at[i], ODD)) {
            return 1;
        }
    }
    return 0;
}

static const struct {
    const char *name;
    int size;
    char meant;
} REFERENCES[] = {{"amp;", 4, '&'}, {"lt;", 3, '<'}, {"gt;", 3, '>'}, {"quot;", 5, '"'}, {"#39;", 4, '\''}};

/* How many characters after an & are a reference that is in REFERENCES; 0: none, it is only an &; -1: Python knows. */
static int reference_at(const char *at, const char *end, char *meant)
{
    for (size_t i = 0; i < sizeof REFERENCES / sizeof REFERENCES[0]; i++) {
        if (end - at >= REFERENCES[i].size && memcmp(at, REFERENCES[i].name, (size_t)REFERENCES[i].size) == 0) {
            *meant = REFERENCES[i].meant;
            return REFERENCES[i].size;
        }
    }
    *meant = '&';
    if (at < end && *at == '#') {
        return -1;
    }
    const char *name = at;
    while (at < end && is_letter_or_digit((unsigned char)*at)) {
        at++;
    }
    return at == name || (at < end && *at == '=') ? 0 : -1;
}

/* The value of an attribute without references, as a new string. */
static PyObject *decoded(const Walk *w, Span value)
{
    const char *end = value.at + value.size;
    if (!has_odd(w, value)) {
        return PyUnicode_FromStringAndSize(value.at, value.size);
    }
    char *plain = PyMem_Malloc((size_t)value.size + 1);
    if (plain == NULL) {
        return PyErr_NoMemory();
    }
    char *to = plain;
    PyObject *result = NULL;
    for (const char *at = value.at; at < end;) {
        char c = *at++;
        if (c == '&') {
            int size = reference_at(at, end, &c);
            if (size < 0) {
                goto by_python;
            }
            at += size;
        } else if (c == '\r') {
            c = '\n';
            at += at < end && *at == '\n';
        } else if (c == 0) {
            goto by_python;
        }
        *to++ = c;
    }
    result = PyUnicode_FromStringAndSize(plain, to - plain);
    PyMem_Free(plain);
    return result;

by_python:
    PyMem_Free(plain);
    PyObject *raw = PyUnicode_FromStringAndSize(value.at, value.size);
    if (raw != NULL) {
        result = PyObject_CallOneArg(w->decode, raw);
        Py_DECREF(raw);
    }
    return result;
}

/* The same as a span that lives as long as the page. */
static int decode_span(const Walk *w, Span *value)
{
    if (!has_odd(w, *value)) {
        return FINE;
    }
    PyObject *string = decoded(w, *value);
    if (string == NULL) {
        return FAILED;
    }
    int status = keep(w->page, string);
    Py_DECREF(string);
    if (status == FINE) {
        value->at = PyUnicode_AsUTF8AndSize(string, &value->size);
        if (value->at == NULL) {
            return FAILED;
        }
    }
    return status;
}

static int append_new(PyObject **list, PyObject *item)
{
    if (item == NULL) {
        return FAILED;
    }
    int status = FINE;
    if (*list == NULL && (*list = PyList_New(0)) == NULL) {
        status = FAILED;
    } else {
        status = PyList_Append(*list, item);
    }
    Py_DECREF(item);
    return status;
}

/* The text of a raw element: zero bytes and line ends as the tokenizer has them. */
static PyObject *raw_text(Span text)
{
    PyObject *string = PyUnicode_FromStringAndSize(text.at, text.size);
    if (string == NULL || (memchr(text.at, 0, (size_t)text.size) == NULL
                           && memchr(text.at, '\r', (size_t)text.size) == NULL)) {
        return string;
    }
    static const char *const pairs[][2] = {{"\r\n", "\n"}, {"\r", "\n"}, {NULL, "\xEF\xBF\xBD"}};
    for (int i = 0; i < 3 && string != NULL; i++) {
        PyObject *from = pairs[i][0] ? PyUnicode_FromString(pairs[i][0]) : PyUnicode_FromStringAndSize("\0", 1);
        PyObject *to = PyUnicode_FromString(pairs[i][1]);
        PyObject *next = from && to ? PyUnicode_Replace(string, from, to, -1) : NULL;
        Py_XDECREF(from);
        Py_XDECREF(to);
        Py_SETREF(string, next);
    }
    return string;
}

static PyObject *optional_value(const Walk *w, const Attributes *a, int id)
{
    return a->seen >> id & 1 ? decoded(w, a->values[id]) : Py_NewRef(Py_None);
}

/* ---- Links ------------------------------------------------------------------------------------------------------ */

static int add_link(Walk *w, Span href, int place, int is_nofollow, int rels, Span label)
{
    Page *page = w->page;
    if (decode_span(w, &href) != FINE) {
        return FAILED;
    }
    if (!is_list_place(place)) {
        for (; href.size && IS(*href.at, SPACE); href.size--) {
            href.at++;
        }
        while (href.size && IS(href.at[href.size - 1], SPACE)) {
            href.size--;
        }
    }
    if (href.size == 0) {
        return FINE;
    }
    if (page->link_count == page->link_room) {
        Py_ssize_t room = page->link_room ? 2 * page->link_room : 256;
        Link *links = PyMem_Realloc(page->links, (size_t)room * sizeof *links);
        if (links == NULL) {
            PyErr_NoMemory();
            return FAILED;
        }
        page->links = links;
        page->link_room = room;
    }
    page->links[page->link_count++] = (Link){
        href, label.at, (int)label.size, (unsigned char)place, (unsigned char)is_nofollow, (unsigned char)rels,
    };
    return FINE;
}

/* Whether nofollow is among the words of rel. DOUBT where Python sees a space that CSS does not. */
static int read_nofollow(const Walk *w, Span rel, int *is_nofollow)
{
    enum { SIZE = 8 };
    *is_nofollow = 0;
    if (decode_span(w, &rel) != FINE) {
        return FAILED;
    }
    for (Py_ssize_t i = 0; i + SIZE <= rel.size; i++) {
        if (LOWER(rel.at[i]) != 'n' || !is_same(rel.at + i, "nofollow", SIZE)) {
            continue;
        }
        unsigned char before = i ? (unsigned char)rel.at[i - 1] : ' ';
        unsigned char after = i + SIZE < rel.size ? (unsigned char)rel.at[i + SIZE] : ' ';
        if ((before < ' ' && !IS(before, SPACE)) || (after < ' ' && !IS(after, SPACE)) || before > '~' || after > '~') {
            return DOUBT;
        }
        if (IS(before, SPACE) && IS(after, SPACE)) {
            *is_nofollow = 1;
        }
    }
    return FINE;
}

static int is_value(const Attributes *a, int id, const char *lower_value)
{
    Py_ssize_t size = (Py_ssize_t)strlen(lower_value);
    return a->seen >> id & 1 && a->values[id].size == size && is_same(a->values[id].at, lower_value, size);
}

/* Whether a type is this one. DOUBT when it is written with references. */
static int read_type(const Walk *w, const Attributes *a, const char *lower_value, int *is_it)
{
    *is_it = is_value(a, A_TYPE, lower_value);
    return !*is_it && a->seen >> A_TYPE & 1 && has_odd(w, a->values[A_TYPE]) ? DOUBT : FINE;
}

/* The place of a link element's href: a page's or a part's, or 0 for none. */
static int rel_place(const Walk *w, const Attributes *a, int *is_embed)
{
    PyObject *rel = a->seen >> A_REL & 1 ? decoded(w, a->values[A_REL]) : PyUnicode_FromStringAndSize("", 0);
    if (rel == NULL) {
        return FAILED;
    }
    PyObject *number = PyObject_CallOneArg(w->rel_place, rel);
    Py_DECREF(rel);
    if (number == NULL) {
        return FAILED;
    }
    long place = PyLong_AsLong(number);  /* PLACE_COUNT - 1: a page, PLACE_COUNT: a part of one, 0: neither */
    Py_DECREF(number);
    *is_embed = place == PLACE_COUNT;
    return place == -1 && PyErr_Occurred() ? FAILED : (int)place;
}

/* ---- Notes: what links say, and what the page says of itself ----------------------------------------------------- */

/* Bits as page/link_marks.py has them, above the place. */
static const struct {
    const char *word;
    unsigned char bit;
} REL_WORDS[] = {
    {"nofollow", 1 << 3}, {"ugc", 1 << 4}, {"sponsored", 1 << 5}, {"noopener", 1 << 6}, {"noreferrer", 1 << 6},
};
enum { MAX_INSECURE = 10, MAX_RELATIONS = 200, MAX_H1_CHARS = 300 };

static int rels_of(Span rel)
{
    int bits = 0;
    const char *end = rel.at + rel.size;
    for (const char *at = rel.at; at < end;) {
        const char *start = at;
        while (at < end && !IS(*at, SPACE)) {
            at++;
        }
        for (size_t i = 0; at > start && i < sizeof REL_WORDS / sizeof REL_WORDS[0]; i++) {
            if (name_is((Span){start, at - start}, REL_WORDS[i].word)) {
                bits |= REL_WORDS[i].bit;
            }
        }
        at++;
    }
    return bits;
}

/* Whether a value begins with http: */
static int is_http(Span value)
{
    while (value.size && IS(*value.at, SPACE)) {
        value.at++;
        value.size--;
    }
    return value.size > 5 && LOWER(*value.at) == 'h' && is_same(value.at, "http:", 5);
}

static int has_text(Span text, const char *lower)
{
    Py_ssize_t size = (Py_ssize_t)strlen(lower);
    for (Py_ssize_t i = 0; i + size <= text.size; i++) {
        if (LOWER(text.at[i]) == (unsigned char)*lower && is_same(text.at + i, lower, size)) {
            return 1;
        }
    }
    return 0;
}

static int note_insecure(Walk *w, Span value)
{
    PyObject *known = w->page->insecure;
    if (!is_http(value) || (known != NULL && PyList_GET_SIZE(known) >= MAX_INSECURE)) {
        return FINE;
    }
    return append_new(&w->page->insecure, decoded(w, value));
}

/* Whether a script is run: JSON and its like are not. */
static int is_program(const Attributes *a)
{
    if (!(a->seen >> A_TYPE & 1) || a->values[A_TYPE].size == 0) {
        return 1;
    }
    return has_text(a->values[A_TYPE], "javascript") || has_text(a->values[A_TYPE], "ecmascript")
           || is_value(a, A_TYPE, "module");
}

/* What an element that counts says of the page; `at` is behind its tag. */
static int take_notes(Walk *w, int tag, const Attributes *a, const char *at)
{
    Page *page = w->page;
    switch (tag) {
    case E_H1:
        if (page->h1_count++ == 0) {
            page->h1 = words_from(at, w->end, 1, MAX_H1_CHARS, -1, w->decode_text);
            return page->h1 == NULL && PyErr_Occurred() ? FAILED : FINE;
        }
        return FINE;
    case E_HTML:
        if (a->seen >> A_LANG & 1 && page->language == NULL) {
            page->language = decoded(w, a->values[A_LANG]);
            return page->language ? FINE : FAILED;
        }
        return FINE;
    case E_IMG:
        page->image_count++;
        page->bare_image_count += !(a->seen >> A_ALT & 1);
        return FINE;
    case E_SCRIPT:
        page->script_count += is_program(a);
        return FINE;
    case E_LINK:
        if (a->seen >> A_HREF & 1 && a->seen >> A_REL & 1
            && (a->seen >> A_HREFLANG & 1 || has_text(a->values[A_REL], "canonical"))
            && (page->relations == NULL || PyList_GET_SIZE(page->relations) < MAX_RELATIONS)) {
            PyObject *rel = decoded(w, a->values[A_REL]);
            PyObject *language = optional_value(w, a, A_HREFLANG);
            PyObject *href = decoded(w, a->values[A_HREF]);
            if (rel == NULL || language == NULL || href == NULL) {
                Py_XDECREF(rel);
                Py_XDECREF(language);
                Py_XDECREF(href);
                return FAILED;
            }
            return append_new(&page->relations, Py_BuildValue("(NNN)", rel, language, href));
        }
        return FINE;
    default:
        return FINE;
    }
}

/* ---- Links of a tag --------------------------------------------------------------------------------------------- */

/* All links in the attributes of a tag that counts; `behind` is behind it. */
static int take_attributes(Walk *w, int tag, const Attributes *a, const char *behind, int *has_items)
{
    int is_nofollow = 0;
    int rels = 0;
    int status = FINE;
    Span label = {NULL, 0};
    if (w->notes && (tag == E_A || tag == E_AREA)) {
        if (a->seen >> A_REL & 1) {
            rels = rels_of(a->values[A_REL]);
        }
        label = tag == E_A ? (Span){behind, -1} : a->seen >> A_ALT & 1 ? a->values[A_ALT] : label;
    }
    *has_items = 0;
    if (a->seen >> A_REL & 1) {
        if ((status = read_nofollow(w, a->values[A_REL], &is_nofollow)) != FINE) {
            return status;
        }
        if (is_nofollow && (tag == E_A || tag == E_AREA)) {
            w->page->has_nofollow = 1;
        }
    }
    for (int i = 0; i < a->count && status == FINE; i++) {
        int id = a->ids[i];
        Span value = a->values[id];
        int place = place_at[tag][id] - 1;
        int lazy = lazy_at[tag][id] - 1;
        if (place >= 0) {
            int is_embed = PLACES[place].is_embed;
            if (tag == E_LINK && id == A_HREF) {
                if ((place = rel_place(w, a, &is_embed)) <= 0) {
                    status = place;
                    continue;
                }
            } else if (tag == E_INPUT && (w->embeds || w->notes)) {
                int is_image;
                if ((status = read_type(w, a, "image", &is_image)) != FINE || !is_image) {
                    continue;
                }
            }
            if (w->notes && (is_embed || (tag == E_IFRAME && id == A_SRC)) && (status = note_insecure(w, value)) != FINE) {
                continue;
            }
            if (w->embeds || !is_embed) {
                *has_items = 1;
                status = add_link(w, value, place, is_nofollow, rels, label);
            }
        } else if (lazy >= 0) {
            if (w->embeds || !LAZY_PLACES[lazy].is_embed) {
                *has_items = 1;
                PyObject *string = decoded(w, value);
                status = append_new(&w->page->lazies, string ? Py_BuildValue("(iN)", lazy, string) : NULL);
            }
        } else if (id == A_STYLE && w->embeds) {
            if (memchr(value.at, '(', (size_t)value.size) || memchr(value.at, '@', (size_t)value.size)
                || memchr(value.at, '&', (size_t)value.size)) {
                *has_items = 1;
                PyObject *string = decoded(w, value);
                status = append_new(&w->page->styles, string ? Py_BuildValue("(iN)", 0, string) : NULL);
            }
        }
    }
    return status;
}

/* ---- Attributes ------------------------------------------------------------------------------------------------- */

/* Read attributes; `at` is behind the tag's name. The place behind the tag, or NULL if the text ends before. */
static const char *read_attributes(const char *at, const char *end, int wanted, Attributes *a)
{
    Attribute found;
    a->count = 0;
    a->seen = 0;
    while ((at = next_attribute(at, end, &found, &a->is_self_closing)) != NULL && found.name.at != NULL) {
        if (wanted) {
            int id = id_of(attribute_slots, found.name.at, found.name.size, end);
            if (id && !(a->seen >> id & 1)) {  /* of several, the first counts */
                a->seen |= (uint32_t)1 << id;
                a->ids[a->count++] = (unsigned char)id;
                a->values[id] = found.value;
            }
        }
    }
    return at;
}

/* ---- Tags ------------------------------------------------------------------------------------------------------- */

/* Whether a crawler may be asked for something: the words of robots_directives.py, in any letter case. */
static int may_ask(Span content)
{
    static const char *const rest[] = {"follow", "index", "archive", "cache", "ne"};
    const char *end = content.at + content.size;
    for (const char *at = content.at; end - at >= 4; at++) {
        if (LOWER(at[0]) != 'n' || LOWER(at[1]) != 'o') {
            continue;
        }
        for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
            Py_ssize_t size = (Py_ssize_t)strlen(rest[i]);
            if (end - at - 2 >= size && is_same(at + 2, rest[i], size)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether a meta element says anything that counts where nobody wants notes: most are for people and search engines. */
static int may_count(const Walk *w, const Attributes *a)
{
    Span content = a->values[A_CONTENT];
    if (a->seen >> A_HTTP_EQUIV & 1 && (is_value(a, A_HTTP_EQUIV, "refresh") || has_odd(w, a->values[A_HTTP_EQUIV]))) {
        return 1;
    }
    return a->seen >> A_NAME & 1 && (may_ask(content) || has_odd(w, content));
}

static int take_meta(Walk *w, const Attributes *a)
{
    if (!(a->seen >> A_CONTENT & 1) || (!w->notes && !may_count(w, a))) {
        return FINE;
    }
    PyObject *name = optional_value(w, a, A_NAME);
    PyObject *content = decoded(w, a->values[A_CONTENT]);
    PyObject *equivalent = optional_value(w, a, A_HTTP_EQUIV);
    if (name == NULL || content == NULL || equivalent == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(content);
        Py_XDECREF(equivalent);
        return FAILED;
    }
    return append_new(&w->page->metas, Py_BuildValue("(NNN)", name, content, equivalent));
}

/* A part of a table. Says whether it counts: outside a table it does not. */
static int open_part(Walk *w, int tag)
{
    if (w->tables == 0) {
        return 0;
    }
    Table *table = &w->table[w->tables - 1];
    table->has_stray = 0;
    switch (tag) {
    case E_CAPTION:
        table->state = IN_CAPTION;
        table->section = 0;
        break;
    case E_TD:
    case E_TH:
        table->state = IN_CELL;
        table->cell = (unsigned char)tag;
        table->section = table->section ? table->section : E_TBODY;
        break;
    case E_TR:
        table->state = IN_TABLE;
        table->section = table->section ? table->section : E_TBODY;
        break;
    case E_COLGROUP:
    case E_COL:
        table->state = IN_TABLE;
        table->section = 0;
        break;
    default:
        table->state = IN_TABLE;
        table->section = (unsigned char)tag;
    }
    return 1;
}

static void close_part(Walk *w, int tag)
{
    Table *table = &w->table[w->tables - 1];
    switch (tag) {
    case E_CAPTION:
        if (table->state == IN_CAPTION) {
            table->state = IN_TABLE;
        }
        break;
    case E_TD:
    case E_TH:
        if (table->state == IN_CELL && table->cell == tag) {
            table->state = IN_TABLE;
        }
        break;
    case E_TR:
        if (table->state == IN_CELL) {
            table->state = IN_TABLE;
        }
        break;
    case E_TBODY:
    case E_THEAD:
    case E_TFOOT:
        if (table->state != IN_CAPTION && table->section == tag) {
            table->state = IN_TABLE;
            table->section = 0;
        }
        break;
    default:
        break;
    }
}

static int open_table(Walk *w)
{
    if (!is_between_cells(w)) {
        if (w->tables == MAX_TABLES) {
            return DOUBT;
        }
        w->tables++;
    }
    w->table[w->tables - 1] = (Table){IN_TABLE, 0, 0, 0};
    return FINE;
}

/* What has text for content, not markup: its content and the place behind its end tag. */
static const char *read_raw(const Walk *w, int tag, const char *at, Span *content)
{
    static const Name names[] = {
        {"script", E_SCRIPT}, {"style", E_STYLE}, {"title", E_TITLE}, {"textarea", E_TEXTAREA}, {"xmp", E_XMP},
        {"iframe", E_IFRAME}, {"noembed", E_NOEMBED}, {"noframes", E_NOFRAMES},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].id == tag) {
            Py_ssize_t size = (Py_ssize_t)strlen(names[i].name);
            const char *stop = tag == E_SCRIPT ? script_end(at, w->end) : raw_end(at, w->end, names[i].name, size);
            *content = (Span){at, stop - at};
            if (stop == w->end) {
                return stop;
            }
            Attributes ignored;
            at = read_attributes(stop + 2 + size, w->end, 0, &ignored);
            return at ? at : w->end;
        }
    }
    *content = (Span){NULL, 0};
    return at;
}

static int is_text_in_drawing(int tag)
{
    return tag == E_TITLE || tag == E_DESC || tag == E_STYLE;
}

static int push_drawn(Walk *w, Span name)
{
    DrawnName *drawn = &w->drawn[w->drawing];
    if (w->drawing == MAX_DRAWING || name.size > (Py_ssize_t)sizeof drawn->name) {
        return DOUBT;
    }
    drawn->size = (unsigned char)name.size;
    for (Py_ssize_t i = 0; i < name.size; i++) {
        drawn->name[i] = (char)LOWER(name.at[i]);
    }
    w->drawing++;
    return FINE;
}

/* An element of a drawing; `at` is behind its tag. Gives the place to go on at, or NULL with *status set. */
static const char *open_drawn(Walk *w, int tag, Span name, const Attributes *a, const char *at, int *status)
{
    int has_items;
    int is_text = is_text_in_drawing(tag);
    *status = DOUBT;
    /* A template is one in HTML only: here it is an element like any other. */
    if (!(tag == E_SHAPE || tag == E_A || tag == E_IMAGE || tag == E_USE || tag == E_FEIMAGE || tag == E_SVG
          || tag == E_TEMPLATE || is_text)) {
        return NULL;
    }
    if (!w->templates) {
        *status = take_attributes(w, tag, a, at, &has_items);
        if (*status == FINE && has_items && tag == E_STYLE) {
            *status = DOUBT;
        }
        if (*status != FINE) {
            return NULL;
        }
    }
    *status = FINE;
    if (a->is_self_closing) {
        return at;
    }
    if ((*status = push_drawn(w, name)) != FINE) {
        return NULL;
    }
    if (is_text) {  /* fine if it is nothing but text: then the next tag ends it */
        const char *stop = at < w->end ? memchr(at, '<', (size_t)(w->end - at)) : NULL;
        if (stop == NULL || w->end - stop <= 2 || stop[1] != '/' || !is_tag_at(stop + 2, w->end, name.at, name.size)) {
            *status = DOUBT;
            return NULL;
        }
        Span text = {at, stop - at};
        if (tag == E_STYLE && w->embeds && !w->templates) {
            *status = has_odd(w, text) ? DOUBT : append_new(&w->page->styles, Py_BuildValue("(iN)", 1, raw_text(text)));
        }
        return *status == FINE ? stop : NULL;
    }
    return at;
}

static int close_drawn(Walk *w, Span name)
{
    for (int i = w->drawing - 1; i >= 0; i--) {
        if (w->drawn[i].size == name.size && is_same(name.at, w->drawn[i].name, name.size)) {
            w->drawing = i;
            return FINE;
        }
    }
    return DOUBT;
}

/* What kind of thing a tag is, as far as tables go. */
static int is_part(int tag)
{
    return tag >= E_CAPTION && tag <= E_TH;
}

static int may_stand_between_cells(int tag)
{
    return is_part(tag) || tag == E_TABLE || tag == E_SCRIPT || tag == E_STYLE || tag == E_TEMPLATE;
}

static int belongs_in_head(int tag)
{
    switch (tag) {
    case E_HTML: case E_HEAD: case E_BASE: case E_BASEFONT: case E_BGSOUND: case E_LINK: case E_META: case E_TITLE:
    case E_NOSCRIPT: case E_NOFRAMES: case E_STYLE: case E_SCRIPT: case E_TEMPLATE:
        return 1;
    default:
        return 0;
    }
}

/* Whether something between cells may not stay there, or stand in something that does not. */
static int is_out_of_order(const Walk *w, int tag)
{
    return is_between_cells(w) && (!may_stand_between_cells(tag) || w->table[w->tables - 1].has_stray);
}

/* Whether the attributes of a tag may not count, or not in this order. */
static int is_misplaced(const Walk *w, int tag)
{
    switch (tag) {
    case E_HTML:
        return w->has_tags;
    case E_HEAD:
    case E_NOSCRIPT:  /* within another, in the head, it does not count */
    case E_STYLE:     /* with a style of its own */
        return 1;
    case E_BODY:
        return !w->is_in_head;
    case E_FORM:
        return w->has_form || is_between_cells(w);
    default:
        return is_out_of_order(w, tag);
    }
}

static int take_text(Walk *w, int tag, const Attributes *a, Span content)
{
    Page *page = w->page;
    int is_json;
    if (tag == E_TITLE) {
        if (is_between_cells(w)) {
            return DOUBT;
        }
        return page->title == NULL && (page->title = raw_text(content)) == NULL ? FAILED : FINE;
    }
    if (tag == E_STYLE && w->embeds) {
        if (is_out_of_order(w, tag)) {
            return DOUBT;
        }
        PyObject *css = raw_text(content);
        return append_new(&page->styles, css ? Py_BuildValue("(iN)", 1, css) : NULL);
    }
    if (tag == E_SCRIPT && a->seen >> A_TYPE & 1) {
        int status = read_type(w, a, "application/ld+json", &is_json);
        if (status == FINE && is_json) {
            return is_out_of_order(w, tag) ? DOUBT : append_new(&page->scripts, raw_text(content));
        }
        return status;
    }
    return FINE;
}

/* A link that is not closed lives on behind the end of its template, if something opens within it that links do not
 * reach out of, and is not closed either: there a browser opens it again. (So does what has a style.)
 */
static int watch_template(Walk *w, int tag, const Attributes *a)
{
    switch (tag) {
    case E_A:
        w->links_in_template++;
        break;
    case E_OTHER:
        w->links_in_template += a->seen >> A_STYLE & 1;
        break;
    case E_TABLE: case E_CAPTION: case E_TR: case E_TD: case E_TH: case E_OBJECT: case E_APPLET: case E_MARQUEE:
    case E_TEMPLATE:
        return w->links_in_template ? DOUBT : FINE;
    case E_COL:  /* swallows what follows it */
        return DOUBT;
    default:
        break;
    }
    return FINE;
}

/* What a start tag does to the place where the next ones stand. */
static int open_element(Walk *w, int tag, int *counts)
{
    *counts = !w->templates;
    if (w->is_in_select) {
        return tag == E_OPTION || tag == E_OPTGROUP || tag == E_HR || tag == E_SCRIPT ? FINE : DOUBT;
    }
    if (tag == E_SELECT) {
        w->is_in_select = 1;
        return is_between_cells(w) && !w->templates ? DOUBT : FINE;
    }
    if (w->templates) {
        return FINE;
    }
    if (tag == E_SVG && is_between_cells(w)) {
        return DOUBT;
    }
    if (tag == E_TABLE) {
        return open_table(w);
    }
    if (is_part(tag)) {
        *counts = open_part(w, tag);
    }
    return FINE;
}

/* Whether all that a tag is judged by is in this part of the text; `at` is behind it. */
static int is_all_there(const Walk *w, int tag, Span name, const char *at)
{
    Span content;
    if (w->drawing) {
        const char *less = at < w->end ? memchr(at, '<', (size_t)(w->end - at)) : NULL;
        return !is_text_in_drawing(tag) || (less != NULL && w->end - less > name.size + 3);
    }
    const char *behind = read_raw(w, tag, at, &content);
    return content.at == NULL || behind != w->end;
}

/* A start tag; `at` is behind its name. Gives the place to go on at, or NULL with *status set (FINE: it never ends). */
static const char *start_tag(Walk *w, Span name, const char *at, int *status)
{
    Attributes a;
    Span content;
    int has_items, counts;
    int tag = id_of(tag_slots, name.at, name.size, w->end);
    w->page->has_template |= tag == E_TEMPLATE;
    if (w->drawing) {
        at = read_attributes(at, w->end, is_wanted[wanting(w)][tag], &a);
        *status = FINE;
        w->page->has_script |= tag == E_SCRIPT;
        if (at == NULL || (w->is_partial && !is_all_there(w, tag, name, at))) {
            return NULL;
        }
        return open_drawn(w, tag, name, &a, at, status);
    }
    tag = tag == E_IMAGE ? E_IMG : tag == E_FEIMAGE || tag == E_SHAPE || tag == E_DESC ? E_OTHER : tag;
    at = read_attributes(at, w->end, is_wanted[wanting(w)][tag], &a);
    *status = FINE;
    if (at == NULL || (w->is_partial && !is_all_there(w, tag, name, at))) {
        return NULL;
    }
    w->page->has_script |= tag == E_SCRIPT && !(a.seen >> A_SRC & 1);
    int noted = tag;
    tag = tag == E_H1 ? E_OTHER : tag;
    if (w->notes && !w->templates && !w->is_again && (*status = take_notes(w, noted, &a, at)) != FINE) {
        return NULL;
    }
    if (tag == E_OTHER && !w->embeds && !w->is_in_select && !is_between_cells(w)) {
        w->is_in_head = 0;
        w->has_tags = 1;
        return at;
    }
    if (tag == E_DOUBTFUL || (tag == E_TEMPLATE && a.seen >> A_SHADOWROOTMODE & 1)) {
        *status = DOUBT;
        return NULL;
    }
    *status = open_element(w, tag, &counts);
    if (*status == FINE && w->templates) {
        *status = watch_template(w, tag, &a);
    }
    if (*status != FINE) {
        return NULL;
    }
    if (counts && a.count && tag != E_TEMPLATE) {
        if ((*status = take_attributes(w, tag, &a, at, &has_items)) != FINE) {
            return NULL;
        }
        if (tag == E_META || (tag == E_BASE && a.seen >> A_HREF & 1) || (tag == E_IFRAME && a.seen >> A_SRCDOC & 1)) {
            has_items = 1;
        }
        if (has_items && is_misplaced(w, tag)) {
            *status = DOUBT;
            return NULL;
        }
        if (tag == E_META) {
            *status = take_meta(w, &a);
        } else if (tag == E_BASE && a.seen >> A_HREF & 1 && w->page->base == NULL) {
            w->page->base = decoded(w, a.values[A_HREF]);
            *status = w->page->base ? FINE : FAILED;
        } else if (tag == E_IFRAME && a.seen >> A_SRCDOC & 1) {
            *status = append_new(&w->page->srcdocs, decoded(w, a.values[A_SRCDOC]));
        }
        if (*status != FINE) {
            return NULL;
        }
    }
    at = read_raw(w, tag, at, &content);
    if (content.at != NULL && counts && (*status = take_text(w, tag, &a, content)) != FINE) {
        return NULL;
    }
    if (tag == E_SVG && !a.is_self_closing && (*status = push_drawn(w, name)) != FINE) {
        return NULL;
    }
    w->noscripts += tag == E_NOSCRIPT && !w->templates;
    if (tag == E_TEMPLATE) {
        w->templates++;
    } else if (counts) {
        if (tag == E_FORM) {
            w->has_form = 1;
        } else if (is_between_cells(w) && !may_stand_between_cells(tag) && tag != E_INPUT && tag != E_BR) {
            w->table[w->tables - 1].has_stray = 1;
        }
        w->is_in_head = w->is_in_head && belongs_in_head(tag);
    }
    w->has_tags = 1;
    return at;
}

/* An end tag; the same. */
static const char *end_tag(Walk *w, Span name, const char *at, int *status)
{
    Attributes ignored;
    at = read_attributes(at, w->end, 0, &ignored);
    *status = FINE;
    if (at == NULL) {
        return NULL;
    }
    if (w->drawing) {
        *status = close_drawn(w, name);
        return *status == FINE ? at : NULL;
    }
    int tag = id_of(tag_slots, name.at, name.size, w->end);
    if (w->is_in_select) {
        if (tag == E_SELECT) {
            w->is_in_select = 0;
        } else if (tag != E_OPTION && tag != E_OPTGROUP) {
            *status = DOUBT;
            return NULL;
        }
        return at;
    }
    if (w->templates) {
        if (tag == E_TEMPLATE) {
            w->templates--;
            w->links_in_template = 0;
        } else if (tag == E_A && w->links_in_template) {
            w->links_in_template--;
        }
        return at;
    }
    if (tag == E_NOSCRIPT) {
        w->noscripts = 0;
    } else if (tag == E_FORM) {
        w->has_form = 0;
    } else if (tag == E_TABLE) {
        w->tables -= w->tables > 0;
    } else if (is_part(tag) && w->tables) {
        close_part(w, tag);
    }
    w->is_in_head = w->is_in_head && belongs_in_head(tag) && tag != E_HTML;
    return at;
}

/* What begins with <! or <? or is no end tag; `at` is behind the <. */
static const char *declaration(const Walk *w, const char *at, int *status)
{
    *status = FINE;
    if (w->end - at >= 3 && memcmp(at, "!--", 3) == 0) {
        return skip_comment(at + 3, w->end);
    }
    if (w->drawing && w->end - at >= 8 && memcmp(at, "![CDATA[", 8) == 0) {
        *status = DOUBT;
        return NULL;
    }
    return skip_past(at, w->end, '>');
}

/* Go on behind a tag of which only a tree could say what it means: as if nothing were open around it. */
static const char *past_doubt(Walk *w, Span name, const char *at, int is_end, int *status)
{
    Attributes ignored;
    Span content;
    w->doubts++;
    w->templates = w->links_in_template = w->is_in_select = w->tables = w->drawing = w->has_form = w->is_in_head = 0;
    w->noscripts = 0;
    *status = FINE;
    if (is_end) {
        return read_attributes(at, w->end, 0, &ignored);
    }
    w->is_again = 1;
    const char *behind = start_tag(w, name, at, status);
    w->is_again = 0;
    if (behind != NULL || *status != DOUBT) {
        return behind;
    }
    *status = FINE;
    w->drawing = 0;
    at = read_attributes(at, w->end, 0, &ignored);
    return at ? read_raw(w, id_of(tag_slots, name.at, name.size, w->end), at, &content) : NULL;
}

/* To the end, or in a part of a text to `rest`: the first tag that does not end in it. */
static int walk(Walk *w, const char *at)
{
    enum { LONGEST_START = 9 };  /* of what a < begins: ![CDATA[ */
    int status = FINE;
    const char *less;
    while (at < w->end && (less = memchr(at, '<', (size_t)(w->end - at))) != NULL) {
        if (w->is_in_head && w->embeds && !is_blank(at, less)) {
            w->is_in_head = 0;
        }
        if (w->notes && !w->templates && !w->noscripts) {
            w->page->word_count += count_words(at, less, w->end);
        }
        w->rest = less;
        at = less + 1;
        if (at >= w->end || (w->is_partial && w->end - at < LONGEST_START)) {
            return FINE;
        }
        int is_end = *at == '/';
        const char *name = at + is_end;
        if (name < w->end && is_letter(*name)) {
            for (at = name + 1; at < w->end && !IS(*at, TAG_NAME_END); at++) {
            }
            Span span = {name, at - name};
            const char *name_end = at;
            at = is_end ? end_tag(w, span, at, &status) : start_tag(w, span, at, &status);
            if (at == NULL && status == DOUBT && w->is_lenient) {
                at = past_doubt(w, span, name_end, is_end, &status);
            }
            if (at == NULL) {
                return status;
            }
        } else if (*at == '!' || *at == '?' || (is_end && name < w->end)) {
            const char *behind = declaration(w, at, &status);
            if (behind == NULL && status == DOUBT && w->is_lenient) {
                w->doubts++;
                status = FINE;
                behind = skip_past(at, w->end, '>');
            }
            if (behind == NULL || (w->is_partial && behind == w->end)) {
                return status;
            }
            at = behind;
        } else if (w->is_in_head) {
            w->is_in_head = 0;
        }
    }
    if (w->is_in_head && at < w->end && !is_blank(at, w->end)) {
        w->is_in_head = 0;  /* for the part that follows */
    }
    if (w->notes && !w->templates && !w->noscripts && at < w->end) {
        w->page->word_count += count_words(at, w->end, w->end);
    }
    w->rest = w->end;
    return FINE;
}

/* ---- The module ------------------------------------------------------------------------------------------------- */

static void page_dealloc(Page *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->text);
    Py_XDECREF(self->kept);
    Py_XDECREF(self->title);
    Py_XDECREF(self->base);
    Py_XDECREF(self->metas);
    Py_XDECREF(self->styles);
    Py_XDECREF(self->lazies);
    Py_XDECREF(self->scripts);
    Py_XDECREF(self->srcdocs);
    Py_XDECREF(self->h1);
    Py_XDECREF(self->language);
    Py_XDECREF(self->relations);
    Py_XDECREF(self->insecure);
    PyMem_Free(self->links);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyMemberDef page_members[] = {
    {"title", T_OBJECT, offsetof(Page, title), READONLY, "text of the first title, with references, or None"},
    {"base", T_OBJECT, offsetof(Page, base), READONLY, "href of the first base element, or None"},
    {"metas", T_OBJECT, offsetof(Page, metas), READONLY, "(name, content, http-equiv) of those with content, or None; without notes, of those that may count"},
    {"styles", T_OBJECT, offsetof(Page, styles), READONLY, "(is an element's text, CSS), or None"},
    {"lazies", T_OBJECT, offsetof(Page, lazies), READONLY, "(index in LAZY_PLACES, value), or None"},
    {"scripts", T_OBJECT, offsetof(Page, scripts), READONLY, "texts of JSON-LD, or None"},
    {"srcdocs", T_OBJECT, offsetof(Page, srcdocs), READONLY, "pages within iframes, or None"},
    {"link_count", T_PYSSIZET, offsetof(Page, link_count), READONLY, "links in attributes, as often as they are there"},
    {"has_nofollow", T_BOOL, offsetof(Page, has_nofollow), READONLY, "whether a link is rel=nofollow"},
    {"has_script", T_BOOL, offsetof(Page, has_script), READONLY, "whether a script stands in the page"},
    {"has_template", T_BOOL, offsetof(Page, has_template), READONLY, "whether there is a template"},
    {"h1", T_OBJECT, offsetof(Page, h1), READONLY, "the first heading, or None; this and the following with notes only"},
    {"language", T_OBJECT, offsetof(Page, language), READONLY, "lang of the html element, or None"},
    {"relations", T_OBJECT, offsetof(Page, relations), READONLY, "(rel, hreflang, href) of link elements, or None"},
    {"insecure", T_OBJECT, offsetof(Page, insecure), READONLY, "what is loaded by http:, or None"},
    {"h1_count", T_PYSSIZET, offsetof(Page, h1_count), READONLY, "h1 elements"},
    {"image_count", T_PYSSIZET, offsetof(Page, image_count), READONLY, "img elements"},
    {"bare_image_count", T_PYSSIZET, offsetof(Page, bare_image_count), READONLY, "those without alt"},
    {"word_count", T_PYSSIZET, offsetof(Page, word_count), READONLY, "words, about"},
    {"script_count", T_PYSSIZET, offsetof(Page, script_count), READONLY, "scripts that are run"},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef page_methods[] = {
    {"take_links", (PyCFunction)page_take_links, METH_VARARGS, take_links_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot page_slots[] = {
    {Py_tp_dealloc, page_dealloc},
    {Py_tp_members, page_members},
    {Py_tp_methods, page_methods},
    {Py_tp_doc, "What a walk through a page found."},
    {0, NULL},
};

static PyType_Spec page_spec = {
    .name = "weft.parse._scan.Page",
    .basicsize = sizeof(Page),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = page_slots,
};

static Page *new_page(PyTypeObject *type, PyObject *text)
{
    Page *page = (Page *)type->tp_alloc(type, 0);
    if (page != NULL) {
        page->text = Py_NewRef(text);
    }
    return page;
}

static void begin_walk(Walk *w, int embeds, PyObject *notes, PyObject *decode, PyObject *rel)
{
    memset(w, 0, offsetof(Walk, table));
    w->embeds = embeds;
    w->notes = notes != Py_None;
    w->decode = decode;
    w->rel_place = rel;
    w->decode_text = notes;
    w->is_in_head = 1;
}

static int walk_through(Walk *w, Page *page, const char *start, Py_ssize_t size)
{
    w->page = page;
    page->end = start + size;
    w->end = start + size;
    w->rest = start;
    w->has_odd_bytes = memchr(start, '\r', (size_t)size) != NULL || memchr(start, 0, (size_t)size) != NULL;
    return walk(w, start);
}

PyDoc_STRVAR(scan_doc,
"scan(text, embeds, decode_text, decode, rel_place, /)\n--\n\n"
"Walk through a page. None when only its tree can say what it holds. With `decode_text`, what the page says of itself\n"
"is noted; it resolves rare references.");

static PyObject *scan(PyObject *module, PyObject *args)
{
    PyObject *text, *notes, *decode, *rel;
    int embeds;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "UpOOO:scan", &text, &embeds, &notes, &decode, &rel)) {
        return NULL;
    }
    const char *start = PyUnicode_AsUTF8AndSize(text, &size);
    if (start == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
            return NULL;
        }
        PyErr_Clear();  /* half a surrogate pair */
        return Py_NewRef(Py_None);
    }
    Page *page = new_page(((State *)PyModule_GetState(module))->page, text);
    if (page == NULL) {
        return NULL;
    }
    Walk w;
    begin_walk(&w, embeds, notes, decode, rel);
    int status = walk_through(&w, page, start, size);
    if (status == FINE) {
        return (PyObject *)page;
    }
    Py_DECREF(page);
    return status == DOUBT ? Py_NewRef(Py_None) : NULL;
}

/* ---- A text in parts -------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyTypeObject *page_type;
    PyObject *notes, *decode, *rel_place;  /* the walk borrows them */
    Walk walk;
} Scanner;

static PyObject *scanner_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *notes, *decode, *rel;
    int embeds;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "Scanner takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "pOOO:Scanner", &embeds, &notes, &decode, &rel)) {
        return NULL;
    }
    State *state = PyType_GetModuleState(type);
    Scanner *self = state ? (Scanner *)type->tp_alloc(type, 0) : NULL;
    if (self != NULL) {
        self->page_type = (PyTypeObject *)Py_NewRef(state->page);
        self->notes = Py_NewRef(notes);
        self->decode = Py_NewRef(decode);
        self->rel_place = Py_NewRef(rel);
        begin_walk(&self->walk, embeds, notes, decode, rel);
        self->walk.is_lenient = 1;
    }
    return (PyObject *)self;
}

static void scanner_dealloc(Scanner *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->page_type);
    Py_XDECREF(self->notes);
    Py_XDECREF(self->decode);
    Py_XDECREF(self->rel_place);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

PyDoc_STRVAR(feed_doc,
"feed(part, is_last, /)\n--\n\n"
"Walk through the next part of a text in UTF-8. What was found in it, and how many of its bytes need not come again:\n"
"the rest, which is the beginning of something, goes before the next part.");

static PyObject *scanner_feed(Scanner *self, PyObject *args)
{
    PyObject *part;
    int is_last;
    if (!PyArg_ParseTuple(args, "Sp:feed", &part, &is_last)) {
        return NULL;
    }
    Page *page = new_page(self->page_type, part);
    if (page == NULL) {
        return NULL;
    }
    const char *start = PyBytes_AS_STRING(part);
    self->walk.is_partial = !is_last;
    int status = walk_through(&self->walk, page, start, PyBytes_GET_SIZE(part));
    self->walk.page = NULL;
    if (status != FINE) {
        Py_DECREF(page);
        return NULL;
    }
    return Py_BuildValue("(Nn)", page, is_last ? PyBytes_GET_SIZE(part) : self->walk.rest - start);
}

static PyMemberDef scanner_members[] = {
    {"doubts", T_PYSSIZET, offsetof(Scanner, walk) + offsetof(Walk, doubts), READONLY,
     "tags so far of which only a tree could say what they mean"},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef scanner_methods[] = {
    {"feed", (PyCFunction)scanner_feed, METH_VARARGS, feed_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot scanner_slots[] = {
    {Py_tp_new, scanner_new},
    {Py_tp_dealloc, scanner_dealloc},
    {Py_tp_members, scanner_members},
    {Py_tp_methods, scanner_methods},
    {Py_tp_doc, "Walks through a page that comes in parts and is too large for a tree."},
    {0, NULL},
};

static PyType_Spec scanner_spec = {
    .name = "weft.parse._scan.Scanner",
    .basicsize = sizeof(Scanner),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = scanner_slots,
};

/* ---- The module's parts ----------------------------------------------------------------------------------------- */

static const char *name_of(const Name *names, int id)
{
    while (names->id != id) {
        names++;
    }
    return names->name;
}

static int add_places(PyObject *module, const char *name, const Place *places, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++) {
        PyObject *pair = Py_BuildValue("(ss)", name_of(TAG_NAMES, places[i].tag),
                                       name_of(ATTRIBUTE_NAMES, places[i].attribute));
        if (pair == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, pair);
    }
    int status = PyModule_AddObjectRef(module, name, tuple);
    Py_XDECREF(tuple);
    return status;
}

static int module_exec(PyObject *module)
{
    PyObject *name = PyUnicode_FromString("weft.parse._scan");
    if (name == NULL) {
        return -1;
    }
    hash_secret = ((uint64_t)PyObject_Hash(name) * 0x9E3779B97F4A7C15u) | 1;
    Py_DECREF(name);
    fill_tables();
    fill_plain();
    State *state = PyModule_GetState(module);
    state->page = (PyTypeObject *)PyType_FromModuleAndSpec(module, &page_spec, NULL);
    if (state->page == NULL || PyModule_AddType(module, state->page) < 0) {
        return -1;
    }
    state->scanner = (PyTypeObject *)PyType_FromModuleAndSpec(module, &scanner_spec, NULL);
    if (state->scanner == NULL || PyModule_AddType(module, state->scanner) < 0) {
        return -1;
    }
    state->reported = (PyTypeObject *)PyType_FromModuleAndSpec(module, &reported_spec, NULL);
    if (state->reported == NULL || PyModule_AddType(module, state->reported) < 0) {
        return -1;
    }
    if (add_places(module, "PLACES", PLACES, PLACE_COUNT) < 0) {
        return -1;
    }
    return add_places(module, "LAZY_PLACES", LAZY_PLACES, LAZY_COUNT);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->page);
    Py_VISIT(state->scanner);
    Py_VISIT(state->reported);
    return 0;
}

static int module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->page);
    Py_CLEAR(state->scanner);
    Py_CLEAR(state->reported);
    return 0;
}

static PyMethodDef module_methods[] = {
    {"scan", scan, METH_VARARGS, scan_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_scan",
    .m_doc = "The links of a page, found without building its tree.",
    .m_size = sizeof(State),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__scan(void)
{
    return PyModuleDef_Init(&module_def);
}
