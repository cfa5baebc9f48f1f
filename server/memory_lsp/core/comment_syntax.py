"""How each language marks its comments, and which of its literals may hold what only looks like one.

A language is a list of rules, tried in their order wherever one of them fits first. Only what decides where a comment
begins is described: numbers, names and most of the grammar are passed over. Ids are those of LSP; `ALIASES` has the
names that editors use beside them.

Two things are left to the reader of a comment: a string that starts inside an interpolation (`"${f("x")}"`) ends the
one around it, except in JavaScript's templates; and a comment of a script inside a YAML block counts as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What a rule's match is the beginning of."""

    SKIP = auto()  # a literal, all of it
    RAW = auto()  # a literal up to `closing`, without escapes
    LINE = auto()  # a comment up to the end of its line
    BLOCK = auto()  # a comment up to `closing`
    NESTED = auto()  # a comment up to `closing`, which may hold others
    DOC = auto()  # a literal, all of it; a comment where it is a statement of its own
    HEREDOC = auto()  # a literal of whole lines, up to one that is only the word in the opening
    REGEX = auto()  # a regular expression between slashes, or a division
    TEMPLATE = auto()  # JavaScript's template
    INSIDE = auto()  # a part in another `language`, up to `closing`


@dataclass(frozen=True, slots=True)
class Rule:
    """`opening` is a regular expression; `closing` a text, in which `{0}` is the opening's first group."""

    kind: Kind
    opening: str
    closing: str = ""
    language: str = ""


def _rules(kind: Kind, *openings: str) -> tuple[Rule, ...]:
    return tuple(Rule(kind, opening) for opening in openings)


def _skip(*literals: str) -> tuple[Rule, ...]:
    return _rules(Kind.SKIP, *literals)


def _line(*openings: str) -> tuple[Rule, ...]:
    return _rules(Kind.LINE, *openings)


def _block(opening: str, closing: str) -> tuple[Rule, ...]:
    return (Rule(Kind.BLOCK, opening, closing),)


def _nested(opening: str, closing: str) -> tuple[Rule, ...]:
    return (Rule(Kind.NESTED, opening, closing),)


def _raw(opening: str, closing: str) -> tuple[Rule, ...]:
    return (Rule(Kind.RAW, opening, closing),)


# Literals. Possessive, so that one that never ends is read once. Unless it may hold line ends, it ends with its line.
_DOUBLE = r'"(?:[^"\\\r\n]|\\(?:\r\n|.))*+"?'
_SINGLE = r"'(?:[^'\\\r\n]|\\(?:\r\n|.))*+'?"
_LONG_DOUBLE = r'"(?:[^"\\]|\\.)*+"?'
_LONG_SINGLE = r"'(?:[^'\\]|\\.)*+'?"
_DOUBLED = r'"[^"]*+"?'  # without escapes: a doubled quote is two literals
_SINGLED = r"'[^']*+'?"
_BACKTICKS = r"`[^`]*+`?"
_TRIPLE_DOUBLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
# One character: what is no such thing (a lifetime, a prime, a transposition) must not open a literal.
_CHARACTER = r"'(?:\\(?:u\{[0-9a-fA-F_]{1,8}\}|[xuUo]?[0-9a-fA-F]{1,8}|.)|[^'\\\r\n])'"
_ESCAPED = r"\\."

_START = r"(?<![^\r\n])[ \t]*+"  # of a line
_APART = r"(?<![^\s;&|(),`])"  # the start of a word

_SLASHES = _line("//")
_STARRED = _block(r"/\*", "*/")
_STARRED_NESTED = _nested(r"/\*", "*/")
_HASH = _line("#")
_C = (*_SLASHES, *_STARRED, *_skip(_DOUBLE, _SINGLE))
_TRIPLES = _skip(_TRIPLE_DOUBLE, _TRIPLE_SINGLE)
_CPP = (*_SLASHES, *_STARRED, *_raw(r'R"([^()\\\s"]{0,16})\(', '){0}"'), *_skip(_DOUBLE, rf"(?<![0-9a-fA-F]){_SINGLE}"))
_JAVASCRIPT = (
    *_SLASHES, *_STARRED, *_rules(Kind.REGEX, "/"), *_skip(_DOUBLE, _SINGLE), *_rules(Kind.TEMPLATE, "`"),
)  # fmt: skip
_PYTHON = (*_rules(Kind.DOC, _TRIPLE_DOUBLE, _TRIPLE_SINGLE), *_skip(_DOUBLE, _SINGLE), *_HASH)
_CSS = (*_STARRED, *_skip(_DOUBLE, _SINGLE))
_SCSS = (*_STARRED, *_line("(?<!:)//"), *_skip(_DOUBLE, _SINGLE))
_SHELL = (
    *_line(f"{_APART}#"),
    Rule(Kind.HEREDOC, r"""(?<!<)<<-?[ \t]*(?:\\|["'])?([A-Za-z_]\w*)"""),
    *_skip(_ESCAPED, rf"\${_LONG_SINGLE}", _SINGLED, _LONG_DOUBLE),
)
_XML = (*_block("<!--", "-->"), *_raw(r"<!\[CDATA\[", "]]>"))
_HTML = (
    *_XML,
    Rule(Kind.INSIDE, r"(?i:<script\b[^<>]*>)", "</script", "typescript"),
    Rule(Kind.INSIDE, r"(?i:<style\b[^<>]*>)", "</style", "scss"),
)
_DASHES = _line("--")
_ML_STYLE = (*_nested(r"\(\*(?!\))", "*)"), *_skip(_LONG_DOUBLE, _CHARACTER))
_HASKELL = (
    *_nested(r"\{-", "-}"), *_line(r"(?<![!#$%&*+./<=>?@\\^|~:-])--+(?![!#$%&*+./<=>?@\\^|~:])"),
    *_skip(_DOUBLE, rf"(?<![\w']){_CHARACTER}"),
)  # fmt: skip
_LISP = (*_nested(r"#\|", "|#"), *_line(";"), *_skip(r"#\\.", _LONG_DOUBLE))

SYNTAXES: dict[str, tuple[Rule, ...]] = {
    "ada": (*_DASHES, *_skip(_DOUBLED, _CHARACTER)),
    "bat": _line(rf"(?i:{_START}@?rem\b)", f"{_START}::"),
    "c": _C,
    "clojure": (*_line(";"), *_skip(_ESCAPED, _LONG_DOUBLE)),
    "cmake": (*_block(r"#\[(=*)\[", "]{0}]"), *_HASH, *_raw(r"\[(=*)\[", "]{0}]"), *_skip(_LONG_DOUBLE)),
    "coffeescript": (*_block("###(?!#)", "###"), *_HASH, *_TRIPLES, *_skip(_LONG_DOUBLE, _LONG_SINGLE)),
    "cpp": _CPP,
    "csharp": (
        *_SLASHES, *_STARRED, *_raw(r'("{3,})', "{0}"),
        *_skip(r'(?:\$@|@\$?)"(?:[^"]|"")*+"?', _DOUBLE, _SINGLE),
    ),
    "css": _CSS,
    "d": (*_SLASHES, *_STARRED, *_nested(r"/\+", "+/"), *_raw('r"', '"'), *_skip(_BACKTICKS, _LONG_DOUBLE, _CHARACTER)),
    "dart": (*_SLASHES, *_STARRED_NESTED, *_TRIPLES, *_skip(r'r"[^"\r\n]*+"?', r"r'[^'\r\n]*+'?", _DOUBLE, _SINGLE)),
    "dockerfile": _line(f"{_START}#"),
    "elixir": (
        *_block(r'@(?:module|type)?doc[ \t]+(?:~[sS])?"""', '"""'), *_HASH, *_TRIPLES,
        *_skip(r"(?<!\w)\?\\?\S", _LONG_DOUBLE, _LONG_SINGLE),
    ),
    "emacs-lisp": (*_line(";"), *_skip(r"(?<![\w?])\?\\?.", _LONG_DOUBLE)),
    "erlang": (*_line("%"), *_skip(r"\$\\?.", _LONG_DOUBLE, _LONG_SINGLE)),
    "fortran": (*_line("!"), *_skip(_DOUBLE, _SINGLE)),
    "fsharp": (*_SLASHES, *_TRIPLES, *_skip(r'@"(?:[^"]|"")*+"?'), *_ML_STYLE),
    "glsl": (*_SLASHES, *_STARRED),
    "go": (*_SLASHES, *_STARRED, *_skip(_DOUBLE, _SINGLE, _BACKTICKS)),
    "graphql": (*_HASH, *_skip(_TRIPLE_DOUBLE, _DOUBLE)),
    "groovy": (*_SLASHES, *_STARRED, *_TRIPLES, *_skip(_DOUBLE, _SINGLE)),
    "handlebars": (*_block(r"\{\{!--", "--}}"), *_block(r"\{\{!", "}}"), *_HTML),
    "haskell": _HASKELL,
    "html": _HTML,
    "ini": _line(f"{_START}[;#]"),
    "java": (*_SLASHES, *_STARRED, *_skip(_TRIPLE_DOUBLE, _DOUBLE, _SINGLE)),
    "javascript": _JAVASCRIPT,
    "jinja": (*_block(r"\{#", "#}"), *_HTML),
    "jsonc": (*_SLASHES, *_STARRED, *_skip(_DOUBLE)),
    "julia": (
        *_nested("#=", "=#"), *_HASH, *_rules(Kind.DOC, _TRIPLE_DOUBLE),
        *_skip(_LONG_DOUBLE, rf"(?<![\w\])}}'.]){_CHARACTER}"),
    ),
    "kotlin": (*_SLASHES, *_STARRED_NESTED, *_raw('"""', '"""'), *_skip(_DOUBLE, _SINGLE)),
    "latex": (*_block(r"\\begin\{comment\}", r"\end{comment}"), *_skip(_ESCAPED), *_line("%")),
    "lisp": _LISP,
    "lua": (*_block(r"--\[(=*)\[", "]{0}]"), *_DASHES, *_raw(r"\[(=*)\[", "]{0}]"), *_skip(_DOUBLE, _SINGLE)),
    "makefile": (*_skip(_ESCAPED, r'"(?:[^"\\\r\n]|\\.)*+"', r"'[^'\r\n]*+'"), *_line(f"{_APART}#")),
    "matlab": (
        *_block(rf"{_START}%\{{(?=[ \t]*[\r\n])", "%}"), *_line("%"),
        *_skip(_DOUBLED, r"(?<![\w\])}'.])'[^'\r\n]*+'?"),
    ),
    "nim": (*_nested(r"#\[", "]#"), *_HASH, *_raw('"""', '"""'), *_skip(r'r"[^"\r\n]*+"?', _DOUBLE, _CHARACTER)),
    "nix": (*_HASH, *_STARRED, *_skip(_LONG_DOUBLE, r"''(?:[^']|'(?!')|''(?=['$\\])['$\\])*+(?:'')?")),
    "objective-c": _C,
    "ocaml": _ML_STYLE,
    "pascal": (*_SLASHES, *_block(r"\{", "}"), *_block(r"\(\*", "*)"), *_skip(r"'[^'\r\n]*+'?")),
    "perl": (
        *_block(r"(?<![^\r\n])=[a-z]\w*", "\n=cut"), *_line(f"{_APART}#"),
        Rule(Kind.HEREDOC, r"""<<~?["']?([A-Za-z_]\w*)"""),
        *_rules(Kind.REGEX, "/"), *_skip(_ESCAPED, _LONG_DOUBLE, rf"(?<!\w){_LONG_SINGLE}"),
    ),
    "php": (Rule(Kind.INSIDE, r"<\?(?:php\b|=)", "?>", "php-code"), *_HTML),
    "php-code": (
        *_SLASHES, *_line(r"#(?!\[)"), *_STARRED, Rule(Kind.HEREDOC, r"""<<<[ \t]*["']?([A-Za-z_]\w*)"""),
        *_skip(_LONG_DOUBLE, _LONG_SINGLE, _BACKTICKS),
    ),
    "powershell": (
        *_block("<#", "#>"), *_line(f"{_APART}#"), *_raw(r'@"[ \t]*(?=[\r\n])', '\n"@'),
        *_raw(r"@'[ \t]*(?=[\r\n])", "\n'@"), *_skip('"(?:[^"`]|`.)*+"?', _SINGLED),
    ),
    "prolog": (*_line("%"), *_STARRED, *_skip(r"0'\\?.", _LONG_DOUBLE, _LONG_SINGLE)),
    "properties": _line(f"{_START}[#!]"),
    "proto": _C,
    "python": _PYTHON,
    "r": (
        *_HASH, *_raw(r'[rR]"(-*)\(', '){0}"'), *_raw(r"[rR]'(-*)\(", "){0}'"),
        *_skip(_LONG_DOUBLE, _LONG_SINGLE, _BACKTICKS),
    ),
    "ruby": (
        *_block(r"(?<![^\r\n])=begin\b", "\n=end"), *_line(rf"{_APART}#(?!\{{)"),
        Rule(Kind.HEREDOC, r"""<<[~-]?["'`]?([A-Z_]\w*)"""), *_rules(Kind.REGEX, "/"),
        *_skip(r"(?<![\w)])\?\S(?!\w)", _LONG_DOUBLE, rf"(?<!\w){_LONG_SINGLE}"),
    ),
    "rust": (*_SLASHES, *_STARRED_NESTED, *_raw(r'\b(?:b|c)?r(#*)"', '"{0}'), *_skip(_LONG_DOUBLE, _CHARACTER)),
    "scala": (*_SLASHES, *_STARRED_NESTED, *_raw('"""', '"""'), *_skip(_DOUBLE, _CHARACTER)),
    "scheme": _LISP,
    "scss": _SCSS,
    "shellscript": _SHELL,
    "solidity": _C,
    "sql": (*_DASHES, *_STARRED, *_skip(_SINGLED, _DOUBLED, _BACKTICKS)),
    "svelte": _HTML,
    "swift": (*_SLASHES, *_STARRED_NESTED, *_raw(r'(?<!#)(#{1,16})"', '"{0}'), *_skip(_TRIPLE_DOUBLE, _DOUBLE)),
    "tcl": (*_line(rf"(?:{_START}|(?<=;)[ \t]*)#"), *_skip(_ESCAPED, _LONG_DOUBLE)),
    "terraform": (
        *_HASH, *_SLASHES, *_STARRED, Rule(Kind.HEREDOC, r"<<[-~]?([A-Za-z_]\w*)"), *_skip(_DOUBLE),
    ),
    "toml": (*_HASH, *_skip(_TRIPLE_DOUBLE), *_raw("'''", "'''"), *_skip(_DOUBLE, r"'[^'\r\n]*+'?")),
    "typescript": _JAVASCRIPT,
    "vb": (*_line("'", rf"(?i:{_START}rem\b)"), *_skip(r'"[^"\r\n]*+"?')),
    "vim": (
        *_line(f'{_START}:?[ \t]*+"', '(?<=[ \t])"(?=[^"\r\n]*+(?![^\r\n]))'), *_skip(_DOUBLE, r"'[^'\r\n]*+'?"),
    ),
    "vue": _HTML,
    "xml": _XML,
    "yaml": (
        *_line(r"(?<!\S)#"),
        *_skip(
            r'(?<=[:-][ ])"(?:[^"\\]|\\.)*+"?', r"(?<=[:-][ ])'[^']*+'?",
            r'(?<![^\s\[{,(])"[^"\\\r\n]*+"', r"(?<![^\s\[{,(])'[^'\r\n]*+'",
        ),
    ),
    "zig": (*_SLASHES, *_skip(r"\\\\[^\r\n]*+", _DOUBLE, _CHARACTER)),
}  # fmt: skip
"""The rules of each language."""

_SAME = {
    "ada": ("vhdl",),
    "bat": ("cmd", "dosbatch"),
    "c": ("opencl", "arduino"),
    "clojure": ("edn", "fennel"),
    "cpp": ("c++", "cuda-cpp", "cuda", "objective-cpp", "objcpp"),
    "csharp": ("cs",),
    "dockerfile": ("docker",),
    "emacs-lisp": ("elisp",),
    "glsl": ("hlsl", "wgsl", "shaderlab"),
    "haskell": ("elm", "purescript", "idris", "agda"),
    "html": ("xhtml", "astro", "razor", "aspnetcorerazor"),
    "ini": ("dosini", "conf", "gitconfig", "editorconfig"),
    "javascript": ("javascriptreact",),
    "jinja": ("jinja-html", "twig", "django-html", "htmldjango", "nunjucks"),
    "jsonc": ("json5", "cue"),
    "latex": ("tex", "plaintex", "context"),
    "lisp": ("commonlisp", "common-lisp"),
    "makefile": ("make",),
    "matlab": ("octave",),
    "objective-c": ("objc",),
    "ocaml": ("ocaml.interface", "sml"),
    "properties": ("jproperties",),
    "proto": ("proto3", "thrift", "verilog", "systemverilog", "metal"),
    "powershell": ("ps1",),
    "python": ("starlark", "bzl", "bazel", "gdscript", "cython", "mojo"),
    "r": ("rmd",),
    "ruby": ("crystal",),
    "scheme": ("racket",),
    "scss": ("sass", "less", "stylus"),
    "shellscript": ("sh", "bash", "zsh", "fish", "ksh", "awk"),
    "sql": ("plsql", "pgsql", "mysql"),
    "terraform": ("hcl", "opentofu", "tf"),
    "typescript": ("typescriptreact",),
    "vb": ("vbnet",),
    "vim": ("viml",),
    "xml": ("xsl", "svg"),
    "yaml": ("dockercompose", "github-actions-workflow", "ansible", "helm", "yml"),
}
ALIASES: dict[str, str] = {alias: name for name, aliases in _SAME.items() for alias in aliases}
"""Other ids of a language with the same comments."""

_PARTS = frozenset(("php-code",))  # no language of its own
LANGUAGES: frozenset[str] = frozenset((*SYNTAXES, *ALIASES)) - _PARTS
"""Every id whose comments are known."""
