"""Compare all rankers on labelled memories, in this process.

    python tests/eval/compare.py [--no-model] [--no-chunks] [--long] [--cache FOLDER] [--kinds] [--ranker NAME]...
        [--recency WEIGHT] [FILE.json]...

Without a file: the labelled memory beside this script. Prints for each file and ranker recall@5, recall@8, nDCG@8,
MRR@8, the median milliseconds of a query with its vector given, and by how much the ranker "spread" leads in nDCG@8,
with the 95 % interval.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from labelled import Encoder, read
from measure import Score, interval, mean, score
from memory_lsp.core.chunks import MOST
from rankers import RANKERS, ages, with_recency

if TYPE_CHECKING:
    from labelled import Query, Vault
    from rankers import Rank

OWN = Path(__file__).with_name("data") / "memory.json"


def main() -> None:
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--no-model", action="store_true", help="words and graph only")
    parser.add_argument("--no-chunks", action="store_true", help="one vector a note, however long it is")
    parser.add_argument("--long", action="store_true", help="only queries that a long note answers")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the vectors")
    parser.add_argument("--kinds", action="store_true", help="also by kind of query")
    parser.add_argument("--ranker", action="append", choices=sorted(RANKERS), help="only these")
    parser.add_argument("--recency", type=float, default=0.0, help="prefer newer notes, with ages drawn by chance")
    parser.add_argument("files", nargs="*", type=Path, default=[OWN])
    arguments = parser.parse_args()
    encoder = None if arguments.no_model else Encoder(arguments.cache)
    chosen = {name: RANKERS[name] for name in arguments.ranker or RANKERS}
    if arguments.recency:
        chosen = {name: with_recency(ranker, arguments.recency) for name, ranker in chosen.items()}
    for file in arguments.files or [OWN]:
        vaults = list(read(file, encoder, chunks=not arguments.no_chunks))
        if arguments.recency:
            vaults = [replace(vault, corpus=replace(vault.corpus, days=ages(vault.corpus))) for vault in vaults]
        if arguments.long:
            vaults = [replace(vault, queries=tuple(filter(partial(is_long, vault), vault.queries))) for vault in vaults]
        answered = sum(bool(query.relevant) for vault in vaults for query in vault.queries)
        sys.stdout.write(
            f"\n{file.stem}: {answered} queries, {sum(len(vault.corpus.lexicon) for vault in vaults)} notes\n"
        )
        results = {name: run(vaults, ranker) for name, ranker in chosen.items()}
        _print(results, kinds=arguments.kinds)


def is_long(vault: Vault, query: Query) -> bool:
    """Tell whether a long note is among the answers of a query."""
    return any(len(vault.corpus.lexicon.doc(id).content) > MOST for id in query.relevant)


def run(vaults: list[Vault], ranker: Rank) -> list[tuple[str, Score, float]]:
    """Return the kind, the score and the seconds of each query that has an answer."""
    results: list[tuple[str, Score, float]] = []
    for vault in vaults:
        ranker(vault.corpus, "warm up", None)
        for query in vault.queries:
            if query.relevant:
                started = time.perf_counter()
                ranking = ranker(vault.corpus, query.text, query.vector)
                taken = time.perf_counter() - started
                results.append((query.kind, score(ranking, query.relevant), taken))
    return results


def _print(results: dict[str, list[tuple[str, Score, float]]], *, kinds: bool) -> None:
    out = sys.stdout.write
    best = [each.ndcg for _, each, _ in results.get("spread", [])]
    out(f"{'ranker':<24}{'R@5':>7}{'R@8':>7}{'nDCG@8':>8}{'MRR@8':>7}{'ms':>7}   spread leads by\n")
    for name, rows in results.items():
        values = mean([each for _, each, _ in rows])
        out(f"{name:<24}{_columns(values)}{statistics.median(taken for *_, taken in rows) * 1000:>7.1f}")
        if best and name != "spread":
            differences = [ours - each.ndcg for ours, (_, each, _) in zip(best, rows, strict=True)]
            low, high = interval(differences)
            out(f"   {statistics.mean(differences):+.3f} ({low:+.3f} to {high:+.3f})")
        out("\n")
        for kind in sorted({kind for kind, *_ in rows}) if kinds else ():
            out(f"  {kind:<22}{_columns(mean([each for other, each, _ in rows if other == kind]))}\n")


def _columns(values: Score) -> str:
    return f"{values.recall5:>7.3f}{values.recall8:>7.3f}{values.ndcg:>8.3f}{values.reciprocal:>7.3f}"


if __name__ == "__main__":
    main()
