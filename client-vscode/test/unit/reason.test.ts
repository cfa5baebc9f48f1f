import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTo, noteOf } from '../../src/views/note';
import { originOf, partsText, pathText, reason } from '../../src/views/reason';
import { relatedItem } from '../../src/views/related';
import { result, step } from './results';

test('a seed says what matched, another note what led to it', () => {
  assert.equal(reason(result('tables')), 'by meaning');
  assert.equal(reason({ ...result('tables'), parts: { keyword: 0.4, title: 0.6 } }), 'by name');
  const reached = result('brevity', [step('tables'), step('style', 'HasTag', 'Tag')], 'HasTag');
  assert.equal(reason(reached), 'via tables → #style');
  assert.equal(pathText(reached.path), 'tables —tag→ #style —tag→ brevity');
  const named = [step('tables'), step('Postgres', 'Mentions', 'Entity')];
  assert.equal(pathText(named), 'tables —name→ name “Postgres”');
  assert.equal(partsText(reached), '0.47 = graph 0.47');
});

test('beside a note, its own name is no reason', () => {
  const linked = result('glossary', [step('plan')], 'RelatesTo');
  const tagged = result('roles', [step('plan'), step('people', 'HasTag', 'Tag')], 'HasTag');
  const origin = originOf([linked, tagged]);
  assert.equal(origin, 'feedback/plan');
  assert.equal(reason(linked, origin), 'linked');
  assert.equal(reason(tagged, origin), 'via #people');
  assert.equal(originOf([linked, result('seed')]), undefined);
});

test('an entry of the view carries its reason and opens its note', () => {
  const item = relatedItem(result('tables'));
  assert.equal(item.label, 'tables');
  assert.equal(item.description, 'by meaning · 0.47');
  assert.match(String(item.tooltip), /feedback\/tables: What tables says/);
  assert.deepEqual(item.command?.arguments?.[0], {
    id: 'feedback/tables', name: 'tables', uri: 'file:///notes/feedback/tables.md',
  });
});

test('a link names the note, or its file where a link cannot hold the name', () => {
  assert.equal(linkTo({ id: 'a/b', name: 'b', uri: 'file:///n/b.md' }), '[[b]]');
  assert.equal(linkTo({ id: 'a/b', name: 'b|c', uri: 'file:///n/b%20c.md' }), '[[b c]]');
  const note = { id: 'a/b', name: 'b', uri: '' };
  assert.deepEqual(noteOf({ kind: 'note', directory: '/n', note }), note);
  assert.equal(noteOf(undefined), undefined);
});
