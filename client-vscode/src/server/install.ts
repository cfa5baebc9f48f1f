/** Installing the server: by which tool, with which command, in a terminal where the user sees it. */

import * as vscode from 'vscode';
import { findServer, onSearchPath, type Machine, type Missing } from './find';
import { thisMachine } from './machine';
import { runInTerminal } from './terminal';

export const PACKAGE = 'memory-lsp[onnx]';

export interface Installer {
  tool: 'uv' | 'pipx' | 'pip';
  command: string;
  args: string[];
  note: string;
}

/** Return the ways to install that this machine has, the cleanest first. */
export async function installers(machine: Machine): Promise<Installer[]> {
  const ways: Installer[] = [];
  const own = 'into an environment of its own';
  const uv = await onSearchPath(machine, 'uv');
  if (uv) {
    ways.push({ tool: 'uv', command: uv, args: ['tool', 'install', PACKAGE], note: own });
  }
  const pipx = await onSearchPath(machine, 'pipx');
  if (pipx) {
    ways.push({ tool: 'pipx', command: pipx, args: ['install', PACKAGE], note: own });
  }
  const selected = machine.isTrusted ? await machine.interpreter() : undefined;
  const python = selected ?? (await onSearchPath(machine, 'python3')) ?? (await onSearchPath(machine, 'python'));
  if (python) {
    const where = selected ? 'into the selected interpreter' : 'into the packages of your user';
    const args = ['-m', 'pip', 'install', ...(selected ? [] : ['--user']), PACKAGE];
    ways.push({ tool: 'pip', command: python, args, note: where });
  }
  return ways;
}

/** Return what will run, as one would type it. */
export function commandLine(installer: Installer): string {
  return [installer.command, ...installer.args].map((word) => (/[^\w./:=@\\-]/.test(word) ? `"${word}"` : word)).join(' ');
}

/** Let the user choose and run an installation; true once the server is there. */
export async function installServer(): Promise<boolean> {
  const machine = thisMachine();
  const ways = await installers(machine);
  if (!ways.length) {
    void vscode.window.showErrorMessage(
      'Neither uv, pipx nor Python was found. Install Python 3.11 or newer, then run “Memory: Install the Server”.',
    );
    return false;
  }
  const items = ways.map((way) => ({ label: `$(terminal) ${way.tool}`, description: way.note, detail: commandLine(way), way }));
  const title = 'Install memory-lsp: what is shown will run in a terminal';
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a tool', ignoreFocusOut: true });
  if (!chosen) {
    return false;
  }
  const status = await runInTerminal('Install memory-lsp', chosen.way.command, chosen.way.args);
  if (status !== 0) {
    void vscode.window.showErrorMessage(`The installation ended with status ${status ?? 'unknown'}; the terminal says why.`);
    return false;
  }
  return 'command' in (await findServer(thisMachine()));
}

/** Say that the server is missing and offer what helps; true once it is there. */
export async function offerInstallation(missing: Missing): Promise<boolean> {
  const help = missing.isSetting ? 'Open Settings' : 'Install…';
  const answer = await vscode.window.showWarningMessage(`${missing.reason} Without it the notes are plain text.`, help);
  if (answer === 'Open Settings') {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'memory.server.path');
  }
  return answer === 'Install…' && installServer();
}
