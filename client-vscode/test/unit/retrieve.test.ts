import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptBlock } from '../../src/commands/notes';
import { merged, pickTitle, resultItem } from '../../src/commands/retrieveItems';
import type { Retrieval } from '../../src/protocol';
import { result, step } from './results';

const answer = (...scores: number[]): Retrieval => ({
  results: scores.map((score) => ({ ...result(`n${score}`), score })), seedMode: 'vector', isIncomplete: false, needsAttention: null,
});

test('an entry shows score, type and path, whatever is typed', () => {
  const item = resultItem(result('template', [step('tables')], 'RelatesTo'));
  assert.equal(item.label, 'template');
  assert.equal(item.description, '0.47 · feedback');
  assert.equal(item.detail, 'tables —link→ template  ·  What template says');
  assert.equal(item.alwaysShow, true);
  assert.match(resultItem(result('tables')).detail ?? '', /^by meaning/);
  const old = resultItem({ ...result('charts'), supersededBy: ['feedback/tables'] });
  assert.equal(old.description, '0.47 · feedback · superseded by feedback/tables');
});

test('one directory keeps its order, several are merged by score', () => {
  assert.deepEqual(merged([answer(0.2, 0.9)], 1).map(({ score }) => score), [0.2, 0.9]);
  assert.deepEqual(merged([answer(0.9, 0.2), answer(0.5)], 2).map(({ score }) => score), [0.9, 0.5]);
});

test('the title says how it was found and what is behind', () => {
  assert.equal(pickTitle([answer(1)]), 'Retrieve from the memory (by vector)');
  assert.match(pickTitle([{ ...answer(1), isIncomplete: true }]), /not everything is indexed yet/);
  const behind = pickTitle([{ ...answer(1), needsAttention: '3 notes have no vector yet.' }]);
  assert.equal(behind, 'Retrieve from the memory (by vector) · 3 notes have no vector yet.');
});

test('a prompt block holds name, id, description and text', () => {
  const block = promptBlock({ id: 'feedback/a', name: 'a', description: 'Says a', content: '\nText.\n\n' });
  assert.equal(block, '### a (feedback/a)\n\nSays a\n\nText.\n');
});
