/* The tags and style sheets of a page that may hold links, found in its bytes: what markup.py does, faster.
 *
 *     marker = Marker(places, css, Tag, Style, Edit)            what to look for: places.py says
 *     marker.read(body, hrefs, tags, mean)                      one walk through a page
 *         -> (edits, marks)    edits of links that are known, and all that must be looked at more closely
 *         -> None              "ask markup.py": something rare
 *
 * Most links of a site come again and again. A plain one is looked up in `hrefs`, or else `mean` says what it means; a
 * tag of another kind is looked up in `tags` as it stands. With None in their place nothing is known, and all is
 * marked. Marks and edits are what Python would have made; tests/mirror/test_rewrite_same.py compares both ways.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

#include "../parse/_tokens.h"

enum { FINE = 0, DOUBT = 1, FAILED = -1 };

/* ---- What to look for ------------------------------------------------------------------------------------------- */

/* What an element does to the way in which the page is read: the tables of markup.py. */
enum {
    RAW = 1, STYLE = 2, SCRIPT = 4, PLAINTEXT = 8, TEMPLATE = 16, SVG = 32, MATH = 64, HTML_IN_SVG = 128,
    HTML_IN_MATH = 256, ENDS_FOREIGN = 512, END_ENDS_FOREIGN = 1024, DOUBTFUL = 2048,
    FOREIGN = SVG | MATH,
};

static const struct {
    const char *names;
    unsigned flags;
} STRUCTURE[] = {
    {"title textarea xmp iframe noembed noframes style script", RAW},
    {"style", STYLE},
    {"script", SCRIPT},
    {"plaintext", PLAINTEXT},
    {"template", TEMPLATE},
    {"svg", SVG},
    {"math", MATH},
    {"foreignobject desc title", HTML_IN_SVG},
    {"mi mo mn ms mtext annotation-xml", HTML_IN_MATH},
    {"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
     " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var", ENDS_FOREIGN},
    {"p br", END_ENDS_FOREIGN},
    {"font annotation-xml", DOUBTFUL},  /* inside a drawing or formula their attributes count */
};

enum { MAX_ELEMENTS = 254, MAX_ATTRIBUTES = 62, MAX_DEPTH = 512 };
enum { MAX_REMEMBERED = 1024 };  /* characters of what is looked up; page.py keeps nothing longer */
/* An attribute: a link and nothing else; look closer; look closer if it has a URL; if it is that of a module. */
enum { NOTHING, LINK, CLOSER, CSS, MODULE };

typedef struct {
    PyObject *name;
    unsigned flags;
    char is_always;  /* look closer at every tag */
    unsigned char what[MAX_ATTRIBUTES + 1];
} Element;

typedef struct {
    PyObject_HEAD
    PyObject *kept;  /* names, which slots point to */
    PyTypeObject *tag, *style, *edit;
    int element_count, attribute_count;
    Element elements[MAX_ELEMENTS + 1];  /* 0: any other */
    Slot element_slots[SLOTS], attribute_slots[SLOTS];
} Marker;

static int add_name(Slot *slots, const char *name, int *count, int most)
{
    int size = (int)strlen(name);
    int id = id_of(slots, name, size, name + size);
    if (id) {
        return id;
    }
    if (*count == most) {
        PyErr_SetString(PyExc_ValueError, "too many names");
        return FAILED;
    }
    add_slot(slots, (Name){name, ++*count});
    return *count;
}

/* The element of this name, made if it is new; NULL with an exception. */
static Element *element_for(Marker *m, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || PyList_Append(m->kept, name) < 0) {
        return NULL;
    }
    int id = add_name(m->element_slots, text, &m->element_count, MAX_ELEMENTS);
    if (id < 0) {
        return NULL;
    }
    Element *element = &m->elements[id];
    if (element->name == NULL) {
        element->name = Py_NewRef(name);
        memcpy(element->what, m->elements[0].what, sizeof element->what);
    }
    return element;
}

static int attribute_for(Marker *m, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || PyList_Append(m->kept, name) < 0) {
        return FAILED;
    }
    return add_name(m->attribute_slots, text, &m->attribute_count, MAX_ATTRIBUTES);
}

static int add_css(Marker *m, PyObject *css)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(css); i++) {
        int id = attribute_for(m, PyTuple_GET_ITEM(css, i));
        if (id < 0) {
            return FAILED;
        }
        m->elements[0].what[id] = CSS;
    }
    return FINE;
}

static int add_places(Marker *m, PyObject *places)
{
    PyObject *name, *attributes, *attribute, *what;
    for (Py_ssize_t i = 0; PyDict_Next(places, &i, &name, &attributes);) {
        Element *element = element_for(m, name);
        if (element == NULL || !PyDict_Check(attributes)) {
            if (element != NULL) {
                PyErr_SetString(PyExc_TypeError, "places must be a dict of dicts");
            }
            return FAILED;
        }
        for (Py_ssize_t j = 0; PyDict_Next(attributes, &j, &attribute, &what);) {
            long value = PyLong_AsLong(what);
            if (value == -1 && PyErr_Occurred()) {
                return FAILED;
            }
            if (PyUnicode_GetLength(attribute) == 0) {
                element->is_always = 1;
                continue;
            }
            int id = attribute_for(m, attribute);
            if (id < 0) {
                return FAILED;
            }
            element->what[id] = (unsigned char)value;
        }
    }
    return FINE;
}

static int add_structure(Marker *m)
{
    for (size_t i = 0; i < sizeof STRUCTURE / sizeof STRUCTURE[0]; i++) {
        const char *at = STRUCTURE[i].names;
        while (*at) {
            size_t size = strcspn(at, " ");
            PyObject *name = PyUnicode_FromStringAndSize(at, (Py_ssize_t)size);
            Element *element = name ? element_for(m, name) : NULL;
            Py_XDECREF(name);
            if (element == NULL) {
                return FAILED;
            }
            element->flags |= STRUCTURE[i].flags;
            at += size;
            at += strspn(at, " ");
        }
    }
    return FINE;
}

/* ---- One walk --------------------------------------------------------------------------------------------------- */

typedef struct {
    const Marker *m;
    const char *text, *end;
    PyObject *hrefs, *tags, *mean;  /* borrowed; NULL: nothing is known */
    PyObject *edits, *marks;
    int templates;
    int depth;
    unsigned char open[MAX_DEPTH];  /* the elements that decide by whose rules to read: svg, foreignobject in it, … */
} Walk;

typedef struct {
    const Element *element;
    Span name;
    Span attributes;  /* from behind the name to the end of the last of them */
    int is_self_closing;
    int is_closer;
    int links;
    Attribute link;  /* the first */
} Tag;

static unsigned top_flags(const Walk *w)
{
    return w->depth ? w->m->elements[w->open[w->depth - 1]].flags : 0;
}

static int is_foreign(const Walk *w)
{
    return (top_flags(w) & FOREIGN) != 0;
}

/* An object of a subclass of tuple; takes the items, any of which may be NULL with an exception. */
static PyObject *made(PyTypeObject *type, int count, PyObject *const *items)
{
    PyObject *tuple = type->tp_alloc(type, count);
    int is_whole = tuple != NULL;
    for (int i = 0; i < count; i++) {
        is_whole = is_whole && items[i] != NULL;
        if (tuple != NULL) {
            PyTuple_SET_ITEM(tuple, i, items[i]);
        } else {
            Py_XDECREF(items[i]);
        }
    }
    if (!is_whole) {
        Py_CLEAR(tuple);
    }
    return tuple;
}

static int append_new(PyObject *list, PyObject *item)
{
    int status = item ? PyList_Append(list, item) : FAILED;
    Py_XDECREF(item);
    return status;
}

static PyObject *place(const Walk *w, const char *at)
{
    return PyLong_FromSsize_t(at - w->text);
}

static PyObject *as_string(Span text)
{
    return PyUnicode_DecodeASCII(text.at, text.size, "surrogateescape");
}

static int add_edit(Walk *w, PyObject *start, PyObject *end, PyObject *text)
{
    return append_new(w->edits, made(w->m->edit, 3, (PyObject *[]){start, end, text}));
}

static int mark_style(Walk *w, const char *start, const char *end, int has_references)
{
    size_t size = (size_t)(end - start);
    if (!memchr(start, '(', size) && !memchr(start, '@', size) && !memchr(start, '\\', size)
        && !(has_references && memchr(start, '&', size))) {
        return FINE;
    }
    PyObject *items[] = {place(w, start), place(w, end), PyBool_FromLong(has_references)};
    return append_new(w->marks, made(w->m->style, 3, items));
}

static int mark_tag(Walk *w, const Tag *tag)
{
    PyObject *name = Py_XNewRef(tag->element->name);
    if (name == NULL) {
        PyObject *as_it_stands = as_string(tag->name);
        if (as_it_stands == NULL) {
            return FAILED;
        }
        name = PyObject_CallMethod(as_it_stands, "lower", NULL);
        Py_DECREF(as_it_stands);
    }
    PyObject *items[] = {
        name, place(w, tag->attributes.at), place(w, tag->attributes.at + tag->attributes.size),
        PyBool_FromLong(w->templates > 0 || is_foreign(w)),
    };
    return append_new(w->marks, made(w->m->tag, 4, items));
}

/* Edits that are counted from where the attributes begin. */
static int add_known_edits(Walk *w, const Tag *tag, PyObject *known)
{
    Py_ssize_t start = tag->attributes.at - w->text;
    if (!PyTuple_Check(known)) {
        PyErr_SetString(PyExc_TypeError, "tags must have tuples");
        return FAILED;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(known); i++) {
        PyObject *edit = PyTuple_GET_ITEM(known, i);
        if (!PyTuple_Check(edit) || PyTuple_GET_SIZE(edit) != 3) {
            PyErr_SetString(PyExc_TypeError, "an edit has three parts");
            return FAILED;
        }
        Py_ssize_t from = PyLong_AsSsize_t(PyTuple_GET_ITEM(edit, 0));
        Py_ssize_t to = PyLong_AsSsize_t(PyTuple_GET_ITEM(edit, 1));
        if ((from == -1 || to == -1) && PyErr_Occurred()) {
            return FAILED;
        }
        if (add_edit(w, PyLong_FromSsize_t(start + from), PyLong_FromSsize_t(start + to),
                     Py_NewRef(PyTuple_GET_ITEM(edit, 2))) != FINE) {
            return FAILED;
        }
    }
    return FINE;
}

/* A tag that must be looked at more closely, or was before: with the character behind it, as page.py keeps it. */
static int take_tag(Walk *w, const Tag *tag)
{
    Py_ssize_t size = tag->name.size + tag->attributes.size + 1;
    if (w->tags == NULL || tag->element->is_always || size > MAX_REMEMBERED) {
        return mark_tag(w, tag);
    }
    PyObject *key = as_string((Span){tag->name.at, size});
    if (key == NULL) {
        return FAILED;
    }
    PyObject *known = Py_XNewRef(PyDict_GetItemWithError(w->tags, key));
    Py_DECREF(key);
    if (known == NULL) {
        return PyErr_Occurred() ? FAILED : mark_tag(w, tag);
    }
    int status = add_known_edits(w, tag, known);
    Py_DECREF(known);
    return status;
}

/* ---- Plain links ------------------------------------------------------------------------------------------------ */

enum { FIRST = 1, FURTHER = 2 };
static unsigned char plain[256];

/* The characters of _PLAIN_LINK in page.py. */
static void fill_plain(void)
{
    for (int c = 1; c < 128; c++) {
        int is_word = is_letter((char)c) || (c >= '0' && c <= '9') || c == '_';
        plain[c] = (unsigned char)((is_word || strchr("-~./", c) ? FIRST : 0)
                                   | (is_word || strchr("-~!$()*+,;=@%/?.:", c) ? FURTHER : 0));
    }
}

/* Whether a value is plain; `path` is what stands before its fragment. */
static int is_plain(Span value, Span *path)
{
    const char *at = value.at, *end = value.at + value.size;
    if (at < end && plain[(unsigned char)*at] & FIRST) {
        for (at++; at < end && plain[(unsigned char)*at] & FURTHER; at++) {
        }
    }
    *path = (Span){value.at, at - value.at};
    if (at < end && *at == '#') {
        for (at++; at < end && plain[(unsigned char)*at] & FURTHER; at++) {
        }
    }
    return at == end;
}

/* What a plain link becomes: a text, or None if it stays; NULL with an exception. */
static PyObject *meant_by(Walk *w, Span path)
{
    PyObject *key = PyUnicode_New(path.size, 127);
    if (key == NULL) {
        return NULL;
    }
    memcpy(PyUnicode_1BYTE_DATA(key), path.at, (size_t)path.size);
    PyObject *meant = Py_XNewRef(PyDict_GetItemWithError(w->hrefs, key));
    if (meant == NULL && !PyErr_Occurred()) {
        meant = PyObject_CallOneArg(w->mean, key);
        if (meant != NULL && PyDict_SetItem(w->hrefs, key, meant) < 0) {
            Py_CLEAR(meant);
        }
    }
    Py_DECREF(key);
    return meant;
}

static int is_safe_in_quotes(PyObject *text)
{
    const char *at = PyUnicode_IS_ASCII(text) ? (const char *)PyUnicode_1BYTE_DATA(text) : "&";
    return strpbrk(at, "&\"'<") == NULL && (Py_ssize_t)strlen(at) == PyUnicode_GET_LENGTH(text);
}

/* Put a text, and behind it the link's own fragment, in the place of a link. */
static int add_link_edit(Walk *w, Span value, PyObject *meant, Span fragment)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(meant);
    PyObject *text = fragment.size ? PyUnicode_New(size + fragment.size, 127) : Py_NewRef(meant);
    if (text != NULL && fragment.size) {
        char *to = (char *)PyUnicode_1BYTE_DATA(text);
        memcpy(to, PyUnicode_1BYTE_DATA(meant), (size_t)size);
        memcpy(to + size, fragment.at, (size_t)fragment.size);
    }
    return add_edit(w, place(w, value.at), place(w, value.at + value.size), text);
}

/* A tag that has one link, and nothing else to look at. */
static int take_link(Walk *w, const Tag *tag)
{
    Span value = tag->link.value, path;
    if (value.size >= 5 && is_same(value.at, "data:", 5)) {
        return FINE;  /* no link, and perhaps very long */
    }
    int has_quotes = tag->link.quote == '"' || tag->link.quote == '\'';
    if (w->hrefs == NULL || !has_quotes || value.size > MAX_REMEMBERED || !is_plain(value, &path)) {
        return take_tag(w, tag);
    }
    if (path.size == 0) {
        return FINE;  /* a place on the page itself */
    }
    PyObject *meant = meant_by(w, path);
    if (meant == NULL) {
        return FAILED;
    }
    int status = FINE;
    if (meant != Py_None) {
        Span fragment = {path.at + path.size, value.size - path.size};
        int is_safe = PyUnicode_Check(meant) && is_safe_in_quotes(meant);
        status = is_safe ? add_link_edit(w, value, meant, fragment) : mark_tag(w, tag);
    }
    Py_DECREF(meant);
    return status;
}

/* ---- Tags ------------------------------------------------------------------------------------------------------- */

static int may_have_url(Span css)
{
    for (Py_ssize_t i = 0; i < css.size; i++) {
        if (css.at[i] == '(' || css.at[i] == '@' || css.at[i] == '\\' || css.at[i] == '&') {
            return 1;
        }
    }
    return 0;
}

/* Whether it may be the type of a module or of an import map; a closer look does no harm. */
static int is_module(Span type)
{
    Py_ssize_t i = 0;
    while (i < type.size && (type.at[i] == ' ' || (type.at[i] >= '\t' && type.at[i] <= '\r'))) {
        i++;
    }
    return i < type.size && type.at[i] && strchr("mMiI&", type.at[i]) != NULL;
}

/* Read a start tag; `at` is behind its name. The place behind it, or NULL if the text ends before. */
static const char *read_tag(const Walk *w, const char *at, Tag *tag)
{
    Attribute found;
    tag->attributes = (Span){at, 0};
    tag->is_closer = tag->element->is_always;
    tag->links = 0;
    while ((at = next_attribute(at, w->end, &found, &tag->is_self_closing)) != NULL && found.name.at != NULL) {
        tag->attributes.size = at - tag->attributes.at;
        int id = id_of(w->m->attribute_slots, found.name.at, found.name.size, w->end);
        switch (id ? tag->element->what[id] : NOTHING) {
        case LINK:
            if (tag->links++ == 0) {
                tag->link = found;
            }
            break;
        case CLOSER:
            tag->is_closer = 1;
            break;
        case CSS:
            tag->is_closer = tag->is_closer || may_have_url(found.value);
            break;
        case MODULE:
            tag->is_closer = tag->is_closer || is_module(found.value);
            break;
        default:
            break;
        }
    }
    return at;
}

static void leave_foreign(Walk *w)
{
    while (is_foreign(w)) {
        w->depth--;
    }
}

/* Keep `open` true, and say whether the element is one of SVG or MathML. */
static int enter(Walk *w, const Tag *tag, int *is_drawn)
{
    unsigned flags = tag->element->flags;
    if (is_foreign(w)) {
        if (flags & DOUBTFUL) {
            return DOUBT;
        }
        if (flags & ENDS_FOREIGN) {
            leave_foreign(w);
        }
    }
    unsigned around = top_flags(w);
    *is_drawn = ((around | flags) & FOREIGN) != 0;
    int holds_html = (around & SVG && flags & HTML_IN_SVG) || (around & MATH && flags & HTML_IN_MATH);
    if ((flags & FOREIGN || holds_html) && !tag->is_self_closing && w->depth < MAX_DEPTH) {
        w->open[w->depth++] = (unsigned char)(tag->element - w->m->elements);
    }
    return FINE;
}

static const char *found_at(const char *at, const char *end, const char *what, size_t size)
{
    while ((size_t)(end - at) >= size && (at = memchr(at, *what, (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) >= size && memcmp(at, what, size) == 0) {
            return at;
        }
        at++;
    }
    return NULL;
}

static int is_cdata_at(const char *at, const char *end)
{
    return end - at >= 9 && memcmp(at, "<![CDATA[", 9) == 0;
}

/* The text of a style element in a drawing, in pieces up to the next tag. */
static const char *read_drawn_style(Walk *w, const char *at, int *status)
{
    for (;;) {
        const char *less = at < w->end ? memchr(at, '<', (size_t)(w->end - at)) : NULL;
        const char *stop = less ? less : w->end;
        if (stop > at && (*status = mark_style(w, at, stop, 1)) != FINE) {
            return NULL;
        }
        if (is_cdata_at(stop, w->end)) {
            const char *end = found_at(stop, w->end, "]]>", 3);
            if ((*status = mark_style(w, stop + 9, end ? end : w->end, 0)) != FINE) {
                return NULL;
            }
            if (end == NULL) {
                return w->end;
            }
            at = end + 3;
        } else if (w->end - stop >= 4 && memcmp(stop, "<!--", 4) == 0) {
            at = skip_comment(stop + 4, w->end);
        } else {
            return stop;
        }
    }
}

/* Whether a tag was taken for what stands in it. */
static int is_taken(const Tag *tag)
{
    return tag->is_closer || tag->links;
}

static int is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a script may name a file with a query, as _MAY_NAME in script.py has it: "a.png?v=3". */
static int may_name(const char *at, const char *end)
{
    enum { SHORTEST = 2, LONGEST = 11 };
    const char *start = at;
    while (at < end && (at = memchr(at, '?', (size_t)(end - at))) != NULL) {
        const char *before = at++;
        Py_ssize_t size = 0;
        while (before > start && size <= LONGEST && is_letter_or_digit(before[-1])) {
            before--;
            size++;
        }
        if (size >= SHORTEST && size <= LONGEST && before > start && before[-1] == '.') {
            return 1;
        }
    }
    return 0;
}

/* Go behind text that is no markup; gives where its end tag begins. */
static const char *read_raw(Walk *w, const Tag *tag, const char *at, int *status)
{
    unsigned flags = tag->element->flags;
    if (flags & PLAINTEXT) {
        return w->end;
    }
    if (flags & SCRIPT) {
        const char *end = script_end(at, w->end);
        *status = !is_taken(tag) && may_name(at, end) ? take_tag(w, tag) : FINE;
        return *status == FINE ? end : NULL;
    }
    Py_ssize_t size;
    const char *name = PyUnicode_AsUTF8AndSize(tag->element->name, &size);
    if (name == NULL) {
        *status = FAILED;
        return NULL;
    }
    const char *end = raw_end(at, w->end, name, size);
    if (flags & STYLE && (*status = mark_style(w, at, end, 0)) != FINE) {
        return NULL;
    }
    return end;
}

/* A start tag; `at` is behind its name. Gives the place to go on at, or NULL with *status set (FINE: it never ends). */
static const char *start_tag(Walk *w, Span name, const char *at, int *status)
{
    Tag tag;
    tag.name = name;
    tag.element = &w->m->elements[id_of(w->m->element_slots, name.at, name.size, w->end)];
    *status = FINE;
    at = read_tag(w, at, &tag);
    if (at == NULL) {
        return NULL;
    }
    if (tag.is_closer || tag.links > 1) {
        *status = take_tag(w, &tag);
    } else if (tag.links) {
        *status = take_link(w, &tag);
    }
    if (*status != FINE) {
        return NULL;
    }
    unsigned flags = tag.element->flags;
    if (!flags && !w->depth) {
        return at;
    }
    w->templates += (flags & TEMPLATE) != 0;
    int is_drawn;
    if ((*status = enter(w, &tag, &is_drawn)) != FINE) {
        return NULL;
    }
    if (is_drawn && flags & SCRIPT && !is_taken(&tag) && (*status = take_tag(w, &tag)) != FINE) {
        return NULL;  /* its text is markup, so nobody knows here what is in it */
    }
    if (is_drawn) {
        return flags & STYLE && !tag.is_self_closing ? read_drawn_style(w, at, status) : at;
    }
    return flags & (RAW | PLAINTEXT) ? read_raw(w, &tag, at, status) : at;
}

/* An end tag; the same. */
static const char *end_tag(Walk *w, Span name, const char *at)
{
    Attribute ignored;
    int is_self_closing;
    while ((at = next_attribute(at, w->end, &ignored, &is_self_closing)) != NULL && ignored.name.at != NULL) {
    }
    if (at == NULL || !(w->templates || w->depth)) {
        return at;
    }
    int id = id_of(w->m->element_slots, name.at, name.size, w->end);
    unsigned flags = w->m->elements[id].flags;
    w->templates -= w->templates && flags & TEMPLATE;
    if (flags & END_ENDS_FOREIGN) {
        leave_foreign(w);
    }
    for (int i = w->depth - 1; id && i >= 0; i--) {
        if (w->open[i] == id) {
            w->depth = i;
            break;
        }
    }
    return at;
}

/* What begins with <! or <? or is no end tag; `at` is behind the <. */
static const char *declaration(const Walk *w, const char *at)
{
    if (w->end - at >= 3 && memcmp(at, "!--", 3) == 0) {
        return skip_comment(at + 3, w->end);
    }
    if (is_foreign(w) && is_cdata_at(at - 1, w->end)) {
        const char *end = found_at(at, w->end, "]]>", 3);
        return end ? end + 3 : w->end;
    }
    return skip_past(at, w->end, '>');
}

static int walk(Walk *w)
{
    int status = FINE;
    const char *at = w->text;
    while (at < w->end && (at = memchr(at, '<', (size_t)(w->end - at))) != NULL && ++at < w->end) {
        int is_end = *at == '/';
        const char *name = at + is_end;
        if (name < w->end && is_letter(*name)) {
            for (at = name + 1; at < w->end && !IS(*at, TAG_NAME_END); at++) {
            }
            Span span = {name, at - name};
            at = is_end ? end_tag(w, span, at) : start_tag(w, span, at, &status);
            if (at == NULL) {
                return status;
            }
        } else if (*at == '!' || *at == '?' || (is_end && name < w->end)) {
            at = declaration(w, at);
        }
    }
    return FINE;
}

PyDoc_STRVAR(read_doc,
"read(body, hrefs, tags, mean, /)\n--\n\n"
"Walk through a page: (edits, marks), or None when only markup.py can say. Without `hrefs`, all is marked.");

static PyObject *marker_read(Marker *self, PyObject *args)
{
    PyObject *body, *hrefs, *tags, *mean;
    if (!PyArg_ParseTuple(args, "SOOO:read", &body, &hrefs, &tags, &mean)) {
        return NULL;
    }
    int knows = hrefs != Py_None;
    if (knows && !(PyDict_Check(hrefs) && PyDict_Check(tags))) {
        PyErr_SetString(PyExc_TypeError, "hrefs and tags must be dicts, or None");
        return NULL;
    }
    Walk w;
    memset(&w, 0, offsetof(Walk, open));
    w.m = self;
    w.text = PyBytes_AS_STRING(body);
    w.end = w.text + PyBytes_GET_SIZE(body);
    w.hrefs = knows ? hrefs : NULL;
    w.tags = knows ? tags : NULL;
    w.mean = mean;
    w.edits = PyList_New(0);
    w.marks = PyList_New(0);
    int status = w.edits != NULL && w.marks != NULL ? walk(&w) : FAILED;
    PyObject *result = status == FINE ? PyTuple_Pack(2, w.edits, w.marks) : status == DOUBT ? Py_NewRef(Py_None) : NULL;
    Py_XDECREF(w.edits);
    Py_XDECREF(w.marks);
    return result;
}

/* ---- The module ------------------------------------------------------------------------------------------------- */

static void marker_dealloc(Marker *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i <= MAX_ELEMENTS; i++) {
        Py_XDECREF(self->elements[i].name);
    }
    Py_XDECREF(self->kept);
    Py_XDECREF(self->tag);
    Py_XDECREF(self->style);
    Py_XDECREF(self->edit);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static int is_tuple_type(PyTypeObject *type)
{
    return PyType_IsSubtype(type, &PyTuple_Type) && type->tp_basicsize == PyTuple_Type.tp_basicsize;
}

static PyObject *marker_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *places, *css;
    PyTypeObject *tag, *style, *edit;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!:Marker", &PyDict_Type, &places, &PyTuple_Type, &css, &PyType_Type, &tag,
                          &PyType_Type, &style, &PyType_Type, &edit)) {
        return NULL;
    }
    if (!is_tuple_type(tag) || !is_tuple_type(style) || !is_tuple_type(edit)) {
        PyErr_SetString(PyExc_TypeError, "Tag, Style and Edit must be tuples");
        return NULL;
    }
    Marker *self = (Marker *)type->tp_alloc(type, 0);  /* all zero */
    if (self == NULL) {
        return NULL;
    }
    self->tag = (PyTypeObject *)Py_NewRef((PyObject *)tag);
    self->style = (PyTypeObject *)Py_NewRef((PyObject *)style);
    self->edit = (PyTypeObject *)Py_NewRef((PyObject *)edit);
    self->kept = PyList_New(0);
    if (self->kept == NULL || add_css(self, css) != FINE || add_places(self, places) != FINE
        || add_structure(self) != FINE) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyMethodDef marker_methods[] = {
    {"read", (PyCFunction)marker_read, METH_VARARGS, read_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot marker_slots[] = {
    {Py_tp_new, marker_new},
    {Py_tp_dealloc, marker_dealloc},
    {Py_tp_methods, marker_methods},
    {Py_tp_doc, "Marker(places, css, Tag, Style, Edit, /)\n--\n\nFinds what may hold links in the bytes of pages."},
    {0, NULL},
};

static PyType_Spec marker_spec = {
    .name = "weft.mirror._marks.Marker",
    .basicsize = sizeof(Marker),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = marker_slots,
};

static int module_exec(PyObject *module)
{
    fill_classes();
    fill_plain();
    PyObject *type = PyType_FromModuleAndSpec(module, &marker_spec, NULL);
    int status = type ? PyModule_AddObjectRef(module, "Marker", type) : FAILED;
    Py_XDECREF(type);
    return status;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_marks",
    .m_doc = "The tags and style sheets of a page that may hold links.",
    .m_size = 0,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__marks(void)
{
    return PyModuleDef_Init(&module_def);
}
