"""The settings of section `memory`: types, defaults, bounds, and what each is for.

The dataclasses below are the one source: `read_settings` fills them from JSON, `docs/configuration.md` and the editor
extension's manifest are generated from them. A field's metadata holds its description (`doc`) and, where they apply,
`choices`, `minimum` and `maximum`.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory_lsp.core.comment_syntax import LANGUAGES
from memory_lsp.core.lint_codes import CODES, Severity

Backend = Literal["auto", "onnx", "sentence-transformers", "none"]
Ranker = Literal["cascade", "spread"]
Superseded = Literal["demote", "hide", "show"]
ANY_LANGUAGE = "*"
LEVELS: tuple[str, ...] = ("off", "hint", "information", "warning", "error")


def _option(default: object, doc: str, **bounds: object) -> typing.Any:  # noqa: ANN401  dataclasses.field is untyped too
    metadata = {"doc": doc, **bounds}
    if isinstance(default, list | dict):
        frozen = tuple(default) if isinstance(default, list) else default
        return field(default_factory=lambda: frozen, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """How texts become vectors."""

    backend: Backend = _option(
        "auto",
        "What computes the vectors. `auto` takes onnxruntime with the packaged MiniLM where it is installed, else "
        "sentence-transformers, else keywords alone; `none` switches vectors off.",
    )
    model: str = _option(
        "",
        "Another model: a local folder, an installed package that carries one, or a name on the Hugging Face hub. "
        "Empty means all-MiniLM-L6-v2.",
    )
    idle_timeout: float = _option(
        600.0, "Seconds without a request after which the model's process is stopped; 0 keeps it.", minimum=0
    )


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """Which notes belong in the next prompt."""

    limit: int = _option(8, "How many notes an answer holds at most.", minimum=1, maximum=1000)
    seeds: int = _option(10, "How many notes the vectors choose as seeds.", minimum=1, maximum=1000)
    threshold: float = _option(0.4, "The least cosine similarity of a seed.", minimum=-1, maximum=1)
    max_depth: int = _option(2, "How many hops the graph is walked from a seed.", minimum=0, maximum=6)
    decay: float = _option(0.7, "What a score is multiplied with at each hop.", minimum=0, maximum=1)
    chunks: bool = _option(
        True,
        "Embed the passages of long notes too, so that a detail deep in a note finds it; off saves the time and space.",
    )
    ranker: Ranker = _option(
        "spread",
        "How notes are ranked: `spread` weighs meaning, words, names and the graph together; `cascade` walks from the "
        "seeds that the vectors choose.",
    )
    superseded: Superseded = _option(
        "demote",
        "What happens to a note that another replaces: ranked below its successor (with `spread`), left out, or "
        "treated like any other.",
    )
    min_score: float = _option(
        0.15,
        "How well the best note must fit, from 0 to 1, for `spread` to answer at all; 0 answers always. Counts where "
        "the query has a vector.",
        minimum=0,
        maximum=1,
    )
    gap: float = _option(
        0.0,
        "With `spread`: leave out notes whose score is below this share of the best one's.",
        minimum=0,
        maximum=1,
    )
    recency: float = _option(
        0.0,
        "Which share of its score a note can lose by its age, counted in days from the newest note of the directory; "
        "0 looks at no dates. The frontmatter's `updated`, `created` or `date` counts, else the time of the file.",
        minimum=0,
        maximum=1,
    )
    recency_half_life: float = _option(
        90.0, "After how many days half of that share is lost.", minimum=0.5, maximum=36500
    )


@dataclass(frozen=True, slots=True)
class TagsConfig:
    """What counts as a tag."""

    inline: bool = _option(False, "Read `#tags` in the text of a note too, not only in its frontmatter.")


@dataclass(frozen=True, slots=True)
class LinksConfig:
    """Where links count beside notes."""

    languages: tuple[str, ...] = _option(
        [],
        "Languages, by their LSP ids such as `python` or `typescript`, in whose comments `[[links]]` to notes count; "
        "`*` means every language that is known. Empty means: only notes hold links.",
    )

    def include(self, language: str) -> bool:
        """Tell whether links count in the comments of a language."""
        return language in LANGUAGES and (language in self.languages or ANY_LANGUAGE in self.languages)


@dataclass(frozen=True, slots=True)
class InlayHintsConfig:
    """What is shown inside the text."""

    links: bool = _option(False, "Show the type and description of a note behind each bare link to it.")
    mentions: bool = _option(False, "Show where the text names another note without a link to it.")


@dataclass(frozen=True, slots=True)
class ContradictionsConfig:
    """Which notes cannot both be right."""

    detect: bool = _option(
        True, "Compare each changed note with its nearest neighbours and report what seems to contradict them."
    )
    model: str = _option(
        "",
        "A cross-encoder for natural language inference that is asked beside the rules, on sentence-transformers: a "
        "local folder, or a name on the Hugging Face hub that was downloaded already; none is downloaded for it.",
    )
    threshold: float = _option(
        0.9,
        "With such a model: how sure it must be to report what the rules do not, or to take back what they report.",
        minimum=0.5,
        maximum=1,
    )


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """What is written beside the notes."""

    vaults: bool = _option(
        False, "Write the sidecar `.graph/` into any folder of notes, not only into memory directories."
    )


@dataclass(frozen=True, slots=True)
class SecretsConfig:
    """What counts as a secret."""

    disabled: tuple[str, ...] = _option(
        [], "Ids of secret rules that are switched off, such as `random-near-name`; docs/secrets.md lists them."
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one client."""

    directories: tuple[str, ...] = _option(
        [],
        "Memory directories: absolute paths, `~`, or paths below the workspace folder; `claude` and `freecode` stand "
        "for the directory which that tool keeps for this workspace. Empty means: look for them.",
    )
    exclude: tuple[str, ...] = _option(
        [], "Globs of files and folders that are left out, relative to the memory directory."
    )
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    tags: TagsConfig = field(default_factory=TagsConfig)
    links: LinksConfig = field(default_factory=LinksConfig)
    inlay_hints: InlayHintsConfig = field(default_factory=InlayHintsConfig)
    contradictions: ContradictionsConfig = field(default_factory=ContradictionsConfig)
    index: IndexConfig = field(default_factory=IndexConfig)
    secrets: SecretsConfig = field(default_factory=SecretsConfig)
    diagnostics: Mapping[str, str] = _option(
        {}, "The severity of each diagnostic code: `off`, `hint`, `information`, `warning` or `error`."
    )

    def severity(self, code: str) -> Severity | None:
        """Return the severity that findings of `code` are reported with, None where they are off."""
        level = self.diagnostics.get(code)
        if level is None:
            return CODES[code].severity
        return None if level == "off" else Severity[level.upper()]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting as its users see it: `retrieval.maxDepth`, its default and its bounds."""

    key: str
    kind: object
    default: object
    doc: str
    minimum: float | None
    maximum: float | None


def options(section: type = Settings, prefix: str = "") -> Iterator[Option]:
    """Yield every setting, sections flattened to dotted keys."""
    hints = typing.get_type_hints(section)
    for item in dataclasses.fields(section):
        key, kind = prefix + _camel(item.name), hints[item.name]
        if dataclasses.is_dataclass(kind):
            yield from options(typing.cast("type", kind), f"{key}.")
            continue
        default = (
            item.default
            if item.default is not dataclasses.MISSING
            else typing.cast("typing.Any", item).default_factory()
        )
        meta = item.metadata
        yield Option(key, kind, default, meta["doc"], meta.get("minimum"), meta.get("maximum"))


def read_settings(raw: object, base: Settings | None = None) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings that a client sent, and one plain sentence for each value that could not be taken.

    A bad value falls back to its default (or to `base`); unknown keys are ignored, since other tools may share the
    section. Both nested objects and dotted keys are understood.
    """
    base = base or Settings()
    if raw is None:
        return base, ()
    if not isinstance(raw, dict):
        return base, (f"memory: expected an object of settings, got {_show(raw)}; the defaults are used.",)
    problems: list[str] = []
    settings: Settings = _read_section(Settings, _nest(raw), base, "", problems)
    problems += _unknown_rules(settings.secrets.disabled)
    problems += _unknown_languages(settings.links.languages)
    return settings, tuple(problems)


def _unknown_rules(ids: tuple[str, ...]) -> Iterator[str]:
    if ids:
        from memory_lsp.core.secrets import RULES  # a hundred patterns, which most commands do without

        known = {rule.id for rule in RULES}
        for number, each in enumerate(ids, start=1):
            if each not in known:
                shown = _show(each) if re.fullmatch(r"[a-z-]{1,40}", each) else f"entry {number}"
                yield f"memory.secrets.disabled: {shown} is no secret rule; docs/secrets.md lists them."


def _unknown_languages(languages: tuple[str, ...]) -> Iterator[str]:
    for each in languages:
        if each not in LANGUAGES and each != ANY_LANGUAGE:
            yield f"memory.links.languages: {_show(each)} has no comments we know; docs/editors.md lists what has."


def _read_section(
    section: type, raw: Mapping[str, object], base: object, prefix: str, problems: list[str]
) -> typing.Any:  # noqa: ANN401  the section's own type
    hints, values = typing.get_type_hints(section), {}
    for item in dataclasses.fields(section):
        name, kind, current = _camel(item.name), hints[item.name], getattr(base, item.name)
        if name not in raw or raw[name] is None:
            values[item.name] = current
        elif item.name == "diagnostics":
            values[item.name] = {**current, **_read_levels(raw[name], problems)}
        elif dataclasses.is_dataclass(kind):
            inner = raw[name]
            if isinstance(inner, dict):
                values[item.name] = _read_section(
                    typing.cast("type", kind), inner, current, f"{prefix}{name}.", problems
                )
            else:
                values[item.name] = current
                problems.append(f"memory.{prefix}{name}: expected an object, got {_show(inner)}; the default is used.")
        else:
            values[item.name] = _read_value(raw[name], kind, item, current, f"memory.{prefix}{name}", problems)
    return section(**values)


def _read_value(
    value: object, kind: object, item: dataclasses.Field[object], current: object, key: str, problems: list[str]
) -> object:
    wanted = _wanted(kind, item)
    if typing.get_origin(kind) is Literal:
        if value in typing.get_args(kind):
            return value
    elif kind is bool:
        if isinstance(value, bool):
            return value
    elif kind in (int, float):
        # JSON clients may send 8.0 for 8; true is no number although Python says so.
        number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
        if number and (kind is float or float(typing.cast("float", value)).is_integer()):
            low, high = item.metadata.get("minimum"), item.metadata.get("maximum")
            amount = typing.cast("float", value)
            if (low is None or amount >= low) and (high is None or amount <= high):
                return typing.cast("type", kind)(amount)
    elif kind is str:
        if isinstance(value, str):
            return value
    elif isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    problems.append(f"{key}: expected {wanted}, got {_show(value)}; the default is used.")
    return current


def _read_levels(raw: object, problems: list[str]) -> dict[str, str]:
    if not isinstance(raw, dict):
        problems.append(f"memory.diagnostics: expected an object of codes, got {_show(raw)}; the defaults are used.")
        return {}
    levels = {}
    for code, level in raw.items():
        level = "off" if level is False else level
        if code not in CODES:
            problems.append(f"memory.diagnostics.{code}: there is no such diagnostic code.")
        elif level in LEVELS:
            levels[code] = level
        else:
            expected = ", ".join(LEVELS)
            problems.append(
                f"memory.diagnostics.{code}: expected one of {expected}, got {_show(level)}; the default is used."
            )
    return levels


def _wanted(kind: object, item: dataclasses.Field[object]) -> str:
    if typing.get_origin(kind) is Literal:
        return "one of " + ", ".join(typing.get_args(kind))
    low, high = item.metadata.get("minimum"), item.metadata.get("maximum")
    bounds = (
        f" from {low} to {high}"
        if low is not None and high is not None
        else f" of at least {low}"
        if low is not None
        else ""
    )
    names = {bool: "true or false", int: f"a whole number{bounds}", float: f"a number{bounds}", str: "a text"}
    return names.get(typing.cast("type", kind), "a list of texts")


def _nest(raw: Mapping[str, object]) -> dict[str, object]:
    """Turn dotted keys (`retrieval.limit`) into nested objects; some clients send them flat."""
    nested: dict[str, object] = {}
    for key, value in raw.items():
        head, *rest = str(key).split(".", 1)
        if rest:
            inner = nested.setdefault(head, {})
            if isinstance(inner, dict):
                inner[rest[0]] = value
        elif isinstance(value, dict) and isinstance(nested.get(head), dict):
            nested[head] = {**typing.cast("dict[str, object]", nested[head]), **_nest(value)}
        else:
            nested[head] = _nest(value) if isinstance(value, dict) and head != "diagnostics" else value
    return nested


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _show(value: object) -> str:
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
