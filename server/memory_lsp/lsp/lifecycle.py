"""The session's life: initialize, settings, workspace folders, shutdown."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.config import read_settings
from memory_lsp.lsp.convert import to_path

if TYPE_CHECKING:
    from memory_lsp.config import Settings
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer

_log = logging.getLogger(__name__)

SECTION = "memory"
_CONFIGURATION_DEADLINE = 5.0


def initialize(ls: MemoryServer, params: types.InitializeParams) -> None:
    """Learn what the client can do; the answer leaves before a single note is read."""
    settings, problems = read_settings(_section(params.initialization_options))
    ls.start(params.capabilities, params.client_info, settings)
    ls.initial_folders = _folders(params)
    ls.settings_problems = problems


def initialized(ls: MemoryServer, params: types.InitializedParams) -> None:
    """Begin, now that the client takes requests."""
    ls.begin()


async def open_session(ls: MemoryServer) -> None:
    """Register what can only be registered now, ask for the settings, then open the folders."""
    ls.spawn(_register(ls))
    ls.complain(ls.settings_problems)
    if ls.client.answers_configuration:
        await ls.take_settings(await _ask(ls))
    await ls.session.set_folders(ls.initial_folders)
    ls.status.update()


async def did_change_configuration(ls: MemoryServer, params: types.DidChangeConfigurationParams) -> None:
    """Take new settings, as sent or, where the client is to be asked, as it answers."""
    if ls.client.answers_configuration:
        settings = await _ask(ls)
    else:
        settings, problems = read_settings(_section(params.settings), ls.initial_settings)
        ls.complain(problems)
    await ls.change_settings(settings)


async def did_change_workspace_folders(ls: MemoryServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Follow the folders that came and went."""
    removed = {to_path(folder.uri) for folder in params.event.removed}
    added = [path for folder in params.event.added if (path := to_path(folder.uri)) is not None]
    await ls.session.set_folders([*(path for path in ls.session.folders if path not in removed), *added])
    ls.publisher.publish_all()
    ls.sources.refresh()
    ls.status.update()


async def shutdown(ls: MemoryServer, params: None) -> None:
    """End the work; `exit` follows."""
    await ls.stop()


async def _ask(ls: MemoryServer) -> Settings:
    """Return the settings that the client keeps for our section, the present ones where it does not answer."""
    try:
        answer = await asyncio.wait_for(
            ls.workspace_configuration_async(types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])),
            _CONFIGURATION_DEADLINE,
        )
    except Exception as error:
        _log.warning("the client did not answer workspace/configuration: %s", error)
        return ls.settings
    # What the client has no value for, or no longer, is as `initialize` said.
    settings, problems = read_settings(_section(answer[0]) if answer else None, ls.initial_settings)
    ls.complain(problems)
    return settings


async def _register(ls: MemoryServer) -> None:
    wanted = []
    if ls.client.watches_files:
        watchers = [types.FileSystemWatcher("**/*")]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("memory-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if ls.client.registers_configuration:
        section = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        wanted.append(types.Registration("memory-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if wanted:
        try:
            await ls.client_register_capability_async(types.RegistrationParams(wanted))
        except Exception as error:
            _log.warning("the client refused a registration: %s", error)


def _folders(params: types.InitializeParams) -> list[Path]:
    if params.workspace_folders:
        uris = [folder.uri for folder in params.workspace_folders]
    else:
        uris = [params.root_uri] if params.root_uri else []
    paths = [path for uri in uris if (path := to_path(uri)) is not None]
    return paths or ([Path(params.root_path)] if params.root_path and not uris else [])


def _section(raw: object) -> object:
    """Return our settings from what a client sent: the section itself, or an object that holds it."""
    plain = _plain(raw)
    inner = plain.get(SECTION) if isinstance(plain, dict) else None
    return inner if isinstance(inner, dict) else plain


def _plain(value: object) -> object:
    """Return JSON as dicts and lists; lsprotocol's converter leaves nested objects as they are or as named tuples."""
    if hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


HANDLERS: Handlers = {
    types.INITIALIZE: initialize,
    types.INITIALIZED: initialized,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_workspace_folders,
    types.SHUTDOWN: shutdown,
}
