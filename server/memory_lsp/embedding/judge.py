"""A second opinion on two sentences: how likely they contradict each other, from a cross-encoder that the user has.

It runs in a process of its own, of the same kind as the embedder's, so that neither a query nor the index waits for it,
and a model that fails takes nothing else with it. A judgement comes as a row of three numbers, the square roots of the
chances of contradiction, entailment and neither: such a row has length 1, like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.embedding import locate
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import Plan, find_folder, install_hint, name_of
from memory_lsp.embedding.wire import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_lsp.config import ContradictionsConfig
    from memory_lsp.embedding.client import EmbedderState
    from memory_lsp.embedding.process import Row

_SETTING = "memory.contradictions.model"
_RULES = "Until then rules alone find contradictions."


def judge_plan(model: str) -> Plan:
    """Return what would be loaded for the setting; a model of the hub only where it was downloaded already."""
    model = model.strip()
    if not model:
        return Plan("none", "", "", "", "")
    if not locate.installed("sentence_transformers"):
        return _nothing(f"The setting {_SETTING} needs sentence-transformers. Run `{install_hint()}`.")
    folder, problem = find_folder(model, _SETTING)
    folder = folder or locate.hub_folder(model)
    if problem:
        return _nothing(problem)
    if folder is None:
        return _nothing(
            f"The model {model} of {_SETTING} is not on this machine, and none is downloaded for it. Fetch it once "
            f"(`hf download {model}`), or name a local folder."
        )
    model_id = f"cross-encoder/{name_of(model, folder)}/{locate.fingerprint(folder)}"
    return Plan("cross-encoder", str(folder), model_id, f"The local model {model} on sentence-transformers.", "")


def judge_name(config: ContradictionsConfig) -> str:
    """Return what judgements depend on beside the two sentences, "" where nobody judges."""
    model_id = judge_plan(config.model).model_id
    return f"{model_id}@{config.threshold:g}" if model_id else ""


class Judge:
    """The cross-encoder of a plan; its process runs only while it is needed. Use it from one event loop."""

    def __init__(
        self,
        plan: Plan,
        *,
        idle_timeout: float,
        on_state: Callable[[EmbedderState], None] | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        """Prepare; nothing is started. As for the embedder."""
        self._embedder = Embedder(plan, idle_timeout=idle_timeout, on_state=on_state, command=command, advice=_RULES)

    @property
    def exists(self) -> bool:
        """Tell whether there is a model to be asked."""
        return self._embedder.state.status not in ("off", "failed")

    @property
    def problem(self) -> str:
        """Return why there is no judgement although the settings want one, "" otherwise."""
        state = self._embedder.state
        return state.message if state.status == "failed" else ""

    async def contradicting(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return for each pair of sentences how likely they contradict each other; None where the model cannot tell.

        Each is read in both orders, and the mean counts. Waits as long as it takes; raises EmbeddingError where there
        is no model, or none any more.
        """
        texts = [SEPARATOR.join(pair) for one, other in pairs for pair in ((one, other), (other, one))]
        rows = await self._embedder.embed(texts)
        return [_mean(*rows[at : at + 2]) for at in range(0, len(rows), 2)]

    async def close(self) -> None:
        """End the process and every wait on it at once."""
        await self._embedder.close()


def _mean(one: Row | None, other: Row | None) -> float | None:
    return None if one is None or other is None else float(one[0] ** 2 + other[0] ** 2) / 2


def _nothing(problem: str) -> Plan:
    return Plan("none", "", "", "", problem if problem.endswith(_RULES) else f"{problem} {_RULES}")
