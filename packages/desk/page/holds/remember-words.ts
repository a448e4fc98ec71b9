import type { Grant, Remember } from '../client/types.ts';
import { duration } from '../time/durations.ts';

const SCOPES: Readonly<Record<Grant['scope'], string>> = {
  conversation: 'in this conversation',
  requester: 'for whoever has asked for this one',
  agent: 'by this agent, whoever asks',
  tenant: 'by any agent, whoever asks',
};

/** Where a grant holds. */
export function scopeWords(scope: Grant['scope']): string {
  return SCOPES[scope];
}

/** What an approval that is remembered is for, as the end of a sentence. */
export function rememberWords({
  match,
  scope = 'conversation',
  expiresAfter,
  uses,
}: Remember): string {
  const which =
    match === 'tool'
      ? 'all calls of this tool'
      : match === 'same-arguments'
        ? 'calls with the same arguments'
        : 'calls that have the arguments below';
  const until =
    expiresAfter === undefined ? 'until somebody revokes it' : `for ${duration(expiresAfter)}`;
  const often = uses === undefined ? '' : `, ${uses} times at most`;
  return `${which} ${scopeWords(scope)}, ${until}${often}`;
}
