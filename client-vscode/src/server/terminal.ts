/** Running a program in a terminal that stays open, without a shell: nothing is quoted, nothing is expanded. */

import { homedir } from 'node:os';
import * as vscode from 'vscode';

/** Run a program; return its exit status, undefined where it was closed. */
export async function runInTerminal(name: string, command: string, args: string[]): Promise<number | undefined> {
  const scope = vscode.workspace.workspaceFolders ? vscode.TaskScope.Workspace : vscode.TaskScope.Global;
  // Not in the workspace, where Python would look for modules, and which need not be there.
  const run = new vscode.ProcessExecution(command, args, { cwd: homedir() });
  const task = new vscode.Task({ type: 'memory', name }, scope, name, 'Memory', run, []);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  const execution = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const ended = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution === execution) {
        ended.dispose();
        closed.dispose();
        resolve(event.exitCode);
      }
    });
    const closed = vscode.tasks.onDidEndTask((event) => {
      // Comes after the process's end where there was one.
      if (event.execution === execution) {
        ended.dispose();
        closed.dispose();
        resolve(undefined);
      }
    });
  });
}
