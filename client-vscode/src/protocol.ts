/** The messages that memory-lsp adds to LSP; shapes as in docs/protocol.md. */

import type { Position, Range } from 'vscode-languageclient/node';

export const RETRIEVE = 'memory/retrieve';
export const RELATED = 'memory/related';
export const GRAPH = 'memory/graph';
export const NODE = 'memory/node';
export const REBUILD = 'memory/rebuild';
export const STATUS = 'memory/status';

/** What the server calls the command that lists places; offered in `experimental.commands`. */
export const SHOW_LOCATIONS = 'memory.showLocations';

/** The most text around the cursor that a request may carry. */
export const MOST_TEXT = 20_000;

export interface PathStep {
  id: string;
  kind: string;
  label: string;
  edgeKind: string | null;
}

export interface Result {
  id: string;
  type: string;
  name: string;
  description: string;
  uri: string;
  score: number;
  parts: Record<string, number>;
  via: { from: string; edgeKind: string } | null;
  path: PathStep[];
  supersededBy?: string[];
}

export interface Retrieval {
  results: Result[];
  seedMode: 'vector' | 'keyword' | 'hybrid';
  isIncomplete: boolean;
  needsAttention: string | null;
}

export interface RetrieveParams {
  query: string;
  limit?: number;
  memoryDirectory?: string;
}

export interface RelatedParams {
  textDocument: { uri: string };
  position?: Position;
  range?: Range;
  limit?: number;
  text?: string;
  firstLine?: number;
}

export interface Graph {
  nodes: { id: string; kind: string; label: string }[];
}

export interface NodeAnswer {
  node: { id: string; kind: string; label: string };
  entry: { id: string; type: string; name: string; description: string; uri: string; tags: string[]; content: string } | null;
  neighbors: Neighbor[];
}

export interface Neighbor {
  id: string;
  kind: string;
  label: string;
  edge: string;
  direction: 'in' | 'out';
}

export interface Embedder {
  available: boolean;
  backend: string | null;
  modelId: string | null;
  state: 'absent' | 'starting' | 'ready' | 'failed' | 'off';
  message: string;
}

export interface Directory {
  path: string;
  kind: 'memory' | 'vault' | 'single';
  loaded: boolean;
  notes: number;
  vectors: number;
  indexing: { done: number; total: number } | null;
  message: string;
}

export interface Status {
  health: 'ok' | 'warning' | 'error';
  quiescent: boolean;
  message: string;
  embedder: Embedder;
  directories: Directory[];
}

// Cancelled, content changed, replaced by a newer request, no memory here, and the connection's end.
const QUIET = [-32800, -32801, -32802, -32803, -32097];

/** Tell whether a request failed in a way that needs no word: the next one may well be answered. */
export function isQuiet(error: unknown): boolean {
  return QUIET.includes((error as { code?: number } | undefined)?.code ?? 0);
}
