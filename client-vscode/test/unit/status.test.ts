import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Directory, Embedder, Status } from '../../src/protocol';
import { look } from '../../src/status/text';

const embedder: Embedder = { available: true, backend: 'onnx', modelId: 'all-MiniLM-L6-v2', state: 'ready', message: '' };
const directory: Directory = {
  path: '/notes', kind: 'memory', loaded: true, notes: 32, vectors: 32, indexing: null, message: '',
};
const status: Status = { health: 'ok', quiescent: true, message: 'Ready.', embedder, directories: [directory] };
const running = (other: Partial<Status> = {}) => look({ kind: 'running', status: { ...status, ...other } });

test('ready: the number of notes', () => {
  assert.deepEqual(running().text, '$(book) Memory: 32 notes');
  assert.equal(running({ directories: [{ ...directory, notes: 1 }] }).text, '$(book) Memory: 1 note');
  assert.equal(running().level, 'plain');
  assert.match(running().tooltip, /\/notes \(memory\): 32 notes, 32 with a vector/);
});

test('indexing: how far, over all directories', () => {
  const one = { ...directory, indexing: { done: 3, total: 10 } };
  const other = { ...directory, indexing: { done: 1, total: 5 } };
  assert.equal(running({ quiescent: false, directories: [one, other] }).text, '$(sync~spin) Memory: indexing 4/15 notes');
  assert.equal(running({ quiescent: false }).text, '$(sync~spin) Memory: reading notes');
  assert.equal(look({ kind: 'running', status: undefined }).text, '$(sync~spin) Memory: reading notes');
});

test('keywords only, and why', () => {
  const failed = { ...embedder, state: 'failed' as const, message: 'onnxruntime is not installed.' };
  const shown = running({ embedder: failed, health: 'warning', message: 'Keywords only.' });
  assert.equal(shown.text, '$(book) Memory: keywords only');
  assert.equal(shown.level, 'warning');
  assert.match(shown.tooltip, /onnxruntime is not installed/);
  const off = running({ embedder: { ...embedder, state: 'off' } });
  assert.deepEqual([off.text, off.level], ['$(book) Memory: keywords only', 'plain']);
});

test('a problem shows, its words in the tooltip', () => {
  const shown = running({ health: 'warning', message: 'The folder cannot be written to.' });
  assert.deepEqual([shown.text, shown.level], ['$(warning) Memory', 'warning']);
  assert.match(shown.tooltip, /^The folder cannot be written to\./);
  assert.equal(running({ health: 'error' }).level, 'error');
});

test('without a running server it says what is', () => {
  assert.match(look({ kind: 'starting' }).text, /starting/);
  assert.match(look({ kind: 'waiting', attempt: 2, seconds: 1 }).tooltip, /Start 2 of 5 follows in 1 s/);
  assert.deepEqual(look({ kind: 'stopped', reason: 'Gone.' }).tooltip, 'Gone.');
  assert.match(look({ kind: 'missing', reason: 'Not found.' }).text, /no server/);
});
