"""Random vaults: typed, flat and nested folders, every spelling of a link, tables, both line ends, duplicates."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from memory_lsp.core.note import TYPES
from memory_lsp.core.respell import relative

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

# Pairs of names of one shape, so that a spelling by style survives a rename there and back.
NAMES = {
    "alpha-plan": "omega-path",
    "Beta Note": "Zeta Text",
    "gamma_item": "sigma_unit",
    "übung eins": "prüfung zwei",
    "日本 語": "中国 話",
    "v1.2 plan": "v3.4 path",
    "delta (x)": "theta (y)",
    "one": "two",
    "no-mocks": "real-db",
    "🦊 fox den": "🐻 bear cave",
}
FOLDERS = ("", "", "project", "feedback", "notes/deep", "a b/ü", "project/sub")


@dataclass(frozen=True)
class Seed:
    """One note before its text is written."""

    path: str
    name: str  # "" where the file's name is its name
    alias: str

    @property
    def stem(self) -> str:
        return posixpath.basename(self.path)[:-3]

    @property
    def shown(self) -> str:
        return self.name or self.stem

    @property
    def rest(self) -> str:
        kind = next((kind for kind in TYPES if self.stem.startswith(f"{kind}_")), "")
        return self.stem[len(kind) + 1 :] if kind else self.stem


def random_vault(rng: random.Random, *, there_and_back: bool = False) -> dict[str, str]:
    """Return the files of a vault; `there_and_back` leaves out what a move there and back cannot restore."""
    seeds: dict[str, Seed] = {}
    for _ in range(rng.randint(2, 6)):
        base = rng.choice(list(NAMES))
        folder = rng.choice(FOLDERS)
        prefix = rng.choice(("", "", "feedback_", "project_"))
        path = posixpath.join(folder, f"{prefix}{base}.md")
        name = rng.choice(("", "", base, base.replace("-", " ").replace("_", " "), f"Other {len(seeds)}"))
        alias = rng.choice(("", "", f"alias {len(seeds)}", "shared alias"))
        seeds[path] = Seed(path, name, alias)
    files = [*seeds, *(["MEMORY.md"] if rng.random() < 0.7 else [])]
    return {path: _text(rng, path, seeds, there_and_back=there_and_back) for path in files}


def _text(rng: random.Random, path: str, seeds: dict[str, Seed], *, there_and_back: bool) -> str:
    everything = list(seeds.values())

    def link() -> str:
        return _link(rng, path, rng.choice(everything), there_and_back=there_and_back)

    lines = []
    seed = seeds.get(path)
    if seed is not None and (seed.name or seed.alias or rng.random() < 0.3):
        lines += ["---", *([f"name: {_value(rng, seed.name)}"] if seed.name else []), "description: about x"]
        lines += [f"aliases: [{seed.alias}]"] if seed.alias else []
        if rng.random() < 0.5:
            key, other = rng.choice(("supersedes", "contradicts")), rng.choice(everything)
            form = rng.choice(("[{}]", '["{}"]', '"[[{}]]"', '["[[{}|x]]"]', "{}", "\n  - {}", '\n  - "[[{}]]"'))
            lines.append(f"{key}: " + form.format(rng.choice((other.shown, other.stem, f"{other.stem}.md"))))
        if rng.random() < 0.4:
            lines.append(f'related: "[[{rng.choice(everything).shown}|y]]"')
        lines += ["---"]
    lines += ["# Title", "", f"{link()} and {link()}, é {link()}", "", "## Part (one)", ""]
    lines += [
        "| a | b |",
        "|---|---|",
        f"| {_wiki(rng, path, rng.choice(everything), there_and_back)[:-2]}\\|t]] | x |",
    ]
    lines += ["", f"`{link()}`", "", f"> 🗺 {link()}", f"- {link()}", "", f"[ref][r] [r] {link()}", ""]
    lines += [f"[r]: {_destination(rng, path, rng.choice(everything), there_and_back)}", "^block-1"]
    end = rng.choice(("\n", "\n", "\r\n"))
    text = "\n".join(lines) + rng.choice(("\n", ""))
    return text.replace("\n", end)


def _value(rng: random.Random, name: str) -> str:
    return rng.choice((name, f'"{name}"', f"'{name}'"))


def _link(rng: random.Random, source: str, to: Seed, *, there_and_back: bool) -> str:
    embed = rng.choice(("", "", "!"))
    if rng.random() < 0.6:
        wiki = _wiki(rng, source, to, there_and_back)
        anchor = rng.choice(("", "", "#Part (one)", "#part-one", "#^block-1"))
        label = rng.choice(("", "", "|label", "| one "))
        return f"{embed}{wiki[:-2]}{anchor}{label}]]"
    anchor = rng.choice(("", "#part-one"))
    destination = _destination(rng, source, to, there_and_back)
    if destination.startswith("<"):
        return f"{embed}[t]({destination[:-1]}{anchor}>)"
    return f"{embed}[t]({destination}{anchor})"


def _wiki(rng: random.Random, source: str, to: Seed, there_and_back: bool) -> str:
    path = to.path[:-3]
    spellings: list[Callable[[], str]] = [
        lambda: to.stem,
        lambda: to.shown,
        lambda: to.shown,
        lambda: to.alias or to.stem,
        lambda: to.shown.replace(" ", "-").replace("_", "-"),
        lambda: to.stem.replace("-", " ").replace("_", " "),
        lambda: to.rest,
        lambda: to.rest.replace("_", "-"),
        lambda: path,
        lambda: f"/{path}",
        lambda: f"{to.stem}.md",
        lambda: path if there_and_back else quote(path),
        lambda: f"{path.split('/')[0]}/{to.shown}",
        lambda: "/".join(path.split("/")[-2:]),
    ]
    if not there_and_back:
        spellings += [lambda: relative(path, source), lambda: f"./{relative(path, source)}"]
    return f"[[{rng.choice(spellings)()}]]"


def _destination(rng: random.Random, source: str, to: Seed, there_and_back: bool) -> str:
    near, ending = relative(to.path[:-3], source), rng.choice((".md", ".md", ""))
    if not there_and_back and rng.random() < 0.2:
        near = f"./{near}"
    path = rng.choice((near, near, near, f"/{to.path[:-3]}")) + ending
    style = rng.choice(("percent", "percent", "angle", "percent" if there_and_back else "ascii"))
    if style == "angle":
        return f"<{path}>"
    if style == "ascii":
        return quote(path, safe="/()")
    return path.replace(" ", "%20")
