/** What `memory/related` is asked for a place in an editor. */

import type { TextDocument, TextEditor } from 'vscode';
import { MOST_TEXT, type RelatedParams } from '../protocol';

const SCHEMES = new Set(['file', 'untitled', 'vscode-notebook-cell']);

/** Return the params, undefined for an editor that shows no text of the user's, such as a log. */
export function relatedParams(editor: TextEditor, limit: number): RelatedParams | undefined {
  const { document, selection } = editor;
  if (!SCHEMES.has(document.uri.scheme)) {
    return undefined;
  }
  const { start, end, active, isEmpty } = selection;
  const plain = ({ line, character }: { line: number; character: number }) => ({ line, character });
  return {
    textDocument: { uri: document.uri.toString() },
    ...(isEmpty ? { position: plain(active) } : { range: { start: plain(start), end: plain(end) } }),
    limit,
    ...(isSynchronized(document) ? {} : textAround(document, isEmpty ? active.line : start.line)),
  };
}

/** Tell whether the server has the document open, and so its text. */
export function isSynchronized(document: TextDocument): boolean {
  return document.uri.scheme === 'file' && document.languageId === 'markdown';
}

/** Return the lines around one, whole lines only, as many as may be sent. */
export function textAround(document: TextDocument, line: number): { text: string; firstLine: number } {
  let first = line;
  let last = line;
  let size = document.lineAt(line).text.length;
  let grew = true;
  while (grew) {
    grew = false;
    for (const next of [first - 1, last + 1]) {
      if (next < 0 || next >= document.lineCount) {
        continue;
      }
      const more = document.lineAt(next).text.length + 1;
      if (size + more <= MOST_TEXT) {
        size += more;
        first = Math.min(first, next);
        last = Math.max(last, next);
        grew = true;
      }
    }
  }
  const lines = Array.from({ length: last - first + 1 }, (_, index) => document.lineAt(first + index).text);
  return { text: lines.join('\n').slice(0, MOST_TEXT), firstLine: first };
}
