import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextEditor } from 'vscode';
import { MOST_TEXT } from '../../src/protocol';
import { relatedParams } from '../../src/views/passage';
import { titlePosition } from '../../src/views/title';

function documentOf(text: string, languageId = 'python', scheme = 'file') {
  const lines = text.split('\n');
  return {
    languageId,
    uri: { scheme, toString: () => `${scheme}:///code.py` },
    lineCount: lines.length,
    lineAt: (line: number) => ({ text: lines[line] ?? '' }),
  };
}

function editor(text: string, line: number, end = line, languageId = 'python', scheme = 'file'): TextEditor {
  const at = (number: number) => ({ line: number, character: 0 });
  const selection = { start: at(line), end: at(end), active: at(line), isEmpty: line === end };
  return { document: documentOf(text, languageId, scheme), selection } as unknown as TextEditor;
}

test('a note is asked by its place alone, since the server has its text', () => {
  assert.deepEqual(relatedParams(editor('# a\n\nb', 2, 2, 'markdown'), 5), {
    textDocument: { uri: 'file:///code.py' }, position: { line: 2, character: 0 }, limit: 5,
  });
});

test('code comes with the text around the cursor', () => {
  const params = relatedParams(editor('a\nb\nc', 1), 3);
  assert.equal(params?.text, 'a\nb\nc');
  assert.equal(params?.firstLine, 0);
});

test('a selection is sent as a range', () => {
  const params = relatedParams(editor('a\nb\nc', 0, 2), 3);
  assert.deepEqual(params?.range, { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } });
  assert.equal(params?.position, undefined);
});

test('of a long file whole lines around the cursor are sent, and never too much', () => {
  const lines = Array.from({ length: 2000 }, (_, number) => `line ${number} ${'x'.repeat(40)}`);
  const params = relatedParams(editor(lines.join('\n'), 1000), 5);
  const text = params?.text ?? '';
  const first = params?.firstLine ?? 0;
  assert.ok(text.length > MOST_TEXT * 0.95 && text.length <= MOST_TEXT);
  assert.equal(text, lines.slice(first, first + text.split('\n').length).join('\n'));
  assert.ok(first < 1000 && 1000 < first + text.split('\n').length);
  assert.equal(relatedParams(editor('y'.repeat(50_000), 0), 5)?.text?.length, MOST_TEXT);
});

test('logs and the like are no place to ask about', () => {
  assert.equal(relatedParams(editor('a', 0, 0, 'log', 'output'), 5), undefined);
});

test('backlinks are asked at a place that stands for the whole note', () => {
  const at = (text: string) => titlePosition(documentOf(text));
  assert.deepEqual(at('---\nname: a\n---\n[[b]]'), { line: 0, character: 0 });
  assert.deepEqual(at('[[b]]\n\n# Title\n'), { line: 2, character: 2 });
  assert.deepEqual(at('[[b]] is all\n'), { line: 1, character: 0 });
});
