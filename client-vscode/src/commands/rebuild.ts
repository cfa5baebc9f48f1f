/** The command Rebuild Index. */

import * as vscode from 'vscode';
import { REBUILD, isQuiet } from '../protocol';
import type { Server } from '../server/server';
import { hasMemory } from './ready';

interface Stats {
  notes: number;
  vectors: number;
}

/** Throw the index away and make it anew, of one directory or of all. */
export async function rebuildIndex(server: Server): Promise<void> {
  if (!(await hasMemory(server))) {
    return;
  }
  const directories = server.status?.directories ?? [];
  const title = 'Rebuilding the memory index';
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const done: string[] = [];
      for (const { path } of directories) {
        progress.report({ message: path });
        const listener = server.onChange(() => progress.report(step(server, path)));
        try {
          const stats = await server.ask<Stats>(REBUILD, { memoryDirectory: path }, token);
          done.push(`${stats?.notes ?? 0} notes, ${stats?.vectors ?? 0} with a vector`);
        } catch (error) {
          if (!isQuiet(error)) {
            void vscode.window.showErrorMessage(`${path} was not rebuilt: ${(error as Error).message}`);
          }
        } finally {
          listener.dispose();
        }
      }
      if (done.length) {
        void vscode.window.setStatusBarMessage(`The memory index is rebuilt: ${done.join('; ')}.`, 6000);
      }
    },
  );
}

/** Return how far the indexing of a directory is, for the notification. */
export function step(server: Pick<Server, 'status'>, path: string): { message: string } {
  const indexing = server.status?.directories.find((each) => each.path === path)?.indexing;
  return { message: indexing ? `${path}: ${indexing.done}/${indexing.total} notes` : path };
}
