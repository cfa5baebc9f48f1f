import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE } from '../../src/protocol';
import type { Server } from '../../src/server/server';
import { NotesView } from '../../src/views/notes';
import { byType, connection } from '../../src/views/tree';

const node = (id: string, kind = 'Memory') => ({ id, kind, label: id.split('/').pop() ?? id });
const graph = {
  nodes: [
    node('zoo/z'), node('reference/codes'), node('user/b'), node('user/a'), node('tag:x', 'Tag'), node('art/q'),
    node('feedback/10'), node('feedback/9'),
  ],
};

test('types stand in their order, others after them by name, notes by name', () => {
  assert.deepEqual(byType(graph).map(({ type }) => type), ['user', 'feedback', 'reference', 'art', 'zoo']);
  assert.deepEqual(byType(graph).map(({ notes }) => notes.map(({ label }) => label).join()), ['a,b', '9,10', 'codes', 'q', 'z']);
});

test('a neighbour says how it is connected', () => {
  assert.equal(connection({ ...node('a/b'), edge: 'RelatesTo', direction: 'in' }), 'is linked from it');
  assert.equal(connection({ ...node('a/b'), edge: 'Supersedes', direction: 'out' }), 'replaces it');
});

function server(directories: string[], asked: unknown[][] = []): Server {
  const neighbors = [
    { id: 'user/b', kind: 'Memory', label: 'b', edge: 'RelatesTo', direction: 'out' },
    { id: 'tag:x', kind: 'Tag', label: 'x', edge: 'HasTag', direction: 'out' },
  ];
  return {
    status: { directories: directories.map((path) => ({ path })) },
    onChange: () => ({ dispose() {} }),
    ask: async (method: string, params: object) => {
      asked.push([method, params]);
      return method === NODE ? { neighbors } : graph;
    },
  } as unknown as Server;
}

test('one directory shows its types, several show themselves first', async () => {
  const one = new NotesView(server(['/notes']));
  const types = await one.getChildren();
  assert.deepEqual(types.map((each) => one.getTreeItem(each).label), ['user', 'feedback', 'reference', 'art', 'zoo']);
  const two = new NotesView(server(['/notes', '/more']));
  const [first] = await two.getChildren();
  assert.equal(first && two.getTreeItem(first).label, '/notes');
  assert.equal((await two.getChildren(first)).length, 5);
});

test('below a note stands what it is connected with, and a note can be opened', async () => {
  const asked: unknown[][] = [];
  const view = new NotesView(server(['/notes'], asked));
  const [users] = await view.getChildren();
  const [a] = await view.getChildren(users);
  const [b, tag] = await view.getChildren(a);
  assert.deepEqual(asked.at(-1), [NODE, { id: 'user/a', memoryDirectory: '/notes' }]);
  assert.equal(b && view.getTreeItem(b).description, 'links to it');
  assert.equal(tag && view.getTreeItem(tag).label, '#x');
  assert.equal(a && view.getTreeItem(a).command?.command, 'memory.openNote');
});

test('a directory that went away shows nothing and no error', async () => {
  const gone = { ...server(['/notes']), ask: async () => Promise.reject(Object.assign(new Error(), { code: -32803 })) };
  assert.deepEqual(await new NotesView(gone as unknown as Server).getChildren(), []);
});
