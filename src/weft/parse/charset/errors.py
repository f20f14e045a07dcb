"""How broken may a text be and still be what it is said to be?

One broken byte does not make another charset of a page: sites cut texts in the middle of a character, and paste what
was written elsewhere. A wrong charset shows in more: of the characters beyond ASCII, a tenth or more become errors,
mostly far more than that. So one error in twenty is let pass.

In UTF-8 a character of several bytes hardly comes about by chance, so each one speaks for it. A page that is labelled
UTF-8 may have one error to two of them: an English page with two typographic apostrophes, and an é from elsewhere.

The last character is not counted: a page that was cut at a limit may be cut in the middle of it, or of the escape
sequence before it, which makes two errors.
"""

from __future__ import annotations

from typing import Final

_REPLACEMENT: Final = "\ufffd"
_ERRORS_OF_A_CUT: Final = 2
_SOUND_TO_ONE_ERROR: Final = 20
_SOUND_TO_ONE_ERROR_IF_LABELLED_UTF8: Final = 2
_LEAST_SOUND_IF_NOT_LABELLED_UTF8: Final = 3  # one or two may come about by chance


def has_few_errors(text: str) -> bool:
    """Whether nearly all bytes beyond ASCII became characters; `text` has U+FFFD for those that did not."""
    return _REPLACEMENT not in text or _is_sound(text, _SOUND_TO_ONE_ERROR)


def is_nearly_utf8(text: str, is_labelled: bool) -> bool:
    """Whether a text that was decoded as UTF-8, with U+FFFD for errors, is UTF-8 all the same."""
    if is_labelled:
        return _is_sound(text, _SOUND_TO_ONE_ERROR_IF_LABELLED_UTF8)
    return _is_sound(text, _SOUND_TO_ONE_ERROR, _LEAST_SOUND_IF_NOT_LABELLED_UTF8)


def _is_sound(text: str, sound_to_one_error: int, least_sound: int = 1) -> bool:
    broken = text.count(_REPLACEMENT)
    sound = len(text) - len(text.encode("ascii", "ignore")) - broken
    at_end = len(text) - len(text.rstrip(_REPLACEMENT))
    return sound >= least_sound and sound >= sound_to_one_error * (broken - min(at_end, _ERRORS_OF_A_CUT))
