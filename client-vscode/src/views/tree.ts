/** The notes of the memory by type, as plain data. */

import type { Graph, Neighbor } from '../protocol';

export const TYPES = ['user', 'feedback', 'project', 'reference'];

export interface TypeGroup {
  type: string;
  notes: { id: string; label: string }[];
}

/** Return the notes grouped by type: the known types in their order, then others by name. */
export function byType(graph: Graph): TypeGroup[] {
  const groups = new Map<string, TypeGroup>();
  for (const node of graph.nodes) {
    if (node.kind !== 'Memory') {
      continue;
    }
    const type = node.id.split('/', 1)[0] ?? '';
    const group = groups.get(type) ?? { type, notes: [] };
    groups.set(type, group);
    group.notes.push({ id: node.id, label: node.label });
  }
  const rank = (type: string) => (TYPES.includes(type) ? TYPES.indexOf(type) : TYPES.length);
  const sorted = [...groups.values()].sort((a, b) => rank(a.type) - rank(b.type) || compare(a.type, b.type));
  for (const group of sorted) {
    group.notes.sort((a, b) => compare(a.label, b.label));
  }
  return sorted;
}

/** Return how a neighbour is connected, in words. */
export function connection(neighbor: Neighbor): string {
  const out = neighbor.direction === 'out';
  const words: Record<string, string> = {
    RelatesTo: out ? 'links to it' : 'is linked from it',
    HasTag: out ? 'tag' : 'has the tag',
    InCluster: out ? 'cluster' : 'in the cluster',
    Supersedes: out ? 'replaces it' : 'is replaced by it',
    Contradicts: out ? 'contradicts it' : 'is contradicted by it',
  };
  return words[neighbor.edge] ?? neighbor.edge;
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true, sensitivity: 'base' });
}
