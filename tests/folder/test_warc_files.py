"""Archives in which more lies than one crawl has written: `weft repair` makes a whole crawl of them, too."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.faults.repairs import half_done, lose_database
from tests.pipeline.crawling import crawl_all, quick_config, resume
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec

WEB = WebSpec(hosts=8, pages=120, seed=5)


def test_files_of_two_crawls_put_together_are_all_read_although_they_bear_the_same_numbers(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    with SimProcess(WEB) as sim:
        half_done(one, sim)
        crawl_all(other, quick_config(sim, workers=2, fixed=True))
        for path in (other / "archive").iterdir():
            shutil.copy(path, one / "archive" / path.name.replace("weft-20", "weft-21"))
        lose_database(one)
        repair(one)
        ending, files = resume(one, max_pages=None)
        truth = sim.web.truth()
        assert ending is Ending.DONE
        assert files.responses().keys() == truth.fetchable
        with CrawlReader(one) as reader:
            assert all(reader.response(row).status == row.status for row in reader.rows() if row.file)


def test_a_copy_of_a_file_from_before_it_was_finished_takes_nothing_from_the_file(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        _, before = crawl_all(tmp_path, quick_config(sim))
        (file,) = before.warcs
        whole = file.read_bytes()
        file.with_name(f"{file.name}.open").write_bytes(whole[: len(whole) // 2])
        lose_database(tmp_path)
        assert repair(tmp_path).files == 1
        assert file.read_bytes() == whole
        ending, after = resume(tmp_path)
    assert ending is Ending.DONE
    assert after.responses() == before.responses()
