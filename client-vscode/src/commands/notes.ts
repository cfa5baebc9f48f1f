/** What can be done with one note: open it, link to it, copy it for a prompt. */

import * as vscode from 'vscode';
import { NODE, type NodeAnswer } from '../protocol';
import type { Server } from '../server/server';
import { linkTo, noteOf, type NoteRef } from '../views/note';

/** Open a note, in the editor that previews take. */
export async function openNote(server: Server, argument: unknown): Promise<void> {
  const note = await located(server, argument);
  if (note?.uri) {
    await vscode.window.showTextDocument(vscode.Uri.parse(note.uri), { preview: true });
  }
}

/** Insert a link to a note where the cursor is. */
export async function insertLink(server: Server, argument: unknown): Promise<void> {
  const note = await located(server, argument);
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!note) {
    return;
  }
  if (!editor) {
    void vscode.window.showInformationMessage('Open the file that the link is to go into first.');
    return;
  }
  await editor.edit((edit) => editor.selections.forEach((selection) => edit.replace(selection, linkTo(note))));
}

/** Put a note on the clipboard as a block for a prompt. */
export async function copyPromptBlock(server: Server, argument: unknown): Promise<void> {
  const entry = (await node(server, argument))?.entry;
  if (entry) {
    await vscode.env.clipboard.writeText(promptBlock(entry));
    void vscode.window.setStatusBarMessage(`Copied “${entry.name}” as a prompt block.`, 4000);
  }
}

/** Return a note as an agent reads it. */
export function promptBlock(entry: { id: string; name: string; description: string; content: string }): string {
  const head = [`### ${entry.name}`, `(${entry.id})`].join(' ');
  return [head, entry.description, entry.content.trim()].filter(Boolean).join('\n\n') + '\n';
}

async function located(server: Server, argument: unknown): Promise<NoteRef | undefined> {
  const note = noteOf(argument);
  if (!note || note.uri) {
    return note;
  }
  const entry = (await node(server, argument))?.entry;
  return entry ? { id: entry.id, name: entry.name, uri: entry.uri } : undefined;
}

/** Ask for a note's node in its directory: the one the view knows, or that of its file. */
async function node(server: Server, argument: unknown): Promise<NodeAnswer | undefined> {
  const note = noteOf(argument);
  if (!note) {
    return undefined;
  }
  const directory = (argument as { directory?: string }).directory;
  const where = directory ? { memoryDirectory: directory } : { textDocument: { uri: note.uri } };
  return server.ask<NodeAnswer>(NODE, { id: note.id, ...where });
}
