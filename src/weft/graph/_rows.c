/* The links of a page put into the order of its row in the graph: what `rows.py` does without this.
 *
 *     pack(nodes, said)   -> (edges, marks, anchors)
 *
 * `nodes` is a list of 8 bytes a link, `said` what each link says: a character that is its mark, then its anchor text.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

enum { NODE_BYTES = 8, HASH_BYTES = 6, GROUP_HEAD_BYTES = 3, MOST_IN_GROUP = 255 };

typedef struct {
    uint64_t node;
    Py_ssize_t place;  /* in the list */
} Edge;

static int compare(const void *one, const void *other)
{
    const Edge *a = one, *b = other;
    return a->node != b->node ? (a->node < b->node ? -1 : 1) : a->place < b->place ? -1 : a->place > b->place;
}

static uint64_t read_node(const char *bytes)
{
    uint64_t node = 0;
    for (int i = 0; i < NODE_BYTES; i++) {
        node = node << 8 | (unsigned char)bytes[i];
    }
    return node;
}

/* The links in order, each once; how many, or -1. */
static Py_ssize_t sorted_edges(PyObject *nodes, Edge *edges)
{
    Py_ssize_t count = PyList_GET_SIZE(nodes), kept = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *node = PyList_GET_ITEM(nodes, i);
        if (!PyBytes_Check(node) || PyBytes_GET_SIZE(node) != NODE_BYTES) {
            PyErr_SetString(PyExc_ValueError, "a node has 8 bytes");
            return -1;
        }
        edges[i] = (Edge){read_node(PyBytes_AS_STRING(node)), i};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i == 0 || edges[i].node != edges[kept - 1].node) {
            edges[kept++] = edges[i];
        }
    }
    return kept;
}

static Py_ssize_t group_end(const Edge *edges, Py_ssize_t at, Py_ssize_t count)
{
    Py_ssize_t end = at + 1;
    while (end < count && end - at < MOST_IN_GROUP && edges[end].node >> 48 == edges[at].node >> 48) {
        end++;
    }
    return end;
}

static PyObject *edges_as_bytes(const Edge *edges, Py_ssize_t count)
{
    Py_ssize_t groups = 0;
    for (Py_ssize_t at = 0; at < count; at = group_end(edges, at, count)) {
        groups++;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, groups * GROUP_HEAD_BYTES + count * HASH_BYTES);
    if (bytes == NULL) {
        return NULL;
    }
    char *to = PyBytes_AS_STRING(bytes);
    for (Py_ssize_t at = 0, end; at < count; at = end) {
        end = group_end(edges, at, count);
        *to++ = (char)(edges[at].node >> 56);
        *to++ = (char)(edges[at].node >> 48);
        *to++ = (char)(end - at);
        for (Py_ssize_t i = at; i < end; i++) {
            for (int shift = 40; shift >= 0; shift -= 8) {
                *to++ = (char)(edges[i].node >> shift);
            }
        }
    }
    return bytes;
}

/* The marks, and the anchors on a line each. */
static int read_said(PyObject *said, const Edge *edges, Py_ssize_t count, PyObject **marks, PyObject **anchors)
{
    Py_ssize_t room = count;  /* with line feeds, the marks make one more than is needed */
    Py_ssize_t size;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *one = PyList_GET_ITEM(said, edges[i].place);
        if (!PyUnicode_Check(one)) {
            continue;  /* None: nothing is known */
        }
        if (PyUnicode_AsUTF8AndSize(one, &size) == NULL) {
            return -1;
        }
        room += size;
    }
    char *lines = PyMem_Malloc((size_t)room + 1);
    *marks = PyBytes_FromStringAndSize(NULL, count);
    if (lines == NULL || *marks == NULL) {
        PyMem_Free(lines);
        Py_CLEAR(*marks);
        PyErr_NoMemory();
        return -1;
    }
    char *to = lines;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *one = PyList_GET_ITEM(said, edges[i].place);
        Py_UCS4 mark = 0;
        if (i > 0) {
            *to++ = '\n';
        }
        if (PyUnicode_Check(one) && PyUnicode_GET_LENGTH(one) > 0) {
            const char *text = PyUnicode_AsUTF8AndSize(one, &size);
            mark = PyUnicode_READ_CHAR(one, 0);
            int mark_size = mark < 0x80 ? 1 : 2;
            memcpy(to, text + mark_size, (size_t)(size - mark_size));
            to += size - mark_size;
        }
        PyBytes_AS_STRING(*marks)[i] = (char)mark;
    }
    *anchors = PyUnicode_FromStringAndSize(lines, to - lines);
    PyMem_Free(lines);
    if (*anchors == NULL) {
        Py_CLEAR(*marks);
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(pack_doc, "pack(nodes, said, /)\n--\n\nEdges, marks and anchors in the order of a row; `said` may be None.");

static PyObject *pack(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *nodes, *said, *result = NULL;
    if (!PyArg_ParseTuple(args, "O!O:pack", &PyList_Type, &nodes, &said)) {
        return NULL;
    }
    if (said != Py_None && (!PyList_Check(said) || PyList_GET_SIZE(said) != PyList_GET_SIZE(nodes))) {
        PyErr_SetString(PyExc_ValueError, "said must be a list as long as nodes");
        return NULL;
    }
    Edge *edges = PyMem_Malloc((size_t)PyList_GET_SIZE(nodes) * sizeof *edges + 1);
    if (edges == NULL) {
        return PyErr_NoMemory();
    }
    Py_ssize_t count = sorted_edges(nodes, edges);
    PyObject *packed = count < 0 ? NULL : edges_as_bytes(edges, count);
    PyObject *marks = NULL, *anchors = NULL;
    if (packed != NULL && said == Py_None) {
        result = Py_BuildValue("(Ny#s)", packed, "", (Py_ssize_t)0, "");
    } else if (packed != NULL && read_said(said, edges, count, &marks, &anchors) == 0) {
        result = Py_BuildValue("(NNN)", packed, marks, anchors);
    } else {
        Py_XDECREF(packed);
    }
    PyMem_Free(edges);
    return result;
}

static PyMethodDef methods[] = {
    {"pack", pack, METH_VARARGS, pack_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_rows",
    .m_doc = "The links of a page in the order of its row.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__rows(void)
{
    return PyModuleDef_Init(&definition);
}
