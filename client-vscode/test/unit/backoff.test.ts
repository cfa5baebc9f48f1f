import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff, MOST_RESTARTS, WINDOW } from '../../src/server/backoff';

test('five starts within three minutes, each later than the last, then no more', () => {
  const backoff = new Backoff(() => 1000);
  const delays = Array.from({ length: MOST_RESTARTS }, () => backoff.next());
  assert.deepEqual(delays, [...delays].sort((one, other) => (one ?? 0) - (other ?? 0)));
  assert.equal(delays[0], 500);
  assert.equal(backoff.next(), undefined);
});

test('what is longer ago than three minutes does not count', () => {
  let now = 0;
  const backoff = new Backoff(() => now);
  for (let end = 0; end < MOST_RESTARTS; end += 1) {
    backoff.next();
  }
  now = WINDOW + 1;
  assert.equal(backoff.next(), 500);
});

test('a start by the user forgets what was', () => {
  const backoff = new Backoff(() => 0);
  for (let end = 0; end <= MOST_RESTARTS; end += 1) {
    backoff.next();
  }
  backoff.reset();
  assert.equal(backoff.next(), 500);
});
