import type { JsonObject } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import type { Line } from './line.ts';
import type { PendingCall } from './pending-call.ts';
import { showDiff } from './show-diff.ts';
import { showPreview } from './show-preview.ts';
import { isObject, showFields, showValue } from './show-value.ts';
import { warningsOf } from './warnings.ts';

/** What comes of a call if it runs: where it comes from, what to be careful about, and its preview or arguments. */
export function showCall(call: PendingCall): readonly Line[] {
  const { path, details, metadata, sent, checked } = call;
  return [
    ...(path.length > 0 ? [{ text: pathText(path), style: 'dim' } as const] : []),
    ...warningsOf(call).map(({ text }) => ({
      text,
      style: 'yellow' as const,
      label: { text: '! ', style: 'yellow' as const },
    })),
    ...(metadata === undefined ? [] : [heading('The tool says'), ...showFields(metadata)]),
    ...(sent === undefined
      ? []
      : [heading('Changed since the model sent it'), ...showChange(sent, call.args)]),
    ...(details.preview === undefined
      ? isObject(checked)
        ? showFields(checked)
        : showValue(checked)
      : showPreview(details.preview)),
  ];
}

/** The arguments of a call, whole, also where a preview stands for them. */
export function showEverything(call: PendingCall): readonly Line[] {
  if (call.details.preview === undefined) return showCall(call);
  return [...showCall(call), heading('Arguments'), ...showValue(call.checked)];
}

/** What changes from some arguments to others. */
export function showChange(before: JsonObject, after: JsonObject): readonly Line[] {
  return showDiff(pretty(before), pretty(after)) ?? showFields(after);
}

/** The agents that led to a call. */
export function pathText(path: readonly string[]): string {
  return `by ${path.join(' › ')}`;
}

/** JSON with one member in a line, in an order that does not depend on who wrote it. */
function pretty(args: JsonObject): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(args)), undefined, 2)}\n`;
}

function heading(text: string): Line {
  return { text: `${text}:`, style: 'dim' };
}
