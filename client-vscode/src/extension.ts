/** What the extension consists of, and which command does what. */

import type MarkdownIt from 'markdown-it';
import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient/node';
import { newMemory } from './commands/newMemory';
import { copyPromptBlock, insertLink, openNote } from './commands/notes';
import { rebuildIndex } from './commands/rebuild';
import { retrieve } from './commands/retrieve';
import { showLocations } from './commands/showLocations';
import { LinkTargets } from './preview/targets';
import { wikilinks } from './preview/wikilinks';
import { SHOW_LOCATIONS } from './protocol';
import { Installation } from './server/install';
import { onInterpreterChange } from './server/interpreter';
import { thisMachine } from './server/machine';
import { Server } from './server/server';
import { statusItem } from './status/item';
import { runDoctor, showStatus } from './status/menu';
import { BacklinksView } from './views/backlinks';
import { NotesView } from './views/notes';
import { RelatedView } from './views/related';

/** What other extensions get; `server` is for this extension's own tests. */
export interface Api {
  extendMarkdownIt(md: MarkdownIt): MarkdownIt;
  server: Server;
}

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel('Memory', { log: true });
  const machine = () => thisMachine(context.globalStorageUri.fsPath);
  const installation = new Installation(machine, context.globalState);
  const ours = new Server(log, machine, (missing) => installation.offer(missing));
  server = ours;
  const views = [new RelatedView(ours), new BacklinksView(ours), new NotesView(ours)];
  const targets = new LinkTargets(ours, log);
  const commands: Record<string, (...parameters: never[]) => unknown> = {
    'memory.retrieve': () => retrieve(ours),
    'memory.newMemory': () => newMemory(ours),
    'memory.rebuildIndex': () => rebuildIndex(ours),
    'memory.showStatus': () => showStatus(ours),
    'memory.restartServer': async () => {
      await installation.remind();
      await ours.restart();
    },
    'memory.showLog': () => log.show(true),
    'memory.runDoctor': () => runDoctor(ours),
    'memory.installServer': async () => {
      if (await installation.install()) {
        await ours.restart();
      }
    },
    'memory.refreshViews': () => views.forEach((view) => view.refresh()),
    'memory.openNote': (note: unknown) => openNote(ours, note),
    'memory.insertLink': (note: unknown) => insertLink(ours, note),
    'memory.copyPromptBlock': (note: unknown) => copyPromptBlock(ours, note),
    [SHOW_LOCATIONS]: (uri: string, at: Position, places: Location[]) => showLocations(ours, uri, at, places),
  };
  context.subscriptions.push(
    log, ours, targets, ...views, statusItem(ours), ...follow(ours),
    ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
  );
  void onInterpreterChange(() => ours.refresh()).then((listener) => listener && context.subscriptions.push(listener));
  void ours.restart();
  return { extendMarkdownIt: (md) => wikilinks(md, (env, raw) => targets.resolve(env, raw)), server: ours };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Start another server where the user's choice or trust now allows one. */
function follow(ours: Server): vscode.Disposable[] {
  return [
    vscode.workspace.onDidGrantWorkspaceTrust(() => ours.refresh()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      // Which documents a client sends is settled when it is made.
      if (['server.path', 'links.languages'].some((key) => event.affectsConfiguration(`memory.${key}`))) {
        void ours.restart();
      }
    }),
  ];
}
