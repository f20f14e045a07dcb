/* What a walk through a page found, and its links made canonical: for `_scan.c` alone.
 *
 * Resolving does the plain cases of url/resolve.py, and asks Python for the others. What is changed there must be changed
 * here; tests/parse/test_scan_same.py compares.
 */
#ifndef WEFT_LINKS_H
#define WEFT_LINKS_H

#include "_places.h"
#include "_reported.h"
#include "_words.h"

enum { FINE = 0, DOUBT = 1, FAILED = -1 };
enum { LONGEST_ORIGIN = 269 };  /* LONGEST_ORIGIN_CHARS of url/canonical.py */

/* ---- What a walk gives ------------------------------------------------------------------------------------------ */

typedef struct {
    Span href;
    const char *label;  /* what it says: markup that begins here, or a value of `label_size`; NULL for nothing */
    int label_size;     /* -1: markup */
    unsigned char place;
    unsigned char is_nofollow;
    unsigned char rels;  /* bits of REL_WORDS */
} Link;

typedef struct {
    PyObject_HEAD
    PyObject *text;  /* spans point into it … */
    PyObject *kept;  /* … and into these strings */
    Link *links;
    Py_ssize_t link_count, link_room;
    PyObject *title, *base, *metas, *styles, *lazies, *scripts, *srcdocs;
    char has_nofollow;
    char has_script, has_template;  /* wherever: scripts without src */
    /* Only with notes: */
    const char *end;  /* of the text */
    PyObject *h1, *language, *relations, *insecure;
    Py_ssize_t h1_count, image_count, bare_image_count, word_count, script_count;
} Page;

typedef struct {
    PyTypeObject *page, *scanner, *reported;
} State;

static int keep(Page *page, PyObject *string)
{
    if (page->kept == NULL && (page->kept = PyList_New(0)) == NULL) {
        return FAILED;
    }
    return PyList_Append(page->kept, string);
}

static int is_letter_or_digit(unsigned char c)
{
    return (c >= '0' && c <= '9') || (LOWER(c) >= 'a' && LOWER(c) <= 'z');
}

enum { MAX_ANCHOR_CHARS = 200, MAX_STACK_URL = 1024 };

/* A piece of markup or a value as words, with a byte before them if it is not negative; NULL without an error: none. */
static PyObject *words_from(const char *at, const char *end, int is_markup, Py_ssize_t most_chars, int first,
                            PyObject *decode_text)
{
    char room[1 + MAX_WORDS_BYTES];
    int is_link = first >= 0;
    Words w = {.to = room + 1, .most_chars = most_chars, .ends_at_links = is_link};
    room[0] = (char)first;
    is_markup ? read_words(&w, at, end) : add_text(&w, at, end);
    if (w.has_rare) {
        w = (Words){.to = room + 1, .most_chars = MAX_RAW_CHARS, .keeps_references = 1, .ends_at_links = is_link};
        is_markup ? read_words(&w, at, end) : add_text(&w, at, end);
        PyObject *said = PyObject_CallFunction(decode_text, "s#ni", room + !is_link, w.size + is_link, most_chars,
                                               is_link);
        if (said != NULL && PyUnicode_Check(said) && PyUnicode_GET_LENGTH(said) == is_link) {
            Py_CLEAR(said);
        }
        return said;
    }
    w.size -= w.size && room[w.size] == ' ';  /* where it was cut */
    return w.size ? PyUnicode_FromStringAndSize(room + !is_link, w.size + is_link) : NULL;
}

/* ---- Resolving -------------------------------------------------------------------------------------------------- */

typedef struct {
    Span href;
    uint64_t hash;
    PyObject *url;  /* NULL: not looked up; None: broken */
    short place;    /* the one it was last taken in with, or -1 */
    char is_vouched;
    char has_label;  /* what it says is noted */
    unsigned char rels;  /* that all of these links have, as far as they are noted */
} Known;

typedef struct {
    PyObject *places, *vouched, *resolve, *is_canonical, *place_objects, *split;  /* borrowed */
    PyObject *said, *decode_text;  /* borrowed; `said` is NULL if nobody asks */
    const char *marks;  /* the bits of each place */
    const char *end;
    Py_ssize_t most_said;
    PyObject *base;
    Span url;          /* the base */
    Py_ssize_t page_size, root_size, folder_size;  /* without its query; its origin and /; to its last / */
    Known *known;
    size_t known_count, mask, expected;
    Span canonical[4];  /* origins that are known to be canonical */
    unsigned canonical_count;
    int has_plain_base;
    const Reported *reported;  /* links that need not be taken in, if reported at `depth` or nearer; NULL: all are */
    long depth;
} Taking;

/* The same characters as _PLAIN in url/resolve.py. */
static unsigned char is_plain[256], is_plain_in_query[256];

static void fill_plain(void)
{
    for (int c = 0; c < 128; c++) {
        is_plain[c] = is_letter_or_digit((unsigned char)c) || (c != 0 && strchr("_-.~!$&()*+,;=@%/", c) != NULL);
        is_plain_in_query[c] = is_plain[c] || c == ':' || c == '?';
    }
}

/* Whether a path, with its query, is one that no URL parser changes. */
static int is_plain_rest(const char *at, const char *end)
{
    if (at < end && (*at == '.' || *at == '/')) {
        return 0;
    }
    const char *start = at;
    while (at < end && is_plain[(unsigned char)*at]) {
        at++;
    }
    if (at < end && *at == '?') {
        for (at++; at < end && is_plain_in_query[(unsigned char)*at]; at++) {
        }
    }
    if (at != end) {
        return 0;
    }
    for (at = start; (at = memchr(at, '/', (size_t)(end - at))) != NULL; at++) {
        if (at + 1 < end && at[1] == '.') {
            return 0;
        }
    }
    for (at = start; (at = memchr(at, '%', (size_t)(end - at))) != NULL; at++) {
        if (end - at >= 3 && at[1] == '2' && LOWER(at[2]) == 'e') {
            return 0;
        }
    }
    return 1;
}

/* The folder that this many ../ lead to from the base's own. */
static Py_ssize_t climbed(const Taking *t, Py_ssize_t ups)
{
    Py_ssize_t size = t->folder_size;
    for (; ups > 0 && size > t->root_size; ups--) {
        do {
            size--;
        } while (t->url.at[size - 1] != '/');
    }
    return size;
}

/* Whether a URL's origin, with its slash, is written as in canonical ones. */
static int has_canonical_origin(Taking *t, Span origin)
{
    if (origin.size == t->root_size && memcmp(origin.at, t->url.at, (size_t)origin.size) == 0) {
        return 1;
    }
    for (unsigned i = 0; i < t->canonical_count && i < 4; i++) {
        if (t->canonical[i].size == origin.size
            && memcmp(t->canonical[i].at, origin.at, (size_t)origin.size) == 0) {
            return 1;
        }
    }
    if (origin.size > LONGEST_ORIGIN) {
        return 0;
    }
    PyObject *string = PyUnicode_FromStringAndSize(origin.at, origin.size);
    PyObject *answer = string ? PyObject_CallOneArg(t->is_canonical, string) : NULL;
    Py_XDECREF(string);
    if (answer == NULL) {
        return FAILED;
    }
    int is_canonical = answer == Py_True;
    Py_DECREF(answer);
    if (is_canonical) {
        t->canonical[t->canonical_count++ % 4] = origin;
    }
    return is_canonical;
}

/* A URL in two pieces. */
typedef struct {
    Span start, rest;
} Joined;

/* The URL of a link without fragment, as Resolver.resolve has it, in the plain cases: 1; 0: Python knows. */
static int resolve_plain(Taking *t, Span href, Joined *url)
{
    const char *end = href.at + href.size;
    if (!t->has_plain_base) {
        return 0;
    }
    *url = (Joined){t->url, {end, 0}};
    if (href.size == 0) {
        return 1;
    }
    if (*href.at == '?') {
        *url = (Joined){{t->url.at, t->page_size}, href};
        return is_plain_rest(href.at, end);
    }
    if (*href.at == '/') {
        *url = (Joined){{t->url.at, t->root_size}, {href.at + 1, href.size - 1}};
        return is_plain_rest(href.at + 1, end);
    }
    if (href.size > 9 && LOWER(*href.at) == 'h') {
        const char *slash = memchr(href.at + 8, '/', (size_t)(href.size - 8));
        if (slash != NULL && memchr(href.at, ':', 6) != NULL) {
            *url = (Joined){href, {end, 0}};
            return is_plain_rest(slash + 1, end) ? has_canonical_origin(t, (Span){href.at, slash + 1 - href.at}) : 0;
        }
    }
    const char *rest = href.at;
    Py_ssize_t ups = 0;
    for (; end - rest >= 3 && memcmp(rest, "../", 3) == 0; ups++) {
        rest += 3;
    }
    if (!is_plain_rest(rest, end) || (ups && rest < end && *rest == '?')) {
        return 0;
    }
    *url = (Joined){{t->url.at, climbed(t, ups)}, {rest, end - rest}};
    return 1;
}

static PyObject *resolve_by_python(const Taking *t, Span href)
{
    PyObject *string = PyUnicode_FromStringAndSize(href.at, href.size);
    if (string == NULL) {
        return NULL;
    }
    PyObject *url = PyObject_CallOneArg(t->resolve, string);
    Py_DECREF(string);
    return url;
}

static void join(char *to, const Joined *url)
{
    memcpy(to, url->start.at, (size_t)url->start.size);
    memcpy(to + url->start.size, url->rest.at, (size_t)url->rest.size);
}

static int is_reported(const Taking *t, Span url)
{
    long depth = reported_at(t->reported, url);
    return depth != NOT_REPORTED && depth <= t->depth;
}

/* The URL of a link without fragment; None if it is broken, or need not be taken in. */
static PyObject *resolved(Taking *t, Span href)
{
    Joined parts;
    int is_plain_url = resolve_plain(t, href, &parts);
    if (is_plain_url == FAILED) {
        return NULL;
    }
    if (!is_plain_url) {
        PyObject *url = resolve_by_python(t, href);
        if (url != NULL && t->reported != NULL && PyUnicode_Check(url)) {
            Span span = url_span(url);
            if (span.size && is_reported(t, span)) {
                Py_DECREF(url);
                return Py_NewRef(Py_None);
            }
        }
        return url;
    }
    Py_ssize_t size = parts.start.size + parts.rest.size;
    char room[MAX_STACK_URL];
    if (t->reported != NULL && size <= MAX_STACK_URL) {
        join(room, &parts);
        if (is_reported(t, (Span){room, size})) {
            return Py_NewRef(Py_None);
        }
    }
    PyObject *url = PyUnicode_New(size, 127);
    if (url != NULL) {
        join((char *)PyUnicode_1BYTE_DATA(url), &parts);
    }
    return url;
}

static int grow_known(Taking *t)
{
    size_t room = t->mask ? 2 * (t->mask + 1) : 16;
    while (room < 1024 && room < 2 * t->expected) {
        room *= 2;
    }
    Known *known = PyMem_Calloc(room, sizeof *known);
    if (known == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    for (size_t i = 0; t->known != NULL && i <= t->mask; i++) {
        if (t->known[i].url != NULL) {
            size_t to = t->known[i].hash & (room - 1);
            while (known[to].url != NULL) {
                to = (to + 1) & (room - 1);
            }
            known[to] = t->known[i];
        }
    }
    PyMem_Free(t->known);
    t->known = known;
    t->mask = room - 1;
    return FINE;
}

/* The entry of a link; its url is NULL if it is new. */
static Known *known_for(const Taking *t, Span href)
{
    uint64_t hash = hash_of(href);
    size_t i = hash & t->mask;
    while (t->known[i].url != NULL
           && !(t->known[i].hash == hash && t->known[i].href.size == href.size
                && memcmp(t->known[i].href.at, href.at, (size_t)href.size) == 0)) {
        i = (i + 1) & t->mask;
    }
    t->known[i].hash = hash;
    return &t->known[i];
}

static long rank_of(PyObject *place)
{
    return PyLong_AsLong(PyTuple_GET_ITEM(place, 0));
}

static int is_embed_place(int place)
{
    return place == PLACE_COUNT || PLACES[place].is_embed;
}

enum { MARK_OF_ANCHOR = 0, MARK_OF_RELATION = 6 };  /* said.py: Place */

/* Note what a link says: a character that is its mark, then its words. Of a URL that is noted already, the first words
 * stay, and of rel what both have; `wins` says whether this place counts.
 */
static int note_link(Taking *t, Known *known, const Link *link, int mark, int wins)
{
    PyObject *before = PyDict_GetItemWithError(t->said, known->url);
    if (before == NULL && (PyErr_Occurred() || PyDict_GET_SIZE(t->said) >= t->most_said)) {
        return PyErr_Occurred() ? FAILED : FINE;
    }
    int bits = mark | link->rels;
    if (before != NULL) {
        int old = (int)PyUnicode_READ_CHAR(before, 0);
        if (old != MARK_OF_RELATION || mark != MARK_OF_ANCHOR) {  /* what a visitor can follow counts */
            bits = (old & link->rels & ~7) | ((wins ? mark : old) & 7);
        }
        known->has_label = PyUnicode_GET_LENGTH(before) > 1;
    }
    known->rels = (unsigned char)(bits & ~7);
    PyObject *said = NULL;
    if (!known->has_label && link->label != NULL) {
        const char *end = link->label_size < 0 ? t->end : link->label + link->label_size;
        said = words_from(link->label, end, link->label_size < 0, MAX_ANCHOR_CHARS, bits, t->decode_text);
        if (said == NULL && PyErr_Occurred()) {
            return FAILED;
        }
        known->has_label = said != NULL;
    }
    if (said == NULL) {
        if (before != NULL && (int)PyUnicode_READ_CHAR(before, 0) == bits) {
            return FINE;
        }
        PyObject *first = PyUnicode_FromOrdinal(bits);
        PyObject *rest = before ? PyUnicode_Substring(before, 1, PY_SSIZE_T_MAX) : Py_NewRef(Py_None);
        said = first == NULL || rest == NULL ? NULL : before ? PyUnicode_Concat(first, rest) : Py_NewRef(first);
        Py_XDECREF(first);
        Py_XDECREF(rest);
        if (said == NULL) {
            return FAILED;
        }
    }
    int status = PyDict_SetItem(t->said, known->url, said);
    Py_DECREF(said);
    return status;
}

/* Take in one link: as page_links.py does, but each only once for a place. */
static int take_link(Taking *t, Span href, const Link *link)
{
    int place = link->place;
    int is_new = 0, wins = 0;
    const char *hash_mark = memchr(href.at, '#', (size_t)href.size);
    if (hash_mark != NULL) {
        /* A space in front of it belongs to the URL; without it, it would be one at the end, which does not. */
        int is_behind_space = hash_mark > href.at && (unsigned char)hash_mark[-1] <= ' ';
        href.size = hash_mark - href.at + is_behind_space;
    }
    if (2 * t->known_count > t->mask && grow_known(t) != FINE) {
        return FAILED;
    }
    Known *known = known_for(t, href);
    if (known->url == NULL) {
        if (href.size == 0 && is_embed_place(place)) {
            return FINE;  /* a part of this document, whatever its base */
        }
        PyObject *url = resolved(t, href);
        if (url == NULL) {
            return FAILED;
        }
        known->href = href;
        known->url = url;
        known->place = -1;
        known->is_vouched = 0;
        t->known_count++;
        is_new = 1;
    }
    if (known->url == Py_None) {
        return FINE;
    }
    if (known->place != place) {
        PyObject *object = PyTuple_GET_ITEM(t->place_objects, place);
        PyObject *before = PyDict_GetItemWithError(t->places, known->url);
        if (before == NULL && PyErr_Occurred()) {
            return FAILED;
        }
        if (before == NULL || (before != object && rank_of(object) < rank_of(before))) {
            wins = before != NULL;
            if (PyDict_SetItem(t->places, known->url, object) < 0) {
                return FAILED;
            }
        }
        known->place = (short)place;
    }
    if (t->said != NULL
        && (is_new || wins || known->rels & ~link->rels || (!known->has_label && link->label != NULL))
        && note_link(t, known, link, t->marks[place], wins) != FINE) {
        return FAILED;
    }
    if (t->vouched != Py_None && !link->is_nofollow && !known->is_vouched) {
        known->is_vouched = 1;
        return PySet_Add(t->vouched, known->url);
    }
    return FINE;
}

static int take_list(Taking *t, Page *page, const Link *link)
{
    PyObject *hrefs = PyObject_CallFunction(t->split, "is#", (int)link->place, link->href.at, link->href.size);
    if (hrefs == NULL || !PyList_Check(hrefs)) {
        if (hrefs != NULL) {
            PyErr_SetString(PyExc_TypeError, "split must give a list");
        }
        Py_XDECREF(hrefs);
        return FAILED;
    }
    int status = keep(page, hrefs);
    Py_DECREF(hrefs);
    for (Py_ssize_t i = 0; status == FINE && i < PyList_GET_SIZE(hrefs); i++) {
        Span href;
        href.at = PyUnicode_AsUTF8AndSize(PyList_GET_ITEM(hrefs, i), &href.size);
        status = href.at ? take_link(t, href, link) : FAILED;
    }
    return status;
}

static int read_base(Taking *t)
{
    t->url.at = PyUnicode_AsUTF8AndSize(t->base, &t->url.size);
    if (t->url.at == NULL) {
        return FAILED;
    }
    if (!PyUnicode_IS_ASCII(t->base) || t->url.size < 10 || t->url.at[0] != 'h') {  /* ftp: by Python */
        return FINE;
    }
    const char *slash = memchr(t->url.at + 8, '/', (size_t)(t->url.size - 8));
    if (slash == NULL) {
        return FINE;
    }
    const char *question = memchr(t->url.at, '?', (size_t)t->url.size);
    t->page_size = question ? question - t->url.at : t->url.size;
    t->root_size = slash + 1 - t->url.at;
    t->folder_size = t->page_size;
    while (t->folder_size > 0 && t->url.at[t->folder_size - 1] != '/') {
        t->folder_size--;
    }
    t->has_plain_base = t->folder_size >= t->root_size;
    return FINE;
}

PyDoc_STRVAR(take_links_doc,
"take_links(places, vouched, base, resolve, is_canonical, place_objects, split,\n"
"           said, most_said, marks, decode_text, reported, depth, /)\n--\n\n"
"Resolve the links against the base and put them into `places`, and into `vouched` those that are not nofollow. If\n"
"`said` is no None, it gets for up to `most_said` URLs a character, which is the link's mark, and what the link says.\n"
"If `reported` is no None, links that it has at this depth or nearer are left out.");

static PyObject *page_take_links(Page *self, PyObject *args)
{
    Taking t = {0};
    Py_ssize_t mark_count;
    PyObject *reported;
    if (!PyArg_ParseTuple(args, "O!OUOOO!OOny#OOl:take_links", &PyDict_Type, &t.places, &t.vouched, &t.base, &t.resolve,
                          &t.is_canonical, &PyTuple_Type, &t.place_objects, &t.split, &t.said, &t.most_said, &t.marks,
                          &mark_count, &t.decode_text, &reported, &t.depth)) {
        return NULL;
    }
    if (reported != Py_None) {
        if (!Py_IS_TYPE(reported, ((const State *)PyType_GetModuleState(Py_TYPE(self)))->reported)) {
            PyErr_SetString(PyExc_TypeError, "reported must be a Reported or None");
            return NULL;
        }
        t.reported = (const Reported *)reported;
    }
    if (t.said == Py_None || !PyDict_Check(t.said)) {
        t.said = NULL;
    }
    t.end = self->end;
    if (PyTuple_GET_SIZE(t.place_objects) != PLACE_COUNT + 1 || mark_count != PLACE_COUNT + 1) {
        PyErr_SetString(PyExc_ValueError, "place_objects does not fit PLACES");
        return NULL;
    }
    t.expected = (size_t)self->link_count;
    int status = read_base(&t);
    if (status == FINE) {
        status = grow_known(&t);
    }
    for (Py_ssize_t i = 0; status == FINE && i < self->link_count; i++) {
        const Link *link = &self->links[i];
        if (is_list_place(link->place)) {
            status = take_list(&t, self, link);
        } else {
            status = take_link(&t, link->href, link);
        }
    }
    for (size_t i = 0; t.known != NULL && i <= t.mask; i++) {
        Py_XDECREF(t.known[i].url);
    }
    PyMem_Free(t.known);
    return status == FINE ? Py_NewRef(Py_None) : NULL;
}

#endif
