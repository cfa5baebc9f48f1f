/** The command New Memory: asks for type, name and description, and opens the note. */

import * as vscode from 'vscode';
import type { Directory } from '../protocol';
import type { Server } from '../server/server';
import { TYPES } from '../views/tree';
import { nameProblem, notePath, noteText, type Layout } from './noteFile';

const MEANINGS: Record<string, string> = {
  user: 'who you are, what you know, how you like to work',
  feedback: 'how the agent should do things, and why',
  project: 'what is going on here: decisions, dates, incidents',
  reference: 'where to find something, formats, addresses, words',
};

/** Ask, write the file where the directory's layout has it, and show it. */
export async function newMemory(server: Server): Promise<void> {
  const root = await chooseDirectory(server.status?.directories ?? []);
  const type = root && (await chooseType());
  const name = type && (await ask('2/3', 'Name', 'Short, as one would say it: prefers-brevity', nameProblem));
  const description = name && (await ask('3/3', 'Description', 'One sentence; it counts in retrieval (may stay empty)'));
  if (!root || !type || !name || description === undefined) {
    return;
  }
  const file = vscode.Uri.joinPath(root.uri, ...notePath(root.layout, type, name.trim()).split('/'));
  if (await exists(file)) {
    void vscode.window.showWarningMessage(`${vscode.workspace.asRelativePath(file)} is there already.`);
  } else {
    const text = noteText(type, name.trim(), description.trim(), new Date().toISOString().slice(0, 10));
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  }
  const editor = await vscode.window.showTextDocument(file);
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  editor.selection = new vscode.Selection(end, end);
}

/** Return the layout that a directory has: its folders decide, then its files. */
export async function layoutOf(directory: vscode.Uri, kind: Directory['kind']): Promise<Layout> {
  if (kind !== 'memory') {
    return 'vault';
  }
  let entries: [string, vscode.FileType][] = [];
  try {
    entries = await vscode.workspace.fs.readDirectory(directory);
  } catch {
    // A directory that does not exist yet gets the layout that we would choose.
  }
  if (entries.some(([name, type]) => type & vscode.FileType.Directory && TYPES.includes(name))) {
    return 'typed';
  }
  const isNote = ([name, type]: [string, vscode.FileType]) =>
    type & vscode.FileType.File && name.endsWith('.md') && name !== 'MEMORY.md';
  return entries.some(isNote) ? 'flat' : 'typed';
}

async function chooseDirectory(directories: Directory[]): Promise<{ uri: vscode.Uri; layout: Layout } | undefined> {
  const items = directories.map((directory) => ({ label: vscode.workspace.asRelativePath(directory.path), directory }));
  const title = 'New Memory: where?';
  const chosen = items.length > 1 ? await vscode.window.showQuickPick(items, { title }) : items[0];
  if (chosen) {
    const uri = vscode.Uri.file(chosen.directory.path);
    return { uri, layout: await layoutOf(uri, chosen.directory.kind) };
  }
  const folder = items.length ? undefined : vscode.workspace.workspaceFolders?.[0];
  if (!items.length && !folder) {
    void vscode.window.showInformationMessage('Open the folder that the memory belongs to first.');
  }
  return folder && { uri: vscode.Uri.joinPath(folder.uri, 'memory'), layout: 'typed' };
}

async function chooseType(): Promise<string | undefined> {
  const items = TYPES.map((type) => ({ label: type, description: MEANINGS[type] }));
  const options = { title: 'New Memory (1/3)', placeHolder: 'Type', ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.label;
}

async function ask(
  step: string,
  prompt: string,
  placeHolder: string,
  validateInput?: (value: string) => string | undefined,
): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: `New Memory (${step})`, prompt, placeHolder, ignoreFocusOut: true,
    ...(validateInput ? { validateInput } : {}),
  });
}

async function exists(file: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}
