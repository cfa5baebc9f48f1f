/** The view Related Memories: what the memory knows about the place of the cursor, in any file. */

import * as vscode from 'vscode';
import { RELATED, isQuiet, type Result, type Retrieval } from '../protocol';
import type { Server } from '../server/server';
import { Latest } from './latest';
import { ICONS, type NoteRef } from './note';
import { relatedParams } from './passage';
import { originOf, partsText, pathText, reason, scoreText } from './reason';

const QUIET = 300;

export class RelatedView implements vscode.TreeDataProvider<Result>, vscode.Disposable {
  private results: Result[] = [];
  private asked = '';
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly latest = new Latest((token) => this.ask(token), QUIET);
  private readonly view: vscode.TreeView<Result>;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView('memory.related', { treeDataProvider: this });
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor === vscode.window.activeTextEditor) {
          this.follow();
        }
      }),
      this.view.onDidChangeVisibility(() => this.follow()),
      // The same place may be answered better once notes have come, or the model is up.
      server.onChange((state) => {
        if (state.kind !== 'running' || state.status?.quiescent) {
          this.asked = '';
          this.follow();
        }
      }),
    ];
  }

  /** Ask again now, also where the view does not follow. */
  refresh(): void {
    this.asked = '';
    this.latest.request(0);
  }

  getTreeItem(result: Result): vscode.TreeItem {
    return relatedItem(result, originOf(this.results));
  }

  getChildren(parent?: Result): Result[] {
    return parent ? [] : this.results;
  }

  dispose(): void {
    this.latest.dispose();
    vscode.Disposable.from(...this.listeners, this.view, this.changed).dispose();
  }

  private follow(): void {
    if (this.view.visible && vscode.workspace.getConfiguration('memory').get('related.follow', true)) {
      this.latest.request();
    }
  }

  private async ask(token: vscode.CancellationToken): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const limit = vscode.workspace.getConfiguration('memory').get('related.limit', 5);
    const params = editor && relatedParams(editor, limit);
    if (!params || !this.server.connected) {
      // Without an editor the focus may be in this very view: what it shows stays.
      if (!this.server.connected) {
        this.show([], '');
      }
      return;
    }
    const key = JSON.stringify(params);
    if (key === this.asked) {
      return;
    }
    try {
      const answer = await this.server.ask<Retrieval>(RELATED, params, token);
      if (!token.isCancellationRequested && answer) {
        this.asked = answer.isIncomplete ? '' : key;
        this.show(answer.results, 'Nothing in the memory is near this place.');
      }
    } catch (error) {
      if (!token.isCancellationRequested) {
        this.fail(error);
      }
    }
  }

  private fail(error: unknown): void {
    const code = (error as { code?: number }).code;
    if (code === -32803) {
      this.show([], 'No memory directory belongs to this file.');
    } else if (!isQuiet(error)) {
      this.show([], `The server could not answer: ${(error as Error).message}`);
    }
  }

  private show(results: Result[], empty: string): void {
    this.results = results;
    this.view.message = results.length ? undefined : empty;
    this.changed.fire();
  }
}

/** Return how a related note looks in the view. */
export function relatedItem(result: Result, origin?: string): vscode.TreeItem {
  const item = new vscode.TreeItem(result.name);
  item.description = `${reason(result, origin)} · ${scoreText(result.score)}`;
  item.tooltip = [`${result.id}: ${result.description}`, pathText(result.path), partsText(result)].filter(Boolean).join('\n\n');
  item.iconPath = new vscode.ThemeIcon(ICONS[result.type] ?? 'note');
  item.contextValue = 'memoryNote';
  const note: NoteRef = { id: result.id, name: result.name, uri: result.uri };
  item.command = { command: 'memory.openNote', title: 'Open Note', arguments: [note] };
  return item;
}
