import type { Hold } from '../client/types.ts';

/** Something that whoever answers should know first. */
export interface Warning {
  /** In two words, for lists. */
  readonly chip: string;
  readonly text: string;
}

/** What whoever answers should know first. */
export function warningsOf({ inDoubt, drifted, deniedBefore, redacted }: Hold): readonly Warning[] {
  const warnings: Warning[] = [];
  if (inDoubt !== undefined) {
    warnings.push({
      chip: 'in doubt',
      text: 'This may already have happened. If you approve, it may happen a second time. Check the system that the tool acts on first.',
    });
  }
  if (drifted === true) {
    warnings.push({
      chip: 'tool has changed',
      text: 'It was approved before, but the tool has changed since. It is asked again for the tool as it is now.',
    });
  }
  if (deniedBefore === true) {
    warnings.push({
      chip: 'denied before',
      text: 'The same call was denied before in this conversation. The agent asks again.',
    });
  }
  if (redacted) {
    warnings.push({
      chip: 'not all shown',
      text: 'Parts of this call are not shown to you: they stand as [redacted]. What runs is the whole.',
    });
  }
  return warnings;
}
