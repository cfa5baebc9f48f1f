import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CancellationToken } from 'vscode';
import { Latest } from '../../src/views/latest';

test('of several requests only the last runs, and what ran before is cancelled', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const tokens: CancellationToken[] = [];
  const latest = new Latest(async (token) => void tokens.push(token), 300);
  latest.request();
  context.mock.timers.tick(200);
  latest.request();
  context.mock.timers.tick(200);
  assert.equal(tokens.length, 0);
  context.mock.timers.tick(100);
  assert.equal(tokens.length, 1);
  latest.request();
  assert.equal(tokens[0]?.isCancellationRequested, true);
  latest.dispose();
  context.mock.timers.tick(1000);
  assert.equal(tokens.length, 1);
});
