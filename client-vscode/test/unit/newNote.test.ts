import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as vscode from 'vscode';
import { layoutOf } from '../../src/commands/newMemory';
import { fileStem, nameProblem, notePath, noteText } from '../../src/commands/noteFile';

test('a note goes where the layout has it', () => {
  assert.equal(notePath('typed', 'user', 'Prefers brevity'), 'user/prefers-brevity.md');
  assert.equal(notePath('flat', 'user', 'Prefers brevity'), 'user_prefers_brevity.md');
  assert.equal(notePath('vault', 'user', 'Prefers brevity'), 'prefers-brevity.md');
});

test('the folders decide about the layout, then the files', async () => {
  const { directories } = (vscode as unknown as { __state: { directories: Record<string, [string, number][]> } }).__state;
  directories['/typed'] = [['user', 2], ['old.md', 1]];
  directories['/flat'] = [['MEMORY.md', 1], ['user_a.md', 1]];
  directories['/index'] = [['MEMORY.md', 1]];
  const layout = (path: string, kind: 'memory' | 'vault' = 'memory') => layoutOf(vscode.Uri.file(path), kind);
  assert.equal(await layout('/typed'), 'typed');
  assert.equal(await layout('/flat'), 'flat');
  assert.equal(await layout('/index'), 'typed');
  assert.equal(await layout('/not-there-yet'), 'typed');
  assert.equal(await layout('/flat', 'vault'), 'vault');
});

test('a file name is one that every system takes', () => {
  assert.equal(fileStem(' Größe: a/b \\ "c"? '), 'größe-a-b-c');
  assert.equal(fileStem('../../etc'), 'etc');
  assert.equal(fileStem('con'), 'con-note');
});

test('a name that no link or file can hold is refused with a reason', () => {
  assert.match(nameProblem('  ') ?? '', /needs a name/);
  assert.match(nameProblem('a|b') ?? '', /Links cannot hold/);
  assert.match(nameProblem('..') ?? '', /No file/);
  assert.equal(nameProblem('plain name'), undefined);
});

test('frontmatter survives any value', () => {
  const text = noteText('user', 'a: b #c', 'yes', '2026-01-02');
  assert.equal(text, '---\nname: "a: b #c"\ndescription: "yes"\ntype: user\ncreated: 2026-01-02\n---\n\n');
  assert.match(noteText('user', '2024-06-01', '', 'x'), /name: "2024-06-01"\ndescription: \n/);
});
