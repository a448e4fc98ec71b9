import type { Message } from '../../messages/message.ts';

/** Gives an id to a tool call that was written without one. */
export type NextCallId = () => string;

/** `call-1`, `call-2` and so on, going on after the last of these ids in the conversation. */
export function callIdsAfter(messages: readonly Message[]): NextCallId {
  let last: number | undefined;
  return () => {
    last = (last ?? lastCallNumber(messages)) + 1;
    return `call-${last}`;
  };
}

/** The number of the last `call-…` in the conversation; 0 when there is none. */
export function lastCallNumber(messages: readonly Message[]): number {
  // Numbers only go up, so the last response that has any has the highest.
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.kind !== 'response') continue;
    let highest = 0;
    for (const part of message.parts) {
      if (part.kind === 'tool-call') highest = Math.max(highest, numberIn(part.toolCallId));
    }
    if (highest > 0) return highest;
  }
  return 0;
}

function numberIn(id: string): number {
  return Number(/^call-(\d{1,9})$/.exec(id)?.[1] ?? 0);
}
