/** Whether there is a memory to ask. */

import * as vscode from 'vscode';
import type { Server } from '../server/server';

/** Return whether the server serves a memory directory; otherwise say what is missing, with what helps. */
export async function hasMemory(server: Server): Promise<boolean> {
  if (!(await server.started())) {
    await vscode.commands.executeCommand('memory.showStatus');
    return false;
  }
  if (server.status?.directories.length) {
    return true;
  }
  const hasFolder = Boolean(vscode.workspace.workspaceFolders?.length);
  const [text, label, command] = hasFolder
    ? ['There are no notes in this workspace yet.', 'New Memory', 'memory.newMemory']
    : ['No folder is open. Open the folder of your notes, or a project that has one.', 'Open Folder', 'vscode.openFolder'];
  if (await vscode.window.showInformationMessage(text, label)) {
    await vscode.commands.executeCommand(command);
  }
  return false;
}
