import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnMoves } from '../../src/server/moves';

const move = { kind: 'rename', oldUri: 'file:///n/a%20b.md', newUri: 'file:///n/c.md' };
const ask = { files: [{ oldUri: 'file:///n/a b.md', newUri: 'file:///n/c.md' }] };
const WILL_RENAME = { method: 'workspace/willRenameFiles' };

test('a move that a rename of ours makes is not asked about, once', async () => {
  const moves = new OwnMoves();
  await moves.pass({ method: 'textDocument/rename' }, {}, async () => ({ documentChanges: [{ edits: [] }, move] }));
  const asked: unknown[] = [];
  const next = async (params: unknown) => void asked.push(params);
  assert.equal(await moves.pass(WILL_RENAME, ask, next), null);
  assert.equal(asked.length, 0);
  await moves.pass(WILL_RENAME, ask, next);
  assert.deepEqual(asked, [ask]);
});

test("a move of the user's, or long after the rename, is asked about", async () => {
  let now = 0;
  const moves = new OwnMoves(() => now);
  await moves.pass('codeAction/resolve', {}, async () => ({ edit: { documentChanges: [move] } }));
  now = 60_000;
  assert.equal(await moves.pass(WILL_RENAME, ask, async () => 'asked'), 'asked');
  assert.equal(await moves.pass(WILL_RENAME, { files: [] }, async () => 'asked'), 'asked');
});
