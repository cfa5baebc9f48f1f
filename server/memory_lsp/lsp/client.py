"""What the client said it can do, as questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lsprotocol import types
from pygls.capabilities import get_capability

if TYPE_CHECKING:
    from memory_lsp.core.text import Encoding

SHOW_LOCATIONS = "memory.showLocations"
"""A command of the editor's own that lists places; offered by clients in `experimental.commands`."""


class Client:
    """Reads the client's capabilities once; `name` is what it calls itself."""

    def __init__(self, capabilities: types.ClientCapabilities, encoding: str, name: str = "") -> None:
        self.encoding = cast("Encoding", encoding)
        # lsp-mode, which calls itself so, makes all text edits of a workspace edit before any file moves.
        self.edits_before_it_moves = name == "emacs"
        diagnostics = "text_document.publish_diagnostics"
        self.reads_related_information = _has(capabilities, f"{diagnostics}.related_information")
        self.reads_code_description = _has(capabilities, f"{diagnostics}.code_description_support")
        self.keeps_diagnostic_data = _has(capabilities, f"{diagnostics}.data_support")
        tags = get_capability(capabilities, f"{diagnostics}.tag_support.value_set", [])
        self.shows_deprecated = types.DiagnosticTag.Deprecated in (tags or [])
        self.takes_definition_links = _has(capabilities, "text_document.definition.link_support")
        hover = get_capability(capabilities, "text_document.hover.content_format", None)
        self.reads_markdown = hover is None or types.MarkupKind.Markdown in hover
        # Without a way to have the client ask again, its answers would go stale when another note changes.
        self.pulls_diagnostics = get_capability(capabilities, "text_document.diagnostic", None) is not None and _has(
            capabilities, "workspace.diagnostics.refresh_support"
        )
        self.shows_label_details = _has(capabilities, "text_document.completion.completion_item.label_details_support")
        self.shows_symbol_tree = _has(
            capabilities, "text_document.document_symbol.hierarchical_document_symbol_support"
        )
        self.shows_link_tooltips = _has(capabilities, "text_document.document_link.tooltip_support")
        self.shows_progress = _has(capabilities, "window.work_done_progress")
        self.answers_configuration = _has(capabilities, "workspace.configuration")
        self.registers_configuration = _has(capabilities, "workspace.did_change_configuration.dynamic_registration")
        self.watches_files = _has(capabilities, "workspace.did_change_watched_files.dynamic_registration")
        edit = "workspace.workspace_edit"
        operations = get_capability(capabilities, f"{edit}.resource_operations", None) or []
        # Files can only be changed in document changes; Neovim names the operations alone.
        self.takes_document_changes = _has(capabilities, f"{edit}.document_changes") or bool(operations)
        self.renames_files = types.ResourceOperationKind.Rename in operations
        self.creates_files = types.ResourceOperationKind.Create in operations
        self.reads_change_annotations = (
            self.takes_document_changes
            and get_capability(capabilities, f"{edit}.change_annotation_support", None) is not None
        )
        self.honors_rename_annotations = _has(capabilities, "text_document.rename.honors_change_annotations")
        action = "text_document.code_action"
        literals = get_capability(capabilities, f"{action}.code_action_literal_support", None)
        self.reads_code_actions = literals is not None
        lazily = get_capability(capabilities, f"{action}.resolve_support.properties", None) or []
        self.resolves_action_edits = "edit" in lazily and _has(capabilities, f"{action}.data_support")
        self.knows_preferred_actions = _has(capabilities, f"{action}.is_preferred_support")
        self.honors_action_annotations = _has(capabilities, f"{action}.honors_change_annotations")
        experimental = _plain(capabilities.experimental)
        commands = experimental.get("commands")
        offered = commands.get("commands") if isinstance(commands, dict) else commands
        self.commands = frozenset(offered if isinstance(offered, list | tuple) else ())
        self.shows_locations = SHOW_LOCATIONS in self.commands
        self.wants_status = bool(experimental.get("memoryStatus"))


def _plain(experimental: object) -> dict[str, object]:
    """Return the experimental capabilities as a dict; pygls may hand out a named tuple."""
    if hasattr(experimental, "_asdict"):
        experimental = experimental._asdict()
    return {key: _inner(value) for key, value in experimental.items()} if isinstance(experimental, dict) else {}


def _inner(value: object) -> object:
    return value._asdict() if hasattr(value, "_asdict") else value


def _has(capabilities: types.ClientCapabilities, name: str) -> bool:
    return bool(get_capability(capabilities, name, False))
