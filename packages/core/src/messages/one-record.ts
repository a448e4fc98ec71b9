import { lastResponseIndex, type Message } from './message.ts';
import { ownMessages } from './own-messages.ts';
import {
  hasStepRecord,
  recordOf,
  type StepRecord,
  withoutStepRecord,
  withStepRecord,
} from './step-record.ts';

/**
 * A history whose last step has one record: what all of its records say together, as `change` has it,
 * where the latest of them is. None if `change` gives nothing. The messages are ours, and frozen.
 */
export function withOneRecord(
  messages: readonly Message[],
  change: (record: StepRecord) => StepRecord | undefined,
): readonly Message[] {
  const record = recordOf(messages);
  if (record === undefined) return messages;
  const changed = change(record);
  const start = lastResponseIndex(messages);
  const latest = messages.findLastIndex(hasStepRecord);
  const replaced = messages.map((message, index) => {
    if (index < start) return message;
    const plain = withoutStepRecord(message);
    return index === latest && changed ? withStepRecord(plain, changed) : plain;
  });
  return ownMessages(replaced);
}
