import assert from 'node:assert/strict';
import { test } from 'node:test';
import { step } from '../../src/commands/rebuild';
import type { Status } from '../../src/protocol';

test('a rebuild says how many notes of its own directory are done', () => {
  const directories = [
    { path: '/one', indexing: { done: 12, total: 340 } },
    { path: '/two', indexing: null },
  ];
  const server = { status: { directories } as unknown as Status };
  assert.equal(step(server, '/one').message, '/one: 12/340 notes');
  assert.equal(step(server, '/two').message, '/two');
  assert.equal(step({ status: undefined }, '/one').message, '/one');
});
