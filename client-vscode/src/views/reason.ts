/** Why a note surfaced, in words. */

import type { PathStep, Result } from '../protocol';

const EDGES: Record<string, string> = {
  RelatesTo: 'link',
  HasTag: 'tag',
  InCluster: 'cluster',
  Supersedes: 'supersedes',
  Contradicts: 'contradicts',
  Mentions: 'name',
  SameSession: 'session',
};

const PARTS: Record<string, string> = {
  vector: 'meaning',
  keyword: 'words',
  title: 'name',
  hybrid: 'meaning and words',
};

const DIRECT: Record<string, string> = {
  RelatesTo: 'linked',
  Supersedes: 'one replaces the other',
  Contradicts: 'one contradicts the other',
};

/** Return the short reason: what matched, or what led here. `origin` is the note that the question was about. */
export function reason(result: Result, origin?: string): string {
  const isOwn = result.path[0]?.id === origin;
  const before = result.path.slice(isOwn ? 1 : 0, -1);
  if (before.length) {
    return `via ${before.map(label).join(' → ')}`;
  }
  if (isOwn) {
    const edge = result.path.at(-1)?.edgeKind ?? '';
    return DIRECT[edge] ?? edge;
  }
  const [part] = Object.entries(result.parts).sort(([, one], [, other]) => other - one)[0] ?? [];
  return `by ${PARTS[part ?? ''] ?? part ?? 'itself'}`;
}

/** Return the note that a question was about: where every path starts, although it is no answer itself. */
export function originOf(results: Result[]): string | undefined {
  const origin = results[0]?.path[0]?.id;
  return results.every(({ path }) => path.length > 1 && path[0]?.id === origin) ? origin : undefined;
}

/** Return the whole path with the kind of each step: `a —link→ b —tag→ #c`. */
export function pathText(path: PathStep[]): string {
  return path
    .map((step) => (step.edgeKind ? `—${EDGES[step.edgeKind] ?? step.edgeKind}→ ${label(step)}` : label(step)))
    .join(' ');
}

/** Return a score as people read it. */
export function scoreText(score: number): string {
  return score.toFixed(2);
}

/** Return where the score comes from, `0.47 = meaning 0.47`. */
export function partsText(result: Result): string {
  const parts = Object.entries(result.parts).map(([name, value]) => `${PARTS[name] ?? name} ${scoreText(value)}`);
  return parts.length ? `${scoreText(result.score)} = ${parts.join(' + ')}` : scoreText(result.score);
}

function label(step: PathStep): string {
  if (step.kind === 'Tag') {
    return `#${step.label}`;
  }
  const what: Record<string, string> = { Cluster: 'cluster', Entity: 'name', Session: 'session' };
  return what[step.kind] ? `${what[step.kind]} “${step.label}”` : step.label;
}
