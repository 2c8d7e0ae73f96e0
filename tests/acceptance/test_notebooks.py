"""The notebooks run from top to bottom, and show what they say that they show."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from memoranda.transport.embedded import EmbeddedServer
from support.servers import reachable_folder

FORMAT: Any = nbformat  # neither has types
NotebookClient: Any = nbclient.NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))

# What a reader is told, asked of the notebook's own variables when it has ended.
CLAIMS = {
    "01_quickstart": """
        assert [each.fact.content[19:22] for each in story] == ["GBP", "EUR"]       # nothing was overwritten
        assert [each.outcome for each in outcomes] == ["stored"] * 4 + ["duplicate"]
        assert (moved_on.outcome, moved_on.rule) == ("superseded", "moved on")
        assert hits[0].fact.content.startswith("The invoice") and not hits[0].why.words  # by meaning alone
        assert [row.index(max(row)) for row in near] == [facts.index(fact) for fact in (
            "The invoice XQ-4471 is due on Friday.", "Anna moved to Porto in May.", "My rent is 950 euros a month.",
            "The cat sleeps on the sofa.")]
        assert "GBP" in block.text and "EUR" not in block.text and block.tokens <= 1200
        assert others == [] and len(without_await) == 5
    """,
    "02_pydantic_ai": """
        assert (answer, other) == ("You live in Porto.", "I don't know.")
        assert [entry.actor for entry in log] == ["model"] and log[0].run_id and log[0].tool_call_id
        assert max(with_memory) < 2 * min(with_memory) and with_history[-1] > 5 * with_history[0]
        assert with_history[-1] > 2 * with_memory[-1]
    """,
    "03_langchain": """
        assert (answer, other, chained.text) == ("On Tuesday.", "I don't know.", "On Tuesday.")
        assert blocking["messages"][-1].text == "On Tuesday."
        assert [each.verb for each in story] == ["edited", "created"] and story[-1].actor == "model"
    """,
    "04_time_travel_and_review": """
        assert (believed.content, known.content) == ("Anna works at Beta.", "Anna works at Delta.")
        assert [[fact.content[14:-1] for fact in row] for row in answers] == [
            ["Acme"] * 10, ["Acme"] * 3 + ["Beta"] * 7, ["Acme"] * 3 + ["Delta"] * 7,
            ["Acme"] * 3 + ["Delta"] * 4 + ["Gamma"] * 3]
        assert (approved.outcome, rejected.outcome) == ("superseded", "rejected")
        assert again.outcome == "rejected" and again.rule == "tombstone"
        assert set(undone.removed) == {"/memories/plan.md", "plan"}
    """,
    "05_what_is_not_protected": """
        assert stranger == [] and len(claimed) == 1                  # 1, and so on: what is not protected is shown
        assert len(read_by_admin) >= 1
        assert in_backup >= 1 and rows_left == 0
        assert obeyed == "Sent!"
        assert not in_recall and any(SECRET in each.fact.content for each in in_history)
        assert receipt.complete
        assert counted["saved"][0] > 0 and counted["erased"][0] > 0 and counted["VACUUM FULL"][0] == 0
    """,
}


@pytest.fixture(scope="module")
def shown() -> dict[str, list[Any]]:
    """The cells of each notebook, as they were left when it had run from top to bottom, its claim last.

    They share a server and a kernel, in which each begins with no names: what takes longest are starts and imports.
    """
    cells: dict[str, list[Any]] = {}
    for path in PATHS:
        claim = "\n".join(line.strip() for line in CLAIMS[path.stem].splitlines())
        afresh = FORMAT.v4.new_code_cell("%reset -f")
        cells[path.stem] = [afresh, *FORMAT.read(path, as_version=4).cells, FORMAT.v4.new_code_cell(claim)]
    whole = FORMAT.v4.new_notebook(cells=[cell for each in cells.values() for cell in each])
    with reachable_folder() as folder:
        shutil.copy(NOTEBOOKS / "plots.mplstyle", folder)
        environment = os.environ | {"IPYTHONDIR": str(folder / "ipython")}
        place = {"metadata": {"path": str(folder)}}
        with EmbeddedServer(folder / "memory"):
            NotebookClient(whole, timeout=120, kernel_name="python3", allow_errors=True, resources=place).execute(
                env=environment
            )
    return cells


def test_every_notebook_makes_a_claim() -> None:
    assert [path.stem for path in PATHS] == list(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_it_runs_and_shows_what_it_claims(name: str, shown: dict[str, list[Any]]) -> None:
    code = [cell for cell in shown[name] if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert not ["\n".join(output.traceback) for output in outputs if output.output_type == "error"]
    assert all(cell.execution_count for cell in code)
    assert not [output for output in outputs if output.output_type == "stream"]  # no warning, nothing printed
    html = "".join(output.data.get("text/html", "") for output in outputs)
    assert '<div class="memoranda">' in html
    pictures = sum("image/svg+xml" in output.data for output in outputs)
    assert pictures == sum("plt.subplots()" in cell.source for cell in code)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs_and_opens_with_what_the_reader_will_have(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    FORMAT.validate(FORMAT.from_dict(notebook))
    first, *cells = notebook["cells"]
    assert "At the end you will have" in "".join(first["source"])
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not [cell for cell in code if cell["outputs"] or cell["execution_count"]]
    assert max(len("".join(cell["source"]).splitlines()) for cell in code) <= 20
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
