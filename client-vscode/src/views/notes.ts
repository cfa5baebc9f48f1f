/** The view Memory: every note by type; below a note, what it is connected with. */

import * as vscode from 'vscode';
import { GRAPH, NODE, isQuiet, type Graph, type Neighbor, type NodeAnswer } from '../protocol';
import type { Server } from '../server/server';
import { Latest } from './latest';
import { ICONS } from './note';
import { byType, connection, type TypeGroup } from './tree';

const QUIET = 500;

type Element =
  | { kind: 'directory'; path: string }
  | { kind: 'type'; directory: string; group: TypeGroup }
  | { kind: 'note'; directory: string; note: { id: string; name: string; uri: string }; how?: string }
  | { kind: 'other'; directory: string; neighbor: Neighbor };

export class NotesView implements vscode.TreeDataProvider<Element>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly latest = new Latest(async () => this.changed.fire(), QUIET);
  private readonly view: vscode.TreeView<Element>;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView('memory.notes', { treeDataProvider: this, showCollapseAll: true });
    const follow = () => {
      if (this.view.visible) {
        this.latest.request();
      }
    };
    const files = vscode.workspace.createFileSystemWatcher('**/*.md');
    this.listeners = [
      server.onChange((state) => {
        if (state.kind !== 'running' || !state.status || state.status.quiescent) {
          follow();
        }
      }),
      files, files.onDidCreate(follow), files.onDidChange(follow), files.onDidDelete(follow),
      this.view.onDidChangeVisibility(follow),
    ];
  }

  refresh(): void {
    this.changed.fire();
  }

  getTreeItem(element: Element): vscode.TreeItem {
    return elementItem(element);
  }

  async getChildren(parent?: Element): Promise<Element[]> {
    try {
      return await this.children(parent);
    } catch (error) {
      if (isQuiet(error)) {
        return [];
      }
      throw error;
    }
  }

  dispose(): void {
    this.latest.dispose();
    vscode.Disposable.from(...this.listeners, this.view, this.changed).dispose();
  }

  private async children(parent: Element | undefined): Promise<Element[]> {
    if (!parent) {
      const directories = this.server.status?.directories ?? [];
      const [only] = directories;
      return only && directories.length === 1
        ? this.types(only.path)
        : directories.map(({ path }) => ({ kind: 'directory', path }));
    }
    switch (parent.kind) {
      case 'directory':
        return this.types(parent.path);
      case 'type': {
        const { directory, group } = parent;
        return group.notes.map(({ id, label }) => ({ kind: 'note', directory, note: { id, name: label, uri: '' } }));
      }
      case 'note':
        return this.neighbors(parent.directory, parent.note.id);
      case 'other':
        return this.neighbors(parent.directory, parent.neighbor.id);
    }
  }

  private async types(directory: string): Promise<Element[]> {
    const graph = await this.server.ask<Graph>(GRAPH, { memoryDirectory: directory });
    return graph ? byType(graph).map((group) => ({ kind: 'type', directory, group })) : [];
  }

  private async neighbors(directory: string, id: string): Promise<Element[]> {
    const answer = await this.server.ask<NodeAnswer>(NODE, { id, memoryDirectory: directory });
    return (answer?.neighbors ?? []).map((neighbor) =>
      neighbor.kind === 'Memory'
        ? {
            kind: 'note', directory, note: { id: neighbor.id, name: neighbor.label, uri: '' },
            how: connection(neighbor),
          }
        : { kind: 'other', directory, neighbor },
    );
  }
}

function elementItem(element: Element): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if (element.kind === 'directory') {
    const item = new vscode.TreeItem(vscode.workspace.asRelativePath(element.path), Expanded);
    item.iconPath = new vscode.ThemeIcon('folder-library');
    return item;
  }
  if (element.kind === 'type') {
    const item = new vscode.TreeItem(element.group.type, Expanded);
    item.description = String(element.group.notes.length);
    item.iconPath = new vscode.ThemeIcon(ICONS[element.group.type] ?? 'folder');
    return item;
  }
  if (element.kind === 'other') {
    const { kind, label } = element.neighbor;
    const item = new vscode.TreeItem(kind === 'Tag' ? `#${label}` : label, Collapsed);
    item.description = connection(element.neighbor);
    item.iconPath = new vscode.ThemeIcon(kind === 'Tag' ? 'tag' : 'symbol-misc');
    return item;
  }
  const item = new vscode.TreeItem(element.note.name, Collapsed);
  item.description = element.how;
  item.iconPath = new vscode.ThemeIcon('note');
  item.contextValue = 'memoryNote';
  item.command = { command: 'memory.openNote', title: 'Open Note', arguments: [element] };
  return item;
}
