import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as vscode from 'vscode';
import { hasMemory } from '../../src/commands/ready';
import type { Server, State } from '../../src/server/server';

const { commands } = (vscode as unknown as { __state: { commands: unknown[][] } }).__state;
const mocked = { window: vscode.window, workspace: vscode.workspace } as unknown as Record<'window' | 'workspace', Record<string, unknown>>;

/** Ask with a server in some state, and a user who presses the button; return the text and what was run. */
async function asked(state: State, folders: unknown[]): Promise<{ answer: boolean; text: string; run: unknown }> {
  let text = '';
  commands.length = 0;
  mocked.workspace.workspaceFolders = folders;
  mocked.window.showInformationMessage = async (message: string, button: string) => ((text = message), button);
  const status = state.kind === 'running' ? state.status : undefined;
  const server = { started: async () => state.kind === 'running', status } as unknown as Server;
  return { answer: await hasMemory(server), text, run: commands[0]?.[0] };
}

const serving = (directories: unknown[]) => ({ kind: 'running', status: { directories } }) as unknown as State;

test('a memory that is served is asked', async () => {
  assert.equal((await asked(serving([{}]), [{}])).answer, true);
});

test('without a server its status says what is wrong', async () => {
  const { answer, run } = await asked({ kind: 'missing', reason: '' }, [{}]);
  assert.deepEqual([answer, run], [false, 'memory.showStatus']);
});

test('without a folder one can be opened, and without notes one can be made', async () => {
  const none = await asked(serving([]), []);
  assert.match(none.text, /^No folder is open/);
  assert.deepEqual([none.answer, none.run], [false, 'vscode.openFolder']);
  const empty = await asked(serving([]), [{}]);
  assert.deepEqual([empty.answer, empty.run], [false, 'memory.newMemory']);
});
