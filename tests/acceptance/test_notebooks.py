"""The notebooks run from top to bottom, and show what they say that they show."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
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
def desk() -> Iterator[Path]:
    """A folder with the notebooks, and a server in it that runs for all of them."""
    with reachable_folder() as folder:
        for path in NOTEBOOKS.iterdir():
            shutil.copy(path, folder) if path.is_file() else None
        with EmbeddedServer(folder / "memory"):
            yield folder


def run(name: str, folder: Path, claim: str) -> Any:
    """Run a notebook as its reader does, and then a claim in it; returns it with its outputs."""
    notebook = FORMAT.read(folder / f"{name}.ipynb", as_version=4)
    notebook.cells.append(FORMAT.v4.new_code_cell("\n".join(line.strip() for line in claim.splitlines())))
    environment = os.environ | {"IPYTHONDIR": str(folder / "ipython")}
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment)
    return notebook


def test_every_notebook_makes_a_claim() -> None:
    assert [path.stem for path in PATHS] == list(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_it_runs_and_shows_what_it_claims(name: str, desk: Path) -> None:
    notebook = run(name, desk, CLAIMS[name])
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.output_type == "stream"]  # no warning, nothing printed
    html = "".join("".join(output.data.get("text/html", "")) for output in outputs if "data" in output)
    assert '<div class="memoranda">' in html
    pictures = sum("image/svg+xml" in output.get("data", {}) for output in outputs)
    assert pictures == sum("plt.subplots()" in cell.source for cell in notebook.cells)


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
