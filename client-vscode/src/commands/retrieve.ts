/** The command Retrieve…: a quick pick that answers while one types. */

import * as vscode from 'vscode';
import { RETRIEVE, isQuiet, type RetrieveParams, type Retrieval } from '../protocol';
import type { Server } from '../server/server';
import { Latest } from '../views/latest';
import { copyPromptBlock, insertLink, openNote } from './notes';
import { hasMemory } from './ready';
import { merged, pickTitle, resultItem, type ResultItem } from './retrieveItems';

const QUIET = 200;
const AGAIN = 1_000;
const MOST_TRIES = 10;

const LINK: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('link'), tooltip: 'Insert a link to it' };
const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: 'Copy as a prompt block' };

/** Let the user ask, and open what is chosen. */
export async function retrieve(server: Server): Promise<void> {
  if (!(await hasMemory(server))) {
    return;
  }
  const pick = vscode.window.createQuickPick<ResultItem>();
  pick.title = pickTitle([]);
  pick.placeholder = 'What are you about to do? For example: how should I format this comparison?';
  let asked = 0;
  const latest: Latest = new Latest(async (token) => {
    asked += 1;
    const isComplete = await answer(server, pick, token);
    // The model may still be loading: the same question has a better answer soon.
    if (!isComplete && !token.isCancellationRequested && asked < MOST_TRIES) {
      latest.request(AGAIN);
    }
  }, QUIET);
  pick.onDidChangeValue(() => {
    asked = 0;
    latest.request();
  });
  pick.onDidTriggerItemButton(async ({ button, item }) => {
    const note = item.result;
    pick.hide();
    await (button === LINK ? insertLink(server, note) : copyPromptBlock(server, note));
  });
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (item) {
      pick.hide();
      void openNote(server, item.result);
    }
  });
  pick.onDidHide(() => {
    latest.dispose();
    pick.dispose();
  });
  pick.show();
}

/** Answer once; true unless the same question is worth asking again. */
async function answer(
  server: Server,
  pick: vscode.QuickPick<ResultItem>,
  token: vscode.CancellationToken,
): Promise<boolean> {
  const query = pick.value.trim();
  if (!query) {
    pick.items = [];
    return true;
  }
  pick.busy = true;
  try {
    const answers = await ask(server, query, token);
    if (!token.isCancellationRequested) {
      show(pick, answers);
    }
    return !answers.some((each) => each.isIncomplete);
  } catch (error) {
    if (!token.isCancellationRequested) {
      pick.items = [];
      pick.title = isQuiet(error) ? 'There is no memory directory here' : `No answer: ${(error as Error).message}`;
    }
    return true;
  } finally {
    // A newer question has set it again by itself.
    pick.busy = token.isCancellationRequested && pick.busy;
  }
}

function show(pick: vscode.QuickPick<ResultItem>, answers: Retrieval[]): void {
  const limit = vscode.workspace.getConfiguration('memory').get('retrieval.limit', 8);
  const chosen = pick.activeItems[0];
  const hasMoved = chosen !== undefined && chosen !== pick.items[0];
  const items = merged(answers, limit).map((result) => ({ ...resultItem(result), buttons: [LINK, COPY] }));
  pick.items = items;
  const again = items.find(({ result }) => result.id === chosen?.result.id);
  if (hasMoved && again) {
    pick.activeItems = [again];
  }
  pick.title = items.length ? pickTitle(answers) : 'Nothing in the memory fits';
}

/** Ask every directory, since the question belongs to none of them. */
async function ask(server: Server, query: string, token: vscode.CancellationToken): Promise<Retrieval[]> {
  const directories = server.status?.directories ?? [];
  const targets: RetrieveParams[] =
    directories.length > 1 ? directories.map(({ path }) => ({ query, memoryDirectory: path })) : [{ query }];
  const answers = await Promise.all(targets.map((params) => server.ask<Retrieval>(RETRIEVE, params, token)));
  return answers.filter((each) => each !== undefined);
}
