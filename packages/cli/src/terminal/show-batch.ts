import type { JsonValue } from 'holdpoint';
import type { Line } from './line.ts';
import type { PendingCall } from './pending-call.ts';
import { pathText } from './show-call.ts';
import { visible } from './visible.ts';
import { warningsOf } from './warnings.ts';
import { cut, pad, widthOf } from './width.ts';

/** How many calls wait, in a few words. */
export function batchTitle(calls: readonly PendingCall[], agent: string | undefined): string {
  const count = calls.length === 1 ? 'A call waits' : `${calls.length} calls wait`;
  return `${count} for your answer${agent === undefined ? '' : ` · ${agent}`}`;
}

/** A line for each call: its tool, the beginning of its arguments, and what is special about it. */
export function showBatch(calls: readonly PendingCall[], columns: number): readonly Line[] {
  const number = String(calls.length).length;
  const name = Math.min(24, Math.max(...calls.map(({ toolName }) => widthOf(visible(toolName)))));
  return calls.map((call, index) => {
    const front = `${String(index + 1).padStart(number)}  ${pad(cut(visible(call.toolName), name), name)}  `;
    const notes = notesOf(call);
    const back = notes === '' ? '' : `  ${notes}`;
    const room = Math.max(8, columns - widthOf(front) - widthOf(back));
    return {
      text: `${cut(briefArgs(call), room)}${back}`,
      style: warningsOf(call).length > 0 ? 'yellow' : undefined,
      label: { text: front },
    };
  });
}

/** The values of the arguments, on one line. */
export function briefArgs({ checked }: Pick<PendingCall, 'checked'>): string {
  const values =
    typeof checked === 'object' && checked !== null ? Object.values(checked) : [checked];
  return visible(values.map(brief).join(' '));
}

function brief(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.trim().replaceAll(/\s+/g, ' ');
}

function notesOf(call: PendingCall): string {
  return [
    ...(call.path.length > 0 ? [visible(pathText(call.path))] : []),
    ...(call.kind === 'external' ? ['needs a result'] : []),
    ...warningsOf(call).map((warning) => `! ${warning.brief}`),
  ].join(' · ');
}
