/** Where the links of open notes lead, as the server resolves them; the preview cannot wait, so it is kept. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { DocumentLinkRequest } from 'vscode-languageclient/node';
import { isQuiet } from '../protocol';
import type { Server } from '../server/server';
import { Latest } from '../views/latest';
import { isSynchronized } from '../views/passage';
import { slug } from './wikilinks';

const QUIET = 400;
const MOST_DOCUMENTS = 50;

export class LinkTargets implements vscode.Disposable {
  private readonly known = new Map<string, Map<string, string>>();
  private readonly latest = new Latest((token) => this.learn(token), QUIET);
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const follow = () => this.latest.request();
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(follow),
      vscode.workspace.onDidOpenTextDocument((document) => isSynchronized(document) && follow()),
      vscode.workspace.onDidChangeTextDocument((event) => isSynchronized(event.document) && follow()),
      server.onChange(follow),
    ];
  }

  /** Return a link's address relative to the document that is being rendered. */
  resolve(env: unknown, raw: string): string | undefined {
    const document = (env as { currentDocument?: vscode.Uri } | undefined)?.currentDocument;
    const target = document && this.known.get(document.toString())?.get(raw.replaceAll('\\|', '|'));
    return document && target !== undefined ? relativeHref(document, vscode.Uri.parse(target), raw) : undefined;
  }

  dispose(): void {
    this.latest.dispose();
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private async learn(token: vscode.CancellationToken): Promise<void> {
    let isNew = false;
    for (const document of vscode.workspace.textDocuments.filter(isSynchronized).slice(0, MOST_DOCUMENTS)) {
      try {
        isNew = (await this.learnOne(document, token)) || isNew;
      } catch (error) {
        if (!isQuiet(error)) {
          this.log.warn(`The links of ${document.uri.toString()} are not known: ${String(error)}`);
        }
      }
      if (token.isCancellationRequested) {
        return;
      }
    }
    if (isNew) {
      await vscode.commands.executeCommand('markdown.preview.refresh');
    }
  }

  private async learnOne(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<boolean> {
    const client = this.server.connected;
    if (!client) {
      return false;
    }
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const links = await client.sendRequest(DocumentLinkRequest.type, { textDocument: { uri } }, token);
    const targets = new Map<string, string>();
    for (const { range, target } of links ?? []) {
      const raw = /^!?\[\[([^[\]\n]+)\]\]$/.exec(document.getText(client.protocol2CodeConverter.asRange(range)))?.[1];
      if (raw && target) {
        targets.set(raw.replaceAll('\\|', '|'), target);
      }
    }
    const key = document.uri.toString();
    const before = JSON.stringify([...(this.known.get(key) ?? [])]);
    this.known.delete(key);
    this.known.set(key, targets);
    const oldest = this.known.size > MOST_DOCUMENTS ? this.known.keys().next().value : undefined;
    if (oldest !== undefined) {
      this.known.delete(oldest);
    }
    return before !== JSON.stringify([...targets]);
  }
}

/** Return the address of a file as seen from another, with the heading that a link names. */
export function relativeHref(from: vscode.Uri, to: vscode.Uri, raw: string): string {
  const heading = /#(?!\^)([^|\\]+)/.exec(raw)?.[1];
  const anchor = heading ? `#${slug(heading)}` : '';
  if (from.path === to.path && anchor) {
    return anchor;
  }
  const relative = path.posix.relative(path.posix.dirname(from.path), to.path);
  return relative.split('/').map(encodeURIComponent).join('/') + anchor;
}
