"""What can be asked for on the command line, and the help that says so.

Everything is written out here, so that `--help` and a usage error import none of what the commands need.
"""

from __future__ import annotations

import argparse
import difflib
from typing import TYPE_CHECKING, NoReturn

from memory_lsp import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TYPES = ("user", "feedback", "project", "reference")
_WIDTH = 100
_EPILOG = "Data goes to standard output, everything else to standard error. Exit status: {}."


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are one line, and whose help looks the same under every Python."""

    def __init__(self, *, prog: str, usage: str, description: str, status: str = "0 done, 2 wrong usage") -> None:
        super().__init__(
            prog=prog, usage=f"{prog} {usage}".strip(), description=description, epilog=_EPILOG.format(status),
            formatter_class=_Formatter, allow_abbrev=False, add_help=False,
        )  # fmt: skip
        self.color = False
        self.add_argument("-h", "--help", action="help", help="show this help and exit")

    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong with the arguments, and exit with status 2."""
        text = " ".join(message.split()).rstrip(".")
        self.exit(2, f"{self.prog}: {text}{'' if text.endswith('?') else '.'} See `{self.prog} --help`.\n")


class _Formatter(argparse.HelpFormatter):
    """Writes `-d, --directory DIR` as Python 3.13 and later do."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_WIDTH)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return action.metavar if isinstance(action.metavar, str) else action.dest
        names = ", ".join(action.option_strings)
        return f"{names} {action.metavar}" if action.nargs != 0 and isinstance(action.metavar, str) else names


def main_parser() -> Parser:
    """Return the parser of the program without a command."""
    commands = "\n".join(f"  {name:<10}{make().description}" for name, make in COMMANDS.items())
    parser = Parser(
        prog="memory-lsp",
        usage="[--stdio] [COMMAND ...]",
        description="A language server for a directory of memory notes. Without a command it serves LSP on standard "
        "input and output.",
    )
    parser.epilog = f"commands:\n{commands}\n\n`memory-lsp COMMAND --help` says more about each."
    parser.formatter_class = _RawEpilog
    parser.add_argument("--version", action="version", version=f"memory-lsp {__version__}", help="show the version")
    _serving(parser)
    return parser


class _RawEpilog(_Formatter):
    """Keeps the lines of the list of commands."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("commands:") else super()._fill_text(text, width, indent)


def parse(argv: Iterable[str]) -> tuple[str, argparse.Namespace]:
    """Return the command and its arguments; exits with status 2 and one line where they are wrong."""
    arguments = list(argv)
    if not arguments or arguments[0].startswith("-"):
        if not {"-h", "--help"} & set(arguments) and (named := set(COMMANDS) & set(arguments)):
            main_parser().error(f"options come after the command, as in `memory-lsp {min(named)} {arguments[0]} ...`")
        return "serve", main_parser().parse_args(arguments)
    name, *rest = arguments
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)}"
        main_parser().error(f"there is no command {name!r}; {hint}")
    return name, COMMANDS[name]().parse_args(rest)


def _command(name: str, usage: str, description: str, status: str = "0 done, 2 wrong usage") -> Parser:
    parser = Parser(prog=f"memory-lsp {name}", usage=usage, description=description, status=status)
    parser.add_argument(
        "-d", "--directory", metavar="DIR", default=".",
        help="the memory directory, or a folder that has one; default: the current folder",
    )  # fmt: skip
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides",
        help="override a setting, such as embedding.backend=none; may be given again",
    )  # fmt: skip
    return parser


def _serving(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="serve on standard input and output, as is the default")
    # Editors pass it; `initialize` names the process to follow, so there is nothing to do with it.
    parser.add_argument("--clientProcessId", metavar="PID", type=int, help="accepted, since editors pass it")


def _serve() -> Parser:
    parser = Parser(
        prog="memory-lsp serve", usage="[--stdio]", description="Serve LSP on standard input and output, for editors.",
        status="0 after shutdown and exit, 1 after exit alone, 2 wrong usage",
    )  # fmt: skip
    _serving(parser)
    return parser


def _retrieve() -> Parser:
    parser = _command(
        "retrieve", "[-d DIR] [--limit N] [--type T]... [--explain | --json] [--set KEY=VALUE]... QUERY",
        "Find the notes that belong to a question or a task.", "0 done, 1 nothing found, 2 wrong usage",
    )  # fmt: skip
    parser.add_argument("query", metavar="QUERY", help="what the notes should be about; '' lists the first notes")
    parser.add_argument("--limit", metavar="N", type=_count, help="how many notes at most; default: retrieval.limit, 8")
    parser.add_argument(
        "--type", metavar="T", action="append", default=[], dest="types",
        help=f"only notes of this type ({', '.join(TYPES)}, or your own); may be given again",
    )  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--explain", action="store_true", help="show how each note was reached and what made its score")
    form.add_argument("--json", action="store_true", help="print what the request memory/retrieve answers")
    return parser


def _check() -> Parser:
    parser = _command(
        "check", "[-d DIR] [--format FORMAT] [--fail-on SEVERITY] [--set KEY=VALUE]... [PATH ...]",
        "Report everything that is wrong with the notes, for CI and hooks.",
        "0 nothing to report, 1 findings of the severity of --fail-on or worse, or files that cannot be read, "
        "2 wrong usage",
    )  # fmt: skip
    parser.add_argument(
        "--format", metavar="FORMAT", choices=("text", "json", "sarif", "github"), default="text",
        help="text, json, sarif (version 2.1.0) or github (workflow commands); default: text",
    )  # fmt: skip
    parser.add_argument(
        "--fail-on", metavar="SEVERITY", choices=("error", "warning"), default="warning",
        help="the least severity that makes the exit status 1: error or warning; default: warning",
    )  # fmt: skip
    _paths(parser, "report")
    return parser


def _redact() -> Parser:
    parser = _command(
        "redact", "[-d DIR] [--write] [--set KEY=VALUE]... [PATH ...]",
        "Replace the secrets in notes by references; shows a diff without their values.",
        "0 nothing to redact or all of it written, 1 secrets found and nothing written, 2 wrong usage",
    )  # fmt: skip
    parser.add_argument("--write", action="store_true", help="write the notes; without it nothing is changed")
    _paths(parser, "redact")
    return parser


def _allow() -> Parser:
    parser = _command(
        "allow", "[-d DIR] [--yes] [--set KEY=VALUE]... PATH[:LINE] ...",
        "Put values that only look like secrets on the allow list, as digests.",
        "0 done, 1 no secret there or nothing written, 2 wrong usage",
    )  # fmt: skip
    parser.add_argument("--yes", action="store_true", help="write without asking; without it a terminal is asked")
    parser.add_argument(
        "places", metavar="PATH[:LINE]", nargs="+", help="a note and the line of the value; without a line, all of it"
    )
    return parser


def _stats() -> Parser:
    parser = _command("stats", "[-d DIR] [--json] [--set KEY=VALUE]...", "Count notes, vectors, nodes, edges and more.")
    parser.add_argument("--json", action="store_true", help="print what the request memory/stats answers")
    return parser


def _rebuild() -> Parser:
    return _command(
        "rebuild", "[-d DIR] [--set KEY=VALUE]...", "Make the index under .graph/ anew from the notes.",
        "0 done, 1 some notes got no vector or nothing could be made, 2 wrong usage",
    )  # fmt: skip


def _graph() -> Parser:
    parser = _command(
        "graph", "[-d DIR] [--format FORMAT] [--set KEY=VALUE]...", "Print the graph of notes, tags and clusters."
    )
    parser.add_argument(
        "--format", metavar="FORMAT", choices=("json", "dot", "mermaid"), default="json",
        help="json, dot (Graphviz) or mermaid; default: json",
    )  # fmt: skip
    return parser


def _doctor() -> Parser:
    parser = _command(
        "doctor", "[-d DIR] [--json] [--set KEY=VALUE]...",
        "Say what is installed, which model is used and why, what is wrong and how to fix it.",
        "0 all is well, 1 something is wrong, 2 wrong usage",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")
    return parser


def _paths(parser: argparse.ArgumentParser, verb: str) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help=f"{verb} only these notes and folders; default: all")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000, got {text!r}")
    return int(text)


COMMANDS: dict[str, Callable[[], Parser]] = {
    "serve": _serve,
    "retrieve": _retrieve,
    "check": _check,
    "redact": _redact,
    "allow": _allow,
    "stats": _stats,
    "rebuild": _rebuild,
    "graph": _graph,
    "doctor": _doctor,
}
"""The parser of each command, in the order in which help lists them."""
