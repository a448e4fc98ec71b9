import { hasHidden } from './visible.ts';
import type { PendingCall } from './pending-call.ts';

/** What there is to be careful about before saying yes to a call. */
export interface Warning {
  /** A few words, for the list of calls. */
  readonly brief: string;
  readonly text: string;
}

/** Everything about a call that somebody should know before they answer. */
export function warningsOf({ details, checked, toolName, path }: PendingCall): readonly Warning[] {
  const warnings: Warning[] = [];
  if (details.inDoubt !== undefined) {
    const { reason, since } = details.inDoubt;
    const when = new Date(since).toISOString().replace('T', ' ').slice(0, 19);
    warnings.push({
      brief: 'in doubt',
      text: `In doubt: it may have run already (${when} UTC). ${reason}`,
    });
  }
  if (details.drifted) {
    warnings.push({
      brief: 'drifted',
      text: 'Drifted: it was approved before, but the tool is not the same any more, or would do something else.',
    });
  }
  if (details.deniedBefore) {
    warnings.push({
      brief: 'denied before',
      text: 'Denied before: somebody has said no to this very call in this conversation.',
    });
  }
  if (hidesSomething([checked, details.preview, toolName, path])) {
    warnings.push({
      brief: 'hidden characters',
      text: 'Hidden characters: it contains some that cannot be seen. They are shown as ⟨…⟩.',
    });
  }
  return warnings;
}

function hidesSomething(value: unknown): boolean {
  if (typeof value === 'string') return hasHidden(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => hasHidden(key) || hidesSomething(member));
}
