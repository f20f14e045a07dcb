/* The head of a usual response: what `head.head_in_python` reads without this, or None where that has to decide.
 *
 *     read(head, max_headers)   -> (status, headers, chunked, content_length, keep_alive), or None
 *
 * Usual is a status line of HTTP/1.1, lines without folding, each framing header once and in its plain form: all digits,
 * `chunked`, `close` or `keep-alive`. Whatever else comes, faults among it, is left to Python, so that leniency and
 * errors have one place. Where something is returned here, it equals what Python returns.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

enum { STATUS_LINE_BYTES = 12, MOST_LENGTH_DIGITS = 18, MOST_NAME_BYTES = 128 };

typedef struct {
    const char *at;
    Py_ssize_t bytes;
} Piece;

/* What the headers say of the body and the connection. `at` is NULL as long as nothing was said. */
typedef struct {
    Piece connection, length, coding;
} Framing;

/* As bytes.strip() sees them. */
static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static Piece stripped(const char *from, const char *to)
{
    while (from < to && is_blank(*from)) {
        from++;
    }
    while (from < to && is_blank(to[-1])) {
        to--;
    }
    return (Piece){from, to - from};
}

/* Whether it is this word, whose letters are small. */
static int is_word(Piece piece, const char *word, Py_ssize_t bytes)
{
    if (piece.bytes != bytes) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < bytes; i++) {
        if (lower(piece.at[i]) != word[i]) {
            return 0;
        }
    }
    return 1;
}

#define IS(piece, word) is_word(piece, word, (Py_ssize_t)sizeof(word) - 1)

/* The status of a usual status line, or 0. */
static int status_of(const char *head, const char *end)
{
    if (end - head < STATUS_LINE_BYTES || memcmp(head, "HTTP/1.1 ", 9) != 0) {
        return 0;
    }
    if (!is_digit(head[9]) || !is_digit(head[10]) || !is_digit(head[11])) {
        return 0;
    }
    const char *next = head + STATUS_LINE_BYTES;
    if (next < end && *next != ' ' && *next != '\r' && *next != '\n') {
        return 0;
    }
    int status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + (head[11] - '0');
    return status < 100 ? 0 : status;
}

/* Keep what a header says of the framing; -1 if it is said twice. */
static int note(Framing *framing, Piece name, Piece value)
{
    Piece *kept = IS(name, "connection")          ? &framing->connection
                  : IS(name, "content-length")    ? &framing->length
                  : IS(name, "transfer-encoding") ? &framing->coding
                                                  : NULL;
    if (kept == NULL) {
        return 0;
    }
    if (kept->at != NULL) {
        return -1;
    }
    *kept = value;
    return 0;
}

/* Chunked, length (or -1) and persistence; -1 if Python has to decide. */
static int decide(const Framing *framing, int *is_chunked, long long *length, int *is_kept)
{
    *is_kept = 1;
    if (framing->connection.at != NULL) {
        *is_kept = IS(framing->connection, "keep-alive");
        if (!*is_kept && !IS(framing->connection, "close")) {
            return -1;
        }
    }
    *is_chunked = framing->coding.at != NULL;
    *length = -1;
    if (*is_chunked) {
        /* Two framings: who knows where the next response would begin? */
        *is_kept = *is_kept && framing->length.at == NULL;
        return IS(framing->coding, "chunked") ? 0 : -1;
    }
    if (framing->length.at == NULL) {
        return 0;
    }
    if (!framing->length.bytes || framing->length.bytes > MOST_LENGTH_DIGITS) {
        return -1;
    }
    long long number = 0;
    for (Py_ssize_t i = 0; i < framing->length.bytes; i++) {
        if (!is_digit(framing->length.at[i])) {
            return -1;
        }
        number = 10 * number + (framing->length.at[i] - '0');
    }
    *length = number;
    return 0;
}

static PyObject *header(Piece name, Piece value)
{
    char small[MOST_NAME_BYTES];
    for (Py_ssize_t i = 0; i < name.bytes; i++) {
        small[i] = lower(name.at[i]);
    }
    PyObject *pair = PyTuple_New(2);
    PyObject *first = PyBytes_FromStringAndSize(small, name.bytes);
    PyObject *second = PyBytes_FromStringAndSize(value.at, value.bytes);
    if (pair == NULL || first == NULL || second == NULL) {
        Py_XDECREF(pair);
        Py_XDECREF(first);
        Py_XDECREF(second);
        return NULL;
    }
    PyTuple_SET_ITEM(pair, 0, first);
    PyTuple_SET_ITEM(pair, 1, second);
    return pair;
}

PyDoc_STRVAR(read_doc, "read(head, max_headers, /)\n--\n\nA usual head; None if Python has to read it.");

static PyObject *read_head(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !PyBytes_Check(args[0]) || !PyLong_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "read takes bytes and int");
        return NULL;
    }
    Py_ssize_t most = PyLong_AsSsize_t(args[1]);
    if (most == -1 && PyErr_Occurred()) {
        return NULL;
    }
    const char *head = PyBytes_AS_STRING(args[0]), *end = head + PyBytes_GET_SIZE(args[0]);
    int status = status_of(head, end);
    if (!status) {
        Py_RETURN_NONE;
    }
    /* First count: the tuple gets its size at once, and a head that is not usual costs no object. */
    Py_ssize_t lines = 0, fields = 0;
    Framing framing = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    const char *first = memchr(head, '\n', (size_t)(end - head));
    for (const char *line = first; line != NULL; lines++) {
        const char *from = line + 1, *next = memchr(from, '\n', (size_t)(end - from));
        const char *to = next != NULL ? next : end;
        if (from < end && (*from == ' ' || *from == '\t')) {
            Py_RETURN_NONE;
        }
        const char *colon = memchr(from, ':', (size_t)(to - from));
        Piece name = colon != NULL ? stripped(from, colon) : (Piece){NULL, 0};
        if (name.bytes) {
            if (name.bytes > MOST_NAME_BYTES || note(&framing, name, stripped(colon + 1, to)) < 0) {
                Py_RETURN_NONE;
            }
            fields++;
        }
        line = next;
    }
    int is_chunked, is_kept;
    long long length;
    if (lines - 2 > most || decide(&framing, &is_chunked, &length, &is_kept) < 0) {
        Py_RETURN_NONE;
    }
    PyObject *headers = PyTuple_New(fields);
    if (headers == NULL) {
        return NULL;
    }
    const char *line = first;
    for (Py_ssize_t done = 0; done < fields;) {
        const char *from = line + 1, *next = memchr(from, '\n', (size_t)(end - from));
        const char *to = next != NULL ? next : end, *colon = memchr(from, ':', (size_t)(to - from));
        Piece name = colon != NULL ? stripped(from, colon) : (Piece){NULL, 0};
        if (name.bytes) {
            PyObject *pair = header(name, stripped(colon + 1, to));
            if (pair == NULL) {
                Py_DECREF(headers);
                return NULL;
            }
            PyTuple_SET_ITEM(headers, done++, pair);
        }
        line = next;
    }
    if (length < 0) {
        return Py_BuildValue("(iNOOO)", status, headers, is_chunked ? Py_True : Py_False, Py_None,
                             is_kept ? Py_True : Py_False);
    }
    return Py_BuildValue("(iNOLO)", status, headers, is_chunked ? Py_True : Py_False, length,
                         is_kept ? Py_True : Py_False);
}

static PyMethodDef methods[] = {
    {"read", (PyCFunction)(void (*)(void))read_head, METH_FASTCALL, read_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_head",
    .m_doc = "Heads of usual responses.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__head(void)
{
    return PyModuleDef_Init(&definition);
}
