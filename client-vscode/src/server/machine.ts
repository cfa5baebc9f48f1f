/** The machine as it is: the PATH, executables, interpreters. */

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Machine } from './find';
import { selectedInterpreter } from './interpreter';

const PROBE_DEADLINE = 15_000;

/** What Python must not do: look for modules in the folder it is started in, which a workspace could fill. */
export const SAFE_PYTHON = { PYTHONSAFEPATH: '1' };

/** Return what finding the server may look at. */
export function thisMachine(): Machine {
  const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file')?.uri;
  return {
    platform: process.platform,
    home: os.homedir(),
    folder: folder?.fsPath,
    setting: vscode.workspace.getConfiguration('memory').get('server.path', ''),
    isTrusted: vscode.workspace.isTrusted,
    searchPath: searchPath(),
    isExecutable,
    hasServer,
    interpreter: () => selectedInterpreter(folder),
  };
}

function searchPath(): string[] {
  // uv and pipx install here, and an editor started from a desktop may not have it on its PATH.
  const added = path.join(os.homedir(), '.local', 'bin');
  const entries = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return entries.includes(added) ? entries : [...entries, added];
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, process.platform === 'win32' ? constants.F_OK : constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function hasServer(python: string): Promise<boolean> {
  const code = 'import sys, importlib.util as u; sys.exit(sys.version_info < (3, 11) or u.find_spec("memory_lsp") is None)';
  const options = { timeout: PROBE_DEADLINE, cwd: os.tmpdir(), env: { ...process.env, ...SAFE_PYTHON } };
  return new Promise((resolve) => {
    // -P keeps the current folder out; a Python too old to know it is too old for the server.
    execFile(python, ['-P', '-c', code], options, (error) => resolve(error === null));
  });
}
