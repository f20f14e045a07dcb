/* The index lines of a usual page: what `index.lines_in_python` makes without this, or None where that has to do it.
 *
 *     lines(row, file_name, key_of_origin)   -> (its line of index.cdxj or None, its line of pages.jsonl), or None
 *
 * `row` is a `PageRow` as it lies in the database. Usual is a URL of HTTP without a query, which is its own key but for
 * its origin and the case of its letters; a request without parts; an answer that is no revisit, near duplicate or
 * redirect that leads back, and was read whole; texts without control characters. Whatever else comes is left to
 * Python. Where something is returned here, it equals what Python returns.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum {
    LEAST_FIELDS = 4,
    MOST_FIELDS = 32,
    SECOND_DIGITS = 13, /* in front of the lines of visits: with what follows, `index._TIME_CHARS` */
    MICROSECOND_DIGITS = 6,
    NOT_MODIFIED = 304,
    FIXED_BYTES = 2048, /* more than the names of all fields, and their numbers */
};

/* Between these, a time's microseconds fit into a double, so that rounding them is what printing it would do. */
static const double FIRST_TIME = 1 << 20, END_OF_TIME = 253402300799.0; /* in the year 9999 */
static const double MOST_TENTHS = 1e9; /* of a millisecond, in a duration */

typedef struct {
    const char *at;
    Py_ssize_t bytes;
} Text;

#define TEXT(literal) ((Text){literal, (Py_ssize_t)sizeof(literal) - 1})

/* ── reading: MessagePack, an array whose last fields are left out if they have their usual value ────────────────── */

typedef struct {
    const unsigned char *at, *end;
    Py_ssize_t left; /* fields */
    int is_odd;      /* Python has to read it */
} Row;

/* So many bytes that follow, as a number; big-endian. */
static uint64_t number_of(Row *row, Py_ssize_t bytes)
{
    uint64_t number = 0;
    if (row->end - row->at < bytes) {
        row->is_odd = 1;
        return 0;
    }
    while (bytes--) {
        number = number << 8 | *row->at++;
    }
    return number;
}

/* The first byte of the next field, or 0xc1, which no field begins with: then it has its usual value. */
static unsigned char field(Row *row)
{
    if (!row->left || row->is_odd) {
        return 0xc1;
    }
    row->left--;
    return (unsigned char)number_of(row, 1);
}

static Text text(Row *row, Text usual)
{
    unsigned char first = field(row);
    uint64_t bytes = 0;
    if (first == 0xc1) {
        return usual;
    }
    if (first >= 0xa0 && first <= 0xbf) {
        bytes = first & 0x1f;
    } else if (first >= 0xd9 && first <= 0xdb) {
        bytes = number_of(row, 1 << (first - 0xd9));
    } else {
        row->is_odd = 1;
    }
    if (row->is_odd || bytes > (uint64_t)(row->end - row->at)) {
        row->is_odd = 1;
        return usual;
    }
    Text found = {(const char *)row->at, (Py_ssize_t)bytes};
    row->at += bytes;
    return found;
}

static uint64_t number(Row *row, uint64_t usual)
{
    unsigned char first = field(row);
    if (first == 0xc1) {
        return usual;
    }
    if (first <= 0x7f) {
        return first;
    }
    if (first >= 0xcc && first <= 0xcf) {
        return number_of(row, 1 << (first - 0xcc));
    }
    row->is_odd = 1;
    return usual;
}

/* A number that no line has; it may be below zero. */
static void pass_number(Row *row)
{
    unsigned char first = field(row);
    if (first >= 0xd0 && first <= 0xd3) {
        number_of(row, 1 << (first - 0xd0));
    } else if (first >= 0xcc && first <= 0xcf) {
        number_of(row, 1 << (first - 0xcc));
    } else if (first > 0x7f && first < 0xe0 && first != 0xc1) {
        row->is_odd = 1;
    }
}

static double real(Row *row)
{
    unsigned char first = field(row);
    if (first == 0xc1) {
        return 0.0;
    }
    if (first != 0xcb) {
        row->is_odd = 1;
        return 0.0;
    }
    uint64_t bits = number_of(row, 8);
    double found;
    memcpy(&found, &bits, sizeof found);
    return found;
}

static int truth(Row *row)
{
    unsigned char first = field(row);
    row->is_odd |= first != 0xc1 && first != 0xc2 && first != 0xc3;
    return first == 0xc3;
}

/* Something that a usual row does not have. */
static void pass_nothing(Row *row)
{
    unsigned char first = field(row);
    row->is_odd |= first != 0xc1 && first != 0xc0;
}

/* How many fields an array has. */
static Py_ssize_t fields_of(Row *row)
{
    unsigned char first = (unsigned char)number_of(row, 1);
    if (first >= 0x90 && first <= 0x9f) {
        return first & 0x0f;
    }
    if (first == 0xdc) {
        return (Py_ssize_t)number_of(row, 2);
    }
    row->is_odd = 1;
    return 0;
}

/* What the lines have of a row, in its order. */
typedef struct {
    Text url;
    uint64_t status;
    double fetched_at;
    uint64_t depth;
    Text outcome, mime, digest;
    uint64_t file, offset, length, body_bytes;
    Text charset, title, via, kind, truncated;
    int is_noindex;
    Text address;
    uint64_t attempts;
    double connect_s, wait_s, receive_s;
    Text hops;
} Page;

static void read_timing(Row *row, Page *page)
{
    page->connect_s = page->wait_s = page->receive_s = 0.0;
    if (!row->left || row->is_odd) {
        return;
    }
    Row timing = {row->at, row->end, 0, 0};
    timing.left = fields_of(&timing);
    if (timing.left != 3) {
        row->is_odd = 1;
        return;
    }
    page->connect_s = real(&timing);
    page->wait_s = real(&timing);
    page->receive_s = real(&timing);
    row->at = timing.at;
    row->is_odd |= timing.is_odd;
    row->left--;
}

/* Whether the row is usual. */
static int read_page(Row *row, Page *page)
{
    const Text empty = TEXT("");
    row->left = fields_of(row);
    if (row->left < LEAST_FIELDS || row->left > MOST_FIELDS) {
        return 0;
    }
    page->url = text(row, empty);
    page->status = number(row, 0);
    page->fetched_at = real(row);
    page->depth = number(row, 0);
    page->outcome = text(row, TEXT("response"));
    page->mime = text(row, empty);
    page->digest = text(row, empty);
    page->file = number(row, 0);
    page->offset = number(row, 0);
    page->length = number(row, 0);
    page->body_bytes = number(row, 0);
    page->charset = text(row, empty);
    page->title = text(row, empty);
    page->via = text(row, empty);
    page->kind = text(row, TEXT("link"));
    pass_number(row); /* redirects */
    page->truncated = text(row, empty);
    page->is_noindex = truth(row);
    page->address = text(row, empty);
    page->attempts = number(row, 1);
    read_timing(row, page);
    page->hops = text(row, empty);
    pass_number(row);  /* seed */
    pass_nothing(row); /* original */
    row->is_odd |= text(row, empty).bytes != 0; /* near */
    pass_number(row);        /* simhash */
    pass_nothing(row);       /* unread */
    pass_number(row);        /* links_read_bytes */
    row->is_odd |= truth(row); /* leads_back */
    pass_number(row);        /* outside */
    pass_nothing(row);       /* parts */
    pass_number(row);        /* beyond */
    return !row->is_odd && row->at == row->end;
}

/* ── writing, into memory that is large enough ────────────────────────────────────────────────────────────────────── */

typedef struct {
    char *at;
    int is_odd; /* Python has to write it */
} Out;

static void put(Out *out, Text piece)
{
    memcpy(out->at, piece.at, (size_t)piece.bytes);
    out->at += piece.bytes;
}

#define PUT(out, literal) put(out, TEXT(literal))

static void put_number(Out *out, uint64_t number)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count) {
        *out->at++ = digits[--count];
    }
}

/* With zeros in front, so that it has so many digits. */
static void put_padded(Out *out, uint64_t number, int digits)
{
    for (int i = digits; i--; number /= 10) {
        out->at[i] = (char)('0' + number % 10);
    }
    out->at += digits;
}

/* As JSON has it, with its quotes: at most twice as long, and two. */
static void put_text(Out *out, Text piece)
{
    int is_control = 0, is_escaped = 0;
    for (Py_ssize_t i = 0; i < piece.bytes; i++) { /* first: nearly no text has any of them, and so it is quick */
        unsigned char c = (unsigned char)piece.at[i];
        is_control |= c < ' ';
        is_escaped |= (c == '"') | (c == '\\');
    }
    out->is_odd |= is_control;
    *out->at++ = '"';
    if (!is_escaped) {
        put(out, piece);
    } else {
        for (Py_ssize_t i = 0; i < piece.bytes; i++) {
            if (piece.at[i] == '"' || piece.at[i] == '\\') {
                *out->at++ = '\\';
            }
            *out->at++ = piece.at[i];
        }
    }
    *out->at++ = '"';
}

/* A field behind others. */
#define PUT_TEXT(out, name, value) (PUT(out, ",\"" name "\":"), put_text(out, value))
#define PUT_NUMBER(out, name, value) (PUT(out, ",\"" name "\":"), put_number(out, value))
#define PUT_DIGITS(out, name, value) (PUT(out, ",\"" name "\":\""), put_number(out, value), PUT(out, "\""))

/* As Python's `round` does it, which rounds halves to what is even. */
static uint64_t rounded(double number)
{
    const uint64_t below = (uint64_t)number;
    const double rest = number - (double)below;
    return below + (rest > 0.5 || (rest == 0.5 && below % 2));
}

/* A duration in milliseconds, to a tenth. */
static void put_ms(Out *out, double seconds)
{
    const double exact = seconds * 10000;
    if (!(exact >= 0 && exact < MOST_TENTHS)) {
        out->is_odd = 1;
        return;
    }
    const uint64_t tenths = rounded(exact);
    put_number(out, tenths / 10);
    *out->at++ = '.';
    *out->at++ = (char)('0' + tenths % 10);
}

typedef struct {
    uint64_t year, month, day, hour, minute, second, microsecond;
} Moment;

/* A time in UTC. Its years begin in March, so that the leap day is a year's last. */
static Moment moment_of(double wall_s)
{
    uint64_t seconds = (uint64_t)wall_s, of_day = seconds % 86400, days = seconds / 86400 + 719468;
    uint64_t era = days / 146097, of_era = days % 146097;
    uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    uint64_t month = (5 * of_year + 2) / 153;
    return (Moment){
        .year = 400 * era + year + (month >= 10),
        .month = month < 10 ? month + 3 : month - 9,
        .day = of_year - (153 * month + 2) / 5 + 1,
        .hour = of_day / 3600,
        .minute = of_day / 60 % 60,
        .second = of_day % 60,
        .microsecond = rounded((wall_s - (double)seconds) * 1000000),
    };
}

/* ── the lines ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether more would have to be done to a path for its key than to lower its letters. */
static int needs_care(const char *path, const char *end)
{
    for (const char *c = path; c < end; c++) {
        const Py_ssize_t left = end - c;
        switch (*c) {
        case '?':
        case '%':
        case '#':
            return 1;
        case '/':
            if (left > 1 && (c[1] == '/' || c[1] == '.')) {
                return 1;
            }
            break;
        case '.':
            if (left >= 5 && PyOS_strnicmp(c, ".aspx", 5) == 0) {
                return 1;
            }
            break;
        default:
            if (*c <= ' ' || *c > '~') {
                return 1;
            }
        }
    }
    return 0;
}

/* Where the path of a URL begins; 0 if the URL is not usual. */
static Py_ssize_t usual_path(Text url)
{
    if (url.bytes < 9 || (memcmp(url.at, "http://", 7) != 0 && memcmp(url.at, "https://", 8) != 0)) {
        return 0;
    }
    const char *slash = memchr(url.at + 8, '/', (size_t)(url.bytes - 8));
    return slash == NULL || needs_care(slash, url.at + url.bytes) ? 0 : slash - url.at;
}

static void put_key(Out *out, Text key_of_origin, Text path)
{
    put(out, key_of_origin);
    *out->at++ = ')';
    if (path.bytes > 1 && path.at[path.bytes - 1] == '/') {
        path.bytes--;
    }
    for (Py_ssize_t i = 0; i < path.bytes; i++) {
        char c = path.at[i];
        *out->at++ = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
}

static void put_capture(Out *out, const Page *page, const Moment *at, Text file_name)
{
    *out->at++ = ' ';
    put_padded(out, at->year, 4);
    put_padded(out, at->month, 2);
    put_padded(out, at->day, 2);
    put_padded(out, at->hour, 2);
    put_padded(out, at->minute, 2);
    put_padded(out, at->second, 2);
    PUT(out, " {\"url\":");
    put_text(out, page->url);
    if (page->mime.bytes) {
        PUT_TEXT(out, "mime", page->mime);
    }
    if (page->status) {
        PUT_DIGITS(out, "status", page->status);
    }
    PUT_TEXT(out, "digest", page->digest);
    PUT_DIGITS(out, "length", page->length);
    PUT_DIGITS(out, "offset", page->offset);
    PUT_TEXT(out, "filename", file_name);
    *out->at++ = '}';
}

static void put_fetched_at(Out *out, const Moment *at)
{
    PUT(out, ",\"fetched_at\":\"");
    put_padded(out, at->year, 4);
    *out->at++ = '-';
    put_padded(out, at->month, 2);
    *out->at++ = '-';
    put_padded(out, at->day, 2);
    *out->at++ = 'T';
    put_padded(out, at->hour, 2);
    *out->at++ = ':';
    put_padded(out, at->minute, 2);
    *out->at++ = ':';
    put_padded(out, at->second, 2);
    *out->at++ = '.';
    put_padded(out, at->microsecond / 1000, 3);
    PUT(out, "+00:00\"");
}

static void put_visit(Out *out, const Page *page, const Moment *at, Text file_name)
{
    PUT(out, " {\"url\":");
    put_text(out, page->url);
    PUT_NUMBER(out, "status", page->status);
    put_fetched_at(out, at);
    PUT_TEXT(out, "outcome", page->outcome);
    PUT_NUMBER(out, "depth", page->depth);
    PUT_TEXT(out, "kind", page->kind);
    PUT_TEXT(out, "via", page->via);
    PUT_TEXT(out, "mime", page->mime);
    PUT_TEXT(out, "charset", page->charset);
    PUT_TEXT(out, "title", page->title);
    PUT_NUMBER(out, "body_bytes", page->body_bytes);
    PUT_TEXT(out, "digest", page->digest);
    PUT_TEXT(out, "truncated", page->truncated);
    put(out, page->is_noindex ? TEXT(",\"noindex\":true") : TEXT(",\"noindex\":false"));
    PUT_TEXT(out, "address", page->address);
    PUT_NUMBER(out, "attempts", page->attempts);
    PUT_TEXT(out, "hops", page->hops);
    PUT(out, ",\"connect_ms\":");
    put_ms(out, page->connect_s);
    PUT(out, ",\"wait_ms\":");
    put_ms(out, page->wait_s);
    PUT(out, ",\"receive_ms\":");
    put_ms(out, page->receive_s);
    if (page->file) {
        PUT_TEXT(out, "file", file_name);
        PUT_NUMBER(out, "offset", page->offset);
        PUT_NUMBER(out, "length", page->length);
    }
    *out->at++ = '}';
}

/* What a function makes of something: a str, whose text stays as long as it. The reference to `asked` is taken. */
static PyObject *told(PyObject *function, PyObject *asked, Text *found)
{
    PyObject *answer = asked == NULL ? NULL : PyObject_CallOneArg(function, asked);
    Py_XDECREF(asked);
    if (answer != NULL && (found->at = PyUnicode_AsUTF8AndSize(answer, &found->bytes)) == NULL) {
        Py_CLEAR(answer);
    }
    return answer;
}

/* Whether its record can be shown. */
static int is_capture(const Page *page)
{
    return page->file && page->status != NOT_MODIFIED;
}

/* Its lines. The URL is usual. */
static PyObject *lines_of(const Page *page, Text row, Py_ssize_t path, Text key_of_origin, Text file_name)
{
    const Py_ssize_t most = FIXED_BYTES + 5 * row.bytes + key_of_origin.bytes + 4 * file_name.bytes;
    char *memory = PyMem_Malloc((size_t)most);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    const Moment at = moment_of(page->fetched_at);
    Out out = {memory, at.microsecond >= 1000000};
    if (is_capture(page)) {
        put_key(&out, key_of_origin, (Text){page->url.at + path, page->url.bytes - path});
        put_capture(&out, page, &at, file_name);
    }
    const char *visit = out.at;
    put_padded(&out, (uint64_t)page->fetched_at, SECOND_DIGITS);
    *out.at++ = '.';
    put_padded(&out, at.microsecond, MICROSECOND_DIGITS);
    put_visit(&out, page, &at, file_name);
    PyObject *lines = NULL;
    if (out.is_odd) {
        lines = Py_NewRef(Py_None);
    } else if (visit == memory) {
        lines = Py_BuildValue("(Oy#)", Py_None, visit, out.at - visit);
    } else {
        lines = Py_BuildValue("(y#y#)", memory, visit - memory, visit, out.at - visit);
    }
    PyMem_Free(memory);
    return lines;
}

PyDoc_STRVAR(lines_doc, "lines(row, file_name, key_of_origin, /)\n--\n\nA usual page's lines; None if Python has to.");

static PyObject *lines(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyBytes_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "lines takes bytes and two functions");
        return NULL;
    }
    const Text bytes = {PyBytes_AS_STRING(args[0]), PyBytes_GET_SIZE(args[0])};
    Row row = {(const unsigned char *)bytes.at, (const unsigned char *)bytes.at + bytes.bytes, 0, 0};
    Page page;
    if (!read_page(&row, &page) || !(page.fetched_at >= FIRST_TIME && page.fetched_at < END_OF_TIME)) {
        Py_RETURN_NONE;
    }
    const Py_ssize_t path = usual_path(page.url);
    if (!path) {
        Py_RETURN_NONE;
    }
    Text key = TEXT(""), file = TEXT("");
    PyObject *key_told = NULL, *file_told = NULL, *found = NULL;
    if (page.file && (file_told = told(args[1], PyLong_FromUnsignedLongLong(page.file), &file)) == NULL) {
        goto done;
    }
    if (is_capture(&page) &&
        (key_told = told(args[2], PyUnicode_FromStringAndSize(page.url.at, path), &key)) == NULL) {
        goto done;
    }
    found = lines_of(&page, bytes, path, key, file);
done:
    Py_XDECREF(key_told);
    Py_XDECREF(file_told);
    return found;
}

static PyMethodDef methods[] = {
    {"lines", (PyCFunction)(void (*)(void))lines, METH_FASTCALL, lines_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_lines",
    .m_doc = "Index lines of usual pages.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__lines(void)
{
    return PyModuleDef_Init(&definition);
}
