"""OpenBLAS in one thread, and as before afterwards."""

from posewright.blas import _libraries, one_blas_thread


def threads() -> list[int]:
    return [library.threads() for library in _libraries()]


def test_edits_use_one_thread_and_others_as_many_as_before() -> None:
    before = threads()
    for library in _libraries():
        library.set_threads(2)
    try:
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        assert set(threads()) <= {1}
        first.__exit__(None, None, None)
        assert set(threads()) <= {1}, "the second is still at work"
        second.__exit__(None, None, None)
        assert set(threads()) <= {2}
    finally:
        for library, number in zip(_libraries(), before, strict=True):
            library.set_threads(number)
