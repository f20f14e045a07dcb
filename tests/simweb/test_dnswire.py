from __future__ import annotations

import pytest

from weft.simweb.dnswire import (
    TYPE_A,
    TYPE_AAAA,
    BadQueryError,
    ResponseCode,
    decode_query,
    encode_response,
    type_of_address,
)

QUESTION = b"\x03wWw\x06amber3\x04Test\x00\x00\x01\x00\x01"
QUERY = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + QUESTION


def test_a_query_is_decoded_without_regard_to_case() -> None:
    query = decode_query(QUERY)
    assert (query.id, query.name, query.type, query.recursion_desired) == (
        0x1234,
        "www.amber3.test",
        TYPE_A,
        True,
    )


def test_options_after_the_question_are_ignored() -> None:
    option = b"\x00\x00\x29\x10\x00\x00\x00\x00\x00\x00\x00"
    with_option = QUERY[:11] + b"\x01" + QUERY[12:] + option
    assert decode_query(with_option) == decode_query(QUERY)


def test_an_answer_repeats_the_question_and_carries_address_and_ttl() -> None:
    response = encode_response(decode_query(QUERY), addresses=("127.1.0.9",), ttl_s=300)
    header = b"\x12\x34\x85\x80\x00\x01\x00\x01\x00\x00\x00\x00"
    record = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x01\x2c\x00\x04\x7f\x01\x00\x09"
    assert response == header + QUESTION + record


def test_an_ipv6_address_is_a_record_of_its_own_type() -> None:
    query = decode_query(QUERY[:-3] + b"\x1c" + QUERY[-2:])
    response = encode_response(query, addresses=("::1",), ttl_s=1)
    assert query.type == TYPE_AAAA
    assert response.endswith(b"\xc0\x0c\x00\x1c\x00\x01\x00\x00\x00\x01\x00\x10" + bytes(15) + b"\x01")
    assert (type_of_address("::1"), type_of_address("127.0.0.1")) == (TYPE_AAAA, TYPE_A)


def test_an_error_has_its_code_and_no_records() -> None:
    response = encode_response(decode_query(QUERY), ResponseCode.NXDOMAIN)
    assert response == b"\x12\x34\x85\x83\x00\x01\x00\x00\x00\x00\x00\x00" + QUESTION


@pytest.mark.parametrize("length", range(len(QUERY)))
def test_a_query_cut_anywhere_is_refused(length: int) -> None:
    with pytest.raises(BadQueryError):
        decode_query(QUERY[:length])


@pytest.mark.parametrize(
    "datagram",
    [
        QUERY[:2] + b"\x81\x00" + QUERY[4:],  # a response
        QUERY[:4] + b"\x00\x02" + QUERY[6:],  # two questions
        QUERY[:12] + b"\xc0\x0c\x00\x01\x00\x01",  # a pointer to itself
        QUERY[:-1] + b"\x03",  # another class
    ],
)
def test_what_is_no_plain_query_is_refused(datagram: bytes) -> None:
    with pytest.raises(BadQueryError):
        decode_query(datagram)
