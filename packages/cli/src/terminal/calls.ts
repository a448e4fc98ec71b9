import type { JsonObject, JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import type { Line } from './lines.ts';
import { type PendingCall, warningsOf } from './pending-call.ts';
import { isObject, showDiff, showFields, showPreview, showValue } from './values.ts';
import { visible } from './visible.ts';
import { cut, pad, widthOf } from './width.ts';

/** Shows a call: its path, its warnings, and its preview or its arguments. */
export function showCall(call: PendingCall): readonly Line[] {
  const { path, details, metadata, sent, validatedArgs } = call;
  return [
    ...(path.length > 0 ? [{ text: pathText(path), style: 'dim' } as const] : []),
    ...warningsOf(call).map(({ text }) => ({
      text,
      style: 'yellow' as const,
      label: { text: '! ', style: 'yellow' as const },
    })),
    ...(metadata === undefined ? [] : [heading('From the tool'), ...showFields(metadata)]),
    ...(sent === undefined
      ? []
      : [heading('Changed since the model sent it'), ...showChange(sent, call.args)]),
    ...(details.preview === undefined ? showArgs(validatedArgs) : showPreview(details.preview)),
  ];
}

/** Shows a call with its arguments, even if it has a preview. */
export function showEverything(call: PendingCall): readonly Line[] {
  if (call.details.preview === undefined) return showCall(call);
  return [...showCall(call), heading('Arguments'), ...showValue(call.validatedArgs)];
}

function showArgs(args: JsonValue): readonly Line[] {
  return isObject(args) ? showFields(args) : showValue(args);
}

/** Shows the difference between two sets of arguments. */
export function showChange(before: JsonObject, after: JsonObject): readonly Line[] {
  return showDiff(pretty(before), pretty(after)) ?? showFields(after);
}

/** Names the sub-agents that led to a call. */
export function pathText(path: readonly string[]): string {
  return `by ${path.join(' › ')}`;
}

/** Formats JSON with one member per line, in canonical order. */
function pretty(args: JsonObject): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(args)), undefined, 2)}\n`;
}

/** Returns a line above other lines. */
export function heading(text: string): Line {
  return { text: `${text}:`, style: 'dim' };
}

/** Returns the title above a batch of pending calls. */
export function batchTitle(calls: readonly PendingCall[], agent: string | undefined): string {
  const count = calls.length === 1 ? 'A call needs' : `${calls.length} calls need`;
  return `${count} your decision${agent === undefined ? '' : ` · ${agent}`}`;
}

/** Shows calls, one line each: the tool, the start of its preview or its arguments, and notes. */
export function showBatch(calls: readonly PendingCall[], columns: number): readonly Line[] {
  const digits = String(calls.length).length;
  const width = Math.min(24, Math.max(...calls.map(({ toolName }) => widthOf(visible(toolName)))));
  return calls.map((call, index) => {
    const name = pad(cut(visible(call.toolName), width), width);
    const front = `${String(index + 1).padStart(digits)}  ${name}  `;
    const notes = notesOf(call);
    const back = notes === '' ? '' : `  ${notes}`;
    const room = Math.max(8, columns - widthOf(front) - widthOf(back));
    return {
      text: `${cut(brief(call), room)}${back}`,
      style: warningsOf(call).length > 0 ? 'yellow' : undefined,
      label: { text: front },
    };
  });
}

/** Returns the preview of a call on one line, or the values of its arguments if the preview is no text. */
export function brief(call: PendingCall): string {
  const { preview } = call.details;
  return typeof preview === 'string' ? visible(oneLine(preview)) : briefArgs(call);
}

/** Returns the values of the arguments on one line. */
export function briefArgs({ validatedArgs }: Pick<PendingCall, 'validatedArgs'>): string {
  const values =
    typeof validatedArgs === 'object' && validatedArgs !== null
      ? Object.values(validatedArgs)
      : [validatedArgs];
  return visible(values.map(oneLine).join(' '));
}

/** Returns a value as text on one line. */
export function oneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.trim().replaceAll(/\s+/g, ' ');
}

function notesOf(call: PendingCall): string {
  return [
    ...(call.path.length > 0 ? [visible(pathText(call.path))] : []),
    ...(call.kind === 'external' ? ['needs a result'] : []),
    ...warningsOf(call).map((warning) => `! ${warning.brief}`),
  ].join(' · ');
}
