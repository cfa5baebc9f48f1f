/** The view Backlinks: every place that links to the note in the editor, with the line it stands in. */

import * as vscode from 'vscode';
import { ReferencesRequest, type Location } from 'vscode-languageclient/node';
import { isQuiet } from '../protocol';
import type { Server } from '../server/server';
import { Latest } from './latest';
import { isSynchronized } from './passage';
import { titlePosition } from './title';

const QUIET = 300;

export interface Backlink {
  uri: vscode.Uri;
  range: vscode.Range;
  line: string;
}

export class BacklinksView implements vscode.TreeDataProvider<Backlink>, vscode.Disposable {
  private links: Backlink[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly latest = new Latest((token) => this.ask(token), QUIET);
  private readonly view: vscode.TreeView<Backlink>;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView('memory.backlinks', { treeDataProvider: this });
    const follow = () => this.follow();
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(follow),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.contentChanges.length && isSynchronized(event.document)) {
          follow();
        }
      }),
      this.view.onDidChangeVisibility(follow),
      server.onChange(follow),
    ];
  }

  refresh(): void {
    this.latest.request(0);
  }

  getTreeItem(link: Backlink): vscode.TreeItem {
    return backlinkItem(link);
  }

  getChildren(parent?: Backlink): Backlink[] {
    return parent ? [] : this.links;
  }

  dispose(): void {
    this.latest.dispose();
    vscode.Disposable.from(...this.listeners, this.view, this.changed).dispose();
  }

  private follow(): void {
    if (this.view.visible) {
      this.latest.request();
    }
  }

  private async ask(token: vscode.CancellationToken): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.server.connected;
    if (!client || (editor && !isSynchronized(editor.document))) {
      this.show([], client ? 'Backlinks are shown for notes.' : '');
      return;
    }
    if (!editor) {
      return;
    }
    const { document } = editor;
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
      position: titlePosition(document),
      context: { includeDeclaration: false },
    };
    try {
      const found = await client.sendRequest(ReferencesRequest.type, params, token);
      const links = await withLines(client.protocol2CodeConverter.asUri, found ?? []);
      if (!token.isCancellationRequested) {
        this.show(links, 'No note links here.');
      }
    } catch (error) {
      if (!token.isCancellationRequested && !isQuiet(error)) {
        this.show([], `The server could not answer: ${(error as Error).message}`);
      }
    }
  }

  private show(links: Backlink[], empty: string): void {
    this.links = links;
    this.view.message = links.length ? undefined : empty;
    this.view.badge = undefined;
    this.changed.fire();
  }
}

/** Return how a backlink looks in the view. */
export function backlinkItem({ uri, range, line }: Backlink): vscode.TreeItem {
  const item = new vscode.TreeItem(uri.path.split('/').pop()?.replace(/\.md$/i, '') ?? uri.path);
  item.description = line.trim();
  item.tooltip = `${vscode.workspace.asRelativePath(uri)}:${range.start.line + 1}\n\n${line.trim()}`;
  item.iconPath = new vscode.ThemeIcon('references');
  item.command = { command: 'vscode.open', title: 'Open', arguments: [uri, { selection: range }] };
  return item;
}

async function withLines(asUri: (uri: string) => vscode.Uri, locations: Location[]): Promise<Backlink[]> {
  const texts = new Map<string, Promise<string[]>>();
  return Promise.all(
    locations.map(async ({ uri: raw, range: { start, end } }) => {
      const uri = asUri(raw);
      const lines = texts.get(raw) ?? linesOf(uri);
      texts.set(raw, lines);
      const range = new vscode.Range(start.line, start.character, end.line, end.character);
      return { uri, range, line: (await lines)[start.line] ?? '' };
    }),
  );
}

/** Return a file's lines: the editor's where it is open, else the disk's. Opening it would make the editor own it. */
async function linesOf(uri: vscode.Uri): Promise<string[]> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  try {
    const text = open ? open.getText() : new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return text.split(/\r\n|\r|\n/);
  } catch {
    // The file went away after the server answered; the link is listed without its line.
    return [];
  }
}
