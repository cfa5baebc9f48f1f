import type { PathStep, Result } from '../../src/protocol';

/** Make a step of a path. */
export function step(label: string, edgeKind: string | null = null, kind = 'Memory'): PathStep {
  return { id: kind === 'Tag' ? `tag:${label}` : `feedback/${label}`, kind, label, edgeKind };
}

/** Make a result whose path ends in it. */
export function result(name: string, before: PathStep[] = [], edgeKind: string | null = null): Result {
  return {
    id: `feedback/${name}`,
    type: 'feedback',
    name,
    description: `What ${name} says`,
    uri: `file:///notes/feedback/${name}.md`,
    score: 0.474,
    parts: before.length ? { graph: 0.474 } : { vector: 0.474 },
    via: null,
    path: [...before, step(name, edgeKind)],
  };
}
