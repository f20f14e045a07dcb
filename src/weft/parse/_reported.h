/* URLs that were reported, and at which depth: for `_scan.c` alone. Must equal `ReportedUrls` in filter/reported.py.
 *
 *     Reported(most_urls, most_chars)   two generations, of which each is over when it has as many
 *     .depth_of(url)                    None of one that was not reported, or long ago
 *     .add(url, depth)
 *
 * A URL lies whole in its generation's bytes: none is taken for another one. What a slot holds decides most questions, so
 * that a question costs one cache line, and one more of a URL that is known.
 */
#ifndef WEFT_REPORTED_H
#define WEFT_REPORTED_H

#include <Python.h>

#include "_tokens.h"

/* Python's own secret decides, so nobody can make URLs that fall together. */
static uint64_t hash_secret;

static uint64_t hash_of(Span text)
{
    uint64_t hash = hash_secret ^ (uint64_t)text.size;
    const char *at = text.at;
    Py_ssize_t left = text.size;
    for (; left >= 8; left -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * hash_secret;
        hash ^= hash >> 29;
    }
    uint64_t word = 0;
    for (Py_ssize_t i = 0; i < left; i++) {
        word |= (uint64_t)(unsigned char)at[i] << (8 * i);
    }
    hash = (hash ^ word) * hash_secret;
    return hash ^ hash >> 32;
}

enum { FIRST_URLS = 1024, FIRST_BYTES = 64 * 1024, MOST_URL_BYTES = 1 << 20, NOT_REPORTED = -1 };

typedef struct {
    uint32_t mark;  /* the upper half of the hash */
    uint32_t at;    /* in `bytes` */
    uint32_t size;  /* 0: empty */
    int32_t depth;
} ReportedSlot;

typedef struct {
    ReportedSlot *slots;
    size_t mask;  /* twice as many slots as URLs, at least */
    size_t count;
    char *bytes;
    size_t used, room;
} Generation;

typedef struct {
    PyObject_HEAD
    Generation young, old;
    size_t most_urls, most_bytes;
} Reported;

static void drop_generation(Generation *g)
{
    PyMem_Free(g->slots);
    PyMem_Free(g->bytes);
    *g = (Generation){0};
}

/* The slot of a URL, or the empty one where it belongs; NULL if there are no slots at all. */
static ReportedSlot *slot_for(const Generation *g, Span url, uint64_t hash)
{
    if (g->slots == NULL) {
        return NULL;
    }
    uint32_t mark = (uint32_t)(hash >> 32);
    size_t i = hash & g->mask;
    while (g->slots[i].size != 0
           && !(g->slots[i].mark == mark && g->slots[i].size == (uint32_t)url.size
                && memcmp(g->bytes + g->slots[i].at, url.at, (size_t)url.size) == 0)) {
        i = (i + 1) & g->mask;
    }
    return &g->slots[i];
}

static long reported_at(const Reported *r, Span url)
{
    uint64_t hash = hash_of(url);
    const ReportedSlot *slot = slot_for(&r->young, url, hash);
    if (slot == NULL || slot->size == 0) {
        slot = slot_for(&r->old, url, hash);
    }
    return slot == NULL || slot->size == 0 ? NOT_REPORTED : slot->depth;
}

/* Room for one URL more. */
static int make_room(Generation *g, size_t url_bytes)
{
    if (g->used + url_bytes > g->room) {
        size_t room = g->room ? 2 * g->room : FIRST_BYTES;
        while (room < g->used + url_bytes) {
            room *= 2;
        }
        char *bytes = PyMem_Realloc(g->bytes, room);
        if (bytes == NULL) {
            return -1;
        }
        g->bytes = bytes;
        g->room = room;
    }
    if (g->slots != NULL && 2 * (g->count + 1) <= g->mask + 1) {
        return 0;
    }
    size_t slots = g->slots == NULL ? 2 * FIRST_URLS : 2 * (g->mask + 1);
    ReportedSlot *more = PyMem_Calloc(slots, sizeof *more);
    if (more == NULL) {
        return -1;
    }
    for (size_t i = 0; g->slots != NULL && i <= g->mask; i++) {
        if (g->slots[i].size != 0) {
            size_t to = hash_of((Span){g->bytes + g->slots[i].at, g->slots[i].size}) & (slots - 1);
            while (more[to].size != 0) {
                to = (to + 1) & (slots - 1);
            }
            more[to] = g->slots[i];
        }
    }
    PyMem_Free(g->slots);
    g->slots = more;
    g->mask = slots - 1;
    return 0;
}

static int report(Reported *r, Span url, long depth)
{
    uint64_t hash = hash_of(url);
    Generation *g = &r->young;
    ReportedSlot *slot = slot_for(g, url, hash);
    if (slot == NULL || slot->size == 0) {
        if (make_room(g, (size_t)url.size) < 0) {
            PyErr_NoMemory();
            return -1;
        }
        slot = slot_for(g, url, hash);
        *slot = (ReportedSlot){(uint32_t)(hash >> 32), (uint32_t)g->used, (uint32_t)url.size, 0};
        memcpy(g->bytes + g->used, url.at, (size_t)url.size);
        g->used += (size_t)url.size;
        g->count++;
    }
    slot->depth = (int32_t)depth;
    if (g->count >= r->most_urls || g->used >= r->most_bytes) {
        drop_generation(&r->old);
        r->old = *g;
        *g = (Generation){0};
    }
    return 0;
}

/* ---- As Python sees it ------------------------------------------------------------------------------------------ */

static PyObject *reported_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t most_urls, most_chars;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "Reported takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "nn:Reported", &most_urls, &most_chars)) {
        return NULL;
    }
    if (most_urls < 1 || most_chars < 1 || most_chars > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "Reported needs room for a URL, and has no more than 2 GB");
        return NULL;
    }
    Reported *self = (Reported *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->most_urls = (size_t)most_urls;
        self->most_bytes = (size_t)most_chars;
    }
    return (PyObject *)self;
}

static void reported_dealloc(Reported *self)
{
    PyTypeObject *type = Py_TYPE(self);
    drop_generation(&self->young);
    drop_generation(&self->old);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* The bytes of a URL that may be kept; a size of 0: it may not, as none is empty, has other characters, or is as long. */
static Span url_span(PyObject *url)
{
    Span span = {NULL, 0};
    if (PyUnicode_IS_READY(url) && PyUnicode_IS_ASCII(url) && PyUnicode_GET_LENGTH(url) <= MOST_URL_BYTES) {
        span.at = (const char *)PyUnicode_1BYTE_DATA(url);
        span.size = PyUnicode_GET_LENGTH(url);
    }
    return span;
}

static PyObject *reported_depth_of(Reported *self, PyObject *url)
{
    if (!PyUnicode_Check(url)) {
        PyErr_SetString(PyExc_TypeError, "a URL is a str");
        return NULL;
    }
    Span span = url_span(url);
    long depth = span.size ? reported_at(self, span) : NOT_REPORTED;
    return depth == NOT_REPORTED ? Py_NewRef(Py_None) : PyLong_FromLong(depth);
}

static PyObject *reported_add(Reported *self, PyObject *args)
{
    PyObject *url;
    int depth;
    if (!PyArg_ParseTuple(args, "Ui:add", &url, &depth)) {
        return NULL;
    }
    Span span = url_span(url);
    if (span.size && depth >= 0 && report(self, span, depth) < 0) {
        return NULL;
    }
    return Py_NewRef(Py_None);
}

static PyMethodDef reported_methods[] = {
    {"depth_of", (PyCFunction)reported_depth_of, METH_O,
     "depth_of(url, /)\n--\n\nThe depth at which a URL was reported last; None if it was not, or is forgotten."},
    {"add", (PyCFunction)reported_add, METH_VARARGS, "add(url, depth, /)\n--\n\nA URL is reported at this depth."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reported_slots[] = {
    {Py_tp_new, reported_new},
    {Py_tp_dealloc, reported_dealloc},
    {Py_tp_methods, reported_methods},
    {Py_tp_doc, "URLs that were reported, and at which depth."},
    {0, NULL},
};

static PyType_Spec reported_spec = {
    .name = "weft.parse._scan.Reported",
    .basicsize = sizeof(Reported),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = reported_slots,
};

#endif
