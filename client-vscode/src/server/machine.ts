/** The machine as it is: the PATH, executables, interpreters. */

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Machine, Python } from './find';
import { selectedInterpreter } from './interpreter';

const PROBE_DEADLINE = 15_000;

// Answers with the keys of the interface Python.
const PROBE = `
import importlib.util, json, os, sys, sysconfig
has = lambda name: importlib.util.find_spec(name) is not None
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
is_managed = sys.prefix == sys.base_prefix and os.path.exists(marker)
print(json.dumps({
    "hasServer": has("memory_lsp"),
    "takesPackages": has("pip") and not is_managed,
    "makesEnvironments": has("venv") and has("ensurepip"),
}))
`;

/** What Python must not do: look for modules in the folder it is started in, which a workspace could fill. */
export const SAFE_PYTHON = { PYTHONSAFEPATH: '1' };

/** Return what finding the server may look at; `storage` is the extension's own folder. */
export function thisMachine(storage: string): Machine {
  const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file')?.uri;
  return {
    platform: process.platform,
    home: os.homedir(),
    folder: folder?.fsPath,
    setting: vscode.workspace.getConfiguration('memory').get('server.path', ''),
    isTrusted: vscode.workspace.isTrusted,
    searchPath: searchPath(process.env, os.homedir()),
    ownEnvironment: path.join(storage, 'server'),
    isExecutable,
    probe,
    interpreter: () => selectedInterpreter(folder),
  };
}

/** Return the folders of the PATH, and those where uv and pipx put programs, which need not be on it. */
export function searchPath(environment: NodeJS.ProcessEnv, home: string): string[] {
  const { PATH, UV_TOOL_BIN_DIR, XDG_BIN_HOME, PIPX_BIN_DIR } = environment;
  const added = [UV_TOOL_BIN_DIR, XDG_BIN_HOME, PIPX_BIN_DIR, path.join(home, '.local', 'bin')];
  return [...new Set([...(PATH ?? '').split(path.delimiter), ...added])].filter((folder) => folder !== undefined).filter(Boolean);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, process.platform === 'win32' ? constants.F_OK : constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function probe(python: string): Promise<Python | undefined> {
  const options = { timeout: PROBE_DEADLINE, cwd: os.tmpdir(), env: { ...process.env, ...SAFE_PYTHON } };
  return new Promise((resolve) => {
    // -P keeps the current folder out; a Python too old to know it is too old for the server.
    execFile(python, ['-P', '-c', PROBE], options, (error, output) => resolve(error ? undefined : read(output)));
  });
}

function read(output: string): Python | undefined {
  try {
    // A sitecustomize of the user's may have printed something before.
    return JSON.parse(output.trim().split('\n').pop() ?? '') as Python;
  } catch {
    return undefined;
  }
}
