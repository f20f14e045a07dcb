/* A WARC record as bytes: what `warc.record_in_python` does without this, byte for byte.
 *
 *     record(fields, head, body, tail, digests, sha1)   -> (record, digest)
 *     has_sha1()                                        -> whether this CPU has instructions for SHA-1
 *
 * The record's header, its block (`head` and `body` one after the other) and its end are put into one buffer of the
 * right size. `digests` says which stand in the header: of the payload, which is `body`, of the block, or both. What
 * is returned beside the record is the payload's, or else the block's; empty if there is none.
 *
 * Each round of SHA-1 waits for the one before it, and payload and block begin with different bytes, so that neither
 * follows from the other. But two at once take hardly longer than one, and that is done here where the CPU has the
 * instructions (SHA-NI). Where it has not, `sha1` is called, which is hashlib's; it may be None otherwise.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAS_SHA_CODE 1
#include <cpuid.h>
#include <immintrin.h>
#else
#define HAS_SHA_CODE 0
#endif

enum { PAYLOAD = 1, BLOCK = 2 };
enum { DIGEST_BYTES = 20, CHUNK_BYTES = 64, LABEL_CHARS = 5 + 32 };
enum { LONG_BYTES = 2048 };  /* from here on others may run meanwhile */

static const char BEGIN[] = "WARC/1.1\r\n", END[] = "\r\n\r\n";
static const char PAYLOAD_NAME[] = "WARC-Payload-Digest: ", BLOCK_NAME[] = "WARC-Block-Digest: ";

/* ── SHA-1 ──────────────────────────────────────────────────────────────────────────────────────────── */

#if HAS_SHA_CODE

#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

typedef struct {
    uint32_t state[5];
    uint8_t waiting[CHUNK_BYTES];  /* filled by update, emptied when it is full */
    size_t waits;
    uint64_t total;
} Sha1;

/* A chunk on its way through the eighty rounds. */
typedef struct {
    __m128i abcd, e, before, words[4];
} Rounds;

static const Sha1 FRESH = {.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};

WITH_SHA static inline void begin_rounds(Rounds *r, __m128i abcd, __m128i e, const uint8_t *chunk)
{
    const __m128i reversed = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    r->abcd = abcd;
    r->e = e;
    for (int i = 0; i < 4; i++) {
        r->words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(chunk + 16 * i)), reversed);
    }
}

/* The i-th four rounds; i and function are constants, as the instruction wants the latter. */
#define FOUR_ROUNDS(r, i, function)                                                                                    \
    do {                                                                                                               \
        __m128i *w = (r).words;                                                                                        \
        if ((i) >= 4) {                                                                                                \
            __m128i mixed = _mm_xor_si128(_mm_sha1msg1_epu32(w[(i)&3], w[((i) + 1) & 3]), w[((i) + 2) & 3]);           \
            w[(i)&3] = _mm_sha1msg2_epu32(mixed, w[((i) + 3) & 3]);                                                    \
        }                                                                                                              \
        __m128i added = (i) ? _mm_sha1nexte_epu32((r).before, w[(i)&3]) : _mm_add_epi32((r).e, w[0]);                  \
        (r).before = (r).abcd;                                                                                         \
        (r).abcd = _mm_sha1rnds4_epu32((r).abcd, added, function);                                                     \
    } while (0)

#define TWENTY_ROUNDS(STEP, function)                                                                                  \
    STEP(5 * (function), function);                                                                                    \
    STEP(5 * (function) + 1, function);                                                                                \
    STEP(5 * (function) + 2, function);                                                                                \
    STEP(5 * (function) + 3, function);                                                                                \
    STEP(5 * (function) + 4, function)

#define ALL_ROUNDS(STEP)                                                                                               \
    TWENTY_ROUNDS(STEP, 0);                                                                                            \
    TWENTY_ROUNDS(STEP, 1);                                                                                            \
    TWENTY_ROUNDS(STEP, 2);                                                                                            \
    TWENTY_ROUNDS(STEP, 3)

WITH_SHA static inline void load_state(const uint32_t *state, __m128i *abcd, __m128i *e)
{
    *abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0x1b);
    *e = _mm_set_epi32((int)state[4], 0, 0, 0);
}

WITH_SHA static inline void store_state(uint32_t *state, __m128i abcd, __m128i e)
{
    _mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(abcd, 0x1b));
    state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

WITH_SHA static void hash_chunks(uint32_t *state, const uint8_t *data, size_t chunks)
{
    __m128i abcd, e;
    load_state(state, &abcd, &e);
    for (; chunks; chunks--, data += CHUNK_BYTES) {
        Rounds r;
        begin_rounds(&r, abcd, e, data);
#define STEP(i, function) FOUR_ROUNDS(r, i, function)
        ALL_ROUNDS(STEP);
#undef STEP
        e = _mm_sha1nexte_epu32(r.before, e);
        abcd = _mm_add_epi32(r.abcd, abcd);
    }
    store_state(state, abcd, e);
}

/* The same for two that have nothing to do with each other, in the time of one. */
WITH_SHA static void hash_chunks_of_two(uint32_t *state_a, const uint8_t *a, uint32_t *state_b, const uint8_t *b,
                                        size_t chunks)
{
    __m128i abcd_a, e_a, abcd_b, e_b;
    load_state(state_a, &abcd_a, &e_a);
    load_state(state_b, &abcd_b, &e_b);
    for (; chunks; chunks--, a += CHUNK_BYTES, b += CHUNK_BYTES) {
        Rounds ra, rb;
        begin_rounds(&ra, abcd_a, e_a, a);
        begin_rounds(&rb, abcd_b, e_b, b);
#define STEP(i, function)                                                                                              \
    FOUR_ROUNDS(ra, i, function);                                                                                      \
    FOUR_ROUNDS(rb, i, function)
        ALL_ROUNDS(STEP);
#undef STEP
        e_a = _mm_sha1nexte_epu32(ra.before, e_a);
        e_b = _mm_sha1nexte_epu32(rb.before, e_b);
        abcd_a = _mm_add_epi32(ra.abcd, abcd_a);
        abcd_b = _mm_add_epi32(rb.abcd, abcd_b);
    }
    store_state(state_a, abcd_a, e_a);
    store_state(state_b, abcd_b, e_b);
}

static void update(Sha1 *sha, const uint8_t *data, size_t bytes)
{
    sha->total += bytes;
    if (sha->waits) {
        size_t taken = CHUNK_BYTES - sha->waits < bytes ? CHUNK_BYTES - sha->waits : bytes;
        memcpy(sha->waiting + sha->waits, data, taken);
        sha->waits += taken;
        data += taken;
        bytes -= taken;
        if (sha->waits < CHUNK_BYTES) {
            return;
        }
        hash_chunks(sha->state, sha->waiting, 1);
        sha->waits = 0;
    }
    hash_chunks(sha->state, data, bytes / CHUNK_BYTES);
    sha->waits = bytes % CHUNK_BYTES;
    memcpy(sha->waiting, data + (bytes - sha->waits), sha->waits);
}

/* The same bytes for both, whatever came before. */
static void update_two(Sha1 *one, Sha1 *other, const uint8_t *data, size_t bytes)
{
    size_t first = (CHUNK_BYTES - one->waits) % CHUNK_BYTES, second = (CHUNK_BYTES - other->waits) % CHUNK_BYTES;
    size_t later = first > second ? first : second;
    size_t chunks = bytes > later ? (bytes - later) / CHUNK_BYTES : 0;
    if (!chunks) {
        update(one, data, bytes);
        update(other, data, bytes);
        return;
    }
    size_t together = chunks * CHUNK_BYTES;
    update(one, data, first);
    update(other, data, second);
    hash_chunks_of_two(one->state, data + first, other->state, data + second, chunks);
    one->total += together;
    other->total += together;
    update(one, data + first + together, bytes - first - together);
    update(other, data + second + together, bytes - second - together);
}

static void finish(Sha1 *sha, uint8_t *digest)
{
    uint64_t bits = sha->total * 8;
    uint8_t padding[CHUNK_BYTES + 8] = {0x80}, length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    size_t filled = sha->waits < CHUNK_BYTES - 8 ? CHUNK_BYTES - 8 : 2 * CHUNK_BYTES - 8;
    update(sha, padding, filled - sha->waits);
    update(sha, length, sizeof length);
    for (int i = 0; i < DIGEST_BYTES; i++) {
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

static int cpu_has_sha1(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) {
        return 0;
    }
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

static void own_digests(const uint8_t *head, size_t head_bytes, const uint8_t *body, size_t body_bytes, int which,
                        uint8_t *payload, uint8_t *block)
{
    Sha1 of_payload = FRESH, of_block = FRESH;
    update(&of_block, head, head_bytes);
    if (which == (PAYLOAD | BLOCK)) {
        update_two(&of_payload, &of_block, body, body_bytes);
    } else {
        update(which == PAYLOAD ? &of_payload : &of_block, body, body_bytes);
    }
    finish(&of_payload, payload);
    finish(&of_block, block);
}

#else

static int cpu_has_sha1(void)
{
    return 0;
}

static void own_digests(const uint8_t *head, size_t head_bytes, const uint8_t *body, size_t body_bytes, int which,
                        uint8_t *payload, uint8_t *block)
{
    (void)head, (void)head_bytes, (void)body, (void)body_bytes, (void)which, (void)payload, (void)block;
}

#endif

/* By hashlib: `first`, and then `second` unless it is NULL. */
static int called_digest(PyObject *sha1, PyObject *first, PyObject *second, uint8_t *digest)
{
    PyObject *sha = PyObject_CallOneArg(sha1, first), *done = NULL, *made = NULL;
    if (sha != NULL && (second == NULL || (done = PyObject_CallMethod(sha, "update", "O", second)) != NULL)) {
        made = PyObject_CallMethod(sha, "digest", NULL);
    }
    int is_made = made != NULL && PyBytes_Check(made) && PyBytes_GET_SIZE(made) == DIGEST_BYTES;
    if (is_made) {
        memcpy(digest, PyBytes_AS_STRING(made), DIGEST_BYTES);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "a SHA-1 has 20 bytes");
    }
    Py_XDECREF(made);
    Py_XDECREF(done);
    Py_XDECREF(sha);
    return is_made ? 0 : -1;
}

/* ── The record ─────────────────────────────────────────────────────────────────────────────────────── */

static char *put(char *at, const char *bytes, size_t count)
{
    memcpy(at, bytes, count);
    return at + count;
}

/* As `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`. */
static char *put_label(char *at, const uint8_t *digest)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    at = put(at, "sha1:", 5);
    for (int i = 0; i < DIGEST_BYTES; i += 5) {
        uint64_t bits = 0;
        for (int j = 0; j < 5; j++) {
            bits = bits << 8 | digest[i + j];
        }
        for (int shift = 35; shift >= 0; shift -= 5) {
            *at++ = letters[bits >> shift & 31];
        }
    }
    return at;
}

static char *put_digest(char *at, const char *name, size_t name_chars, const uint8_t *digest)
{
    return put(put_label(put(at, name, name_chars), digest), "\r\n", 2);
}

static int is_sha1_here;  /* asked once: a virtual machine takes microseconds to answer */

PyDoc_STRVAR(record_doc, "record(fields, head, body, tail, digests, sha1, /)\n--\n\n"
                         "A record with its digests and its length; and the digest of its payload.");

static PyObject *record(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 6 || !PyUnicode_Check(args[0]) || !PyBytes_Check(args[1]) || !PyBytes_Check(args[2]) ||
        !PyUnicode_Check(args[3]) || !PyLong_Check(args[4])) {
        PyErr_SetString(PyExc_TypeError, "record takes str, bytes, bytes, str, int and a callable or None");
        return NULL;
    }
    Py_ssize_t fields_bytes, tail_bytes;
    const char *fields = PyUnicode_AsUTF8AndSize(args[0], &fields_bytes);
    const char *tail = fields == NULL ? NULL : PyUnicode_AsUTF8AndSize(args[3], &tail_bytes);
    long which = tail == NULL ? -1 : PyLong_AsLong(args[4]);
    if (which < 0 || which > (PAYLOAD | BLOCK)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "digests are 0 to 3");
        }
        return NULL;
    }
    PyObject *sha1 = args[5];
    if (which && sha1 == Py_None && !is_sha1_here) {
        PyErr_SetString(PyExc_ValueError, "this CPU has no SHA-1: it takes a callable");
        return NULL;
    }
    const char *head = PyBytes_AS_STRING(args[1]), *body = PyBytes_AS_STRING(args[2]);
    size_t head_bytes = (size_t)PyBytes_GET_SIZE(args[1]), body_bytes = (size_t)PyBytes_GET_SIZE(args[2]);
    char length[64];
    size_t length_chars = (size_t)PyOS_snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n",
                                                head_bytes + body_bytes);
    size_t total = sizeof BEGIN - 1 + (size_t)fields_bytes + (size_t)tail_bytes + length_chars + head_bytes +
                   body_bytes + sizeof END - 1;
    if (which & PAYLOAD) {
        total += sizeof PAYLOAD_NAME - 1 + LABEL_CHARS + 2;
    }
    if (which & BLOCK) {
        total += sizeof BLOCK_NAME - 1 + LABEL_CHARS + 2;
    }
    uint8_t payload[DIGEST_BYTES], block[DIGEST_BYTES];
    if (which && sha1 != Py_None) {
        if ((which & PAYLOAD && called_digest(sha1, args[2], NULL, payload) < 0) ||
            (which & BLOCK && head_bytes && called_digest(sha1, args[1], args[2], block) < 0) ||
            (which == BLOCK && !head_bytes && called_digest(sha1, args[2], NULL, block) < 0)) {
            return NULL;
        }
    }
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)total);
    if (made == NULL) {
        return NULL;
    }
    PyThreadState *others = total >= LONG_BYTES ? PyEval_SaveThread() : NULL;
    int is_block_alone = which == BLOCK || head_bytes;  /* without a head, block and payload are the same bytes */
    if (which && sha1 == Py_None) {
        own_digests((const uint8_t *)head, head_bytes, (const uint8_t *)body, body_bytes,
                    is_block_alone ? (int)which : PAYLOAD, payload, block);
    }
    if (which == (PAYLOAD | BLOCK) && !is_block_alone) {
        memcpy(block, payload, DIGEST_BYTES);
    }
    char *at = put(PyBytes_AS_STRING(made), BEGIN, sizeof BEGIN - 1);
    at = put(at, fields, (size_t)fields_bytes);
    if (which & PAYLOAD) {
        at = put_digest(at, PAYLOAD_NAME, sizeof PAYLOAD_NAME - 1, payload);
    }
    if (which & BLOCK) {
        at = put_digest(at, BLOCK_NAME, sizeof BLOCK_NAME - 1, block);
    }
    at = put(at, tail, (size_t)tail_bytes);
    at = put(at, length, length_chars);
    at = put(at, head, head_bytes);
    at = put(at, body, body_bytes);
    put(at, END, sizeof END - 1);
    if (others != NULL) {
        PyEval_RestoreThread(others);
    }
    char label[LABEL_CHARS];
    Py_ssize_t label_chars = which ? put_label(label, which & PAYLOAD ? payload : block) - label : 0;
    return Py_BuildValue("(Ns#)", made, label, label_chars);
}

PyDoc_STRVAR(has_sha1_doc, "has_sha1()\n--\n\nWhether this CPU has instructions for SHA-1.");

static PyObject *has_sha1(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(is_sha1_here);
}

static PyMethodDef methods[] = {
    {"record", (PyCFunction)(void (*)(void))record, METH_FASTCALL, record_doc},
    {"has_sha1", has_sha1, METH_NOARGS, has_sha1_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_record",
    .m_doc = "WARC records as bytes.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__record(void)
{
    is_sha1_here = cpu_has_sha1();
    return PyModuleDef_Init(&definition);
}
