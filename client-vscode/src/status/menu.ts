/** What a click on the status offers. */

import * as vscode from 'vscode';
import type { Server } from '../server/server';
import { runInTerminal } from '../server/terminal';
import { look } from './text';

/** Show the status and what can be done about it. */
export async function showStatus(server: Server): Promise<void> {
  const { text, tooltip } = look(server.state);
  const isMissing = server.state.kind === 'missing';
  const items = [
    ...(isMissing ? [{ label: '$(desktop-download) Install the server…', command: 'memory.installServer' }] : []),
    ...(server.launch ? [{ label: '$(terminal) Run doctor in a terminal', command: 'memory.runDoctor' }] : []),
    ...(server.connected
      ? [
          { label: '$(search) Retrieve…', command: 'memory.retrieve' },
          { label: '$(refresh) Rebuild the index', command: 'memory.rebuildIndex' },
        ]
      : []),
    { label: '$(output) Show the log', command: 'memory.showLog' },
    { label: '$(debug-restart) Restart the server', command: 'memory.restartServer' },
  ];
  const title = text.replace(/\$\([^)]*\) /, '');
  const placeHolder = tooltip.split('\n\n')[0] ?? '';
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

/** Run `memory-lsp doctor` for each directory that is served. */
export async function runDoctor(server: Server): Promise<void> {
  const launch = server.launch;
  if (!launch) {
    await vscode.commands.executeCommand('memory.installServer');
    return;
  }
  const program = launch.args.filter((argument) => argument !== '--stdio');
  const folder = server.status?.directories[0]?.path ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  await runInTerminal('Memory doctor', launch.command, [...program, 'doctor', ...(folder ? ['-d', folder] : [])]);
}
