/** The results of a retrieval as entries of a quick pick. */

import type { QuickPickItem } from 'vscode';
import type { Result, Retrieval } from '../protocol';
import { pathText, reason, scoreText } from '../views/reason';

export interface ResultItem extends QuickPickItem {
  result: Result;
}

/** Return the results of several directories as one list, the best first, and no more than `limit`. */
export function merged(answers: Retrieval[], limit: number): Result[] {
  const all = answers.flatMap((answer) => answer.results);
  return answers.length === 1 ? all : all.sort((one, other) => other.score - one.score).slice(0, limit);
}

/** Return how a result looks. `alwaysShow`, because the query is no text to filter names by. */
export function resultItem(result: Result): ResultItem {
  const path = result.path.length > 1 ? pathText(result.path) : reason(result);
  const successors = result.supersededBy?.length ? `superseded by ${result.supersededBy.join(', ')}` : '';
  return {
    label: result.name,
    description: [scoreText(result.score), result.type, successors].filter(Boolean).join(' · '),
    detail: [path, result.description].filter(Boolean).join('  ·  '),
    alwaysShow: true,
    result,
  };
}

/** Return the title over the results: how they were found, whether better ones may come, what is behind. */
export function pickTitle(answers: Retrieval[]): string {
  const modes = [...new Set(answers.map((answer) => answer.seedMode))].join(', ');
  const more = answers.some((answer) => answer.isIncomplete) ? ', not everything is indexed yet' : '';
  const behind = answers.flatMap((answer) => answer.needsAttention ?? []);
  const how = modes ? `Retrieve from the memory (by ${modes}${more})` : 'Retrieve from the memory';
  return [how, ...behind].join(' · ');
}
