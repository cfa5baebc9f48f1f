/** What the status bar says, from what is known of the server. */

import type { Directory, Status } from '../protocol';
import type { State } from '../server/server';

export interface Look {
  text: string;
  tooltip: string;
  level: 'plain' | 'warning' | 'error';
}

/** Return how a state looks in the status bar. */
export function look(state: State): Look {
  switch (state.kind) {
    case 'starting':
      return { text: '$(sync~spin) Memory: starting', tooltip: 'The server is being started.', level: 'plain' };
    case 'waiting': {
      const tooltip = `The server went away. Start ${state.attempt} of 5 follows in ${state.seconds} s.`;
      return { text: '$(sync~spin) Memory: restarting', tooltip, level: 'warning' };
    }
    case 'stopped':
      return { text: '$(error) Memory: stopped', tooltip: state.reason, level: 'error' };
    case 'missing':
      return { text: '$(warning) Memory: no server', tooltip: state.reason, level: 'warning' };
    case 'running':
      return state.status
        ? running(state.status)
        : { text: '$(sync~spin) Memory: reading notes', tooltip: 'The notes are being read.', level: 'plain' };
  }
}

function running(status: Status): Look {
  const tooltip = [status.message, ...status.directories.map(line), embedderLine(status)].filter(Boolean).join('\n\n');
  if (!status.quiescent) {
    return { text: `$(sync~spin) Memory: ${progress(status.directories)}`, tooltip, level: 'plain' };
  }
  if (status.health === 'error') {
    return { text: '$(error) Memory', tooltip, level: 'error' };
  }
  if (status.embedder.state === 'failed' || status.embedder.state === 'off') {
    // Switched off by the user is a choice and no warning.
    const level = status.embedder.state === 'off' && status.health === 'ok' ? 'plain' : 'warning';
    return { text: '$(book) Memory: keywords only', tooltip, level };
  }
  if (status.health === 'warning') {
    return { text: '$(warning) Memory', tooltip, level: 'warning' };
  }
  const notes = status.directories.reduce((sum, directory) => sum + directory.notes, 0);
  return { text: `$(book) Memory: ${notes} ${notes === 1 ? 'note' : 'notes'}`, tooltip, level: 'plain' };
}

function progress(directories: Directory[]): string {
  const jobs = directories.flatMap((directory) => directory.indexing ?? []);
  const total = jobs.reduce((sum, job) => sum + job.total, 0);
  const done = jobs.reduce((sum, job) => sum + job.done, 0);
  return total ? `indexing ${done}/${total} notes` : 'reading notes';
}

function line(directory: Directory): string {
  const facts = `${directory.path} (${directory.kind}): ${directory.notes} notes, ${directory.vectors} with a vector.`;
  return directory.message ? `${facts} ${directory.message}` : facts;
}

function embedderLine(status: Status): string {
  const { state, backend, modelId, message } = status.embedder;
  const words: Record<string, string> = {
    absent: 'The model starts when it is needed',
    starting: 'The model is being loaded',
    ready: 'The model is loaded',
    failed: 'The model cannot be used: retrieval goes by keywords and graph',
    off: 'There is no model: retrieval goes by keywords and graph',
  };
  const what = [backend, modelId].filter(Boolean).join(', ');
  const text = `${words[state] ?? state}${what ? ` (${what})` : ''}.`;
  return message && message !== status.message ? `${text} ${message}` : text;
}
