import { type JsonObject, ToolApproved } from 'holdpoint';
import type { ShownEdit } from 'holdpoint/deferral';
import { canonicalJson } from 'holdpoint/ledger';
import type { ValidationIssue } from 'holdpoint/messages';
import { showChange } from './calls.ts';
import { readArgs, toJsonText } from './json-text.ts';
import type { PendingCall } from './pending-call.ts';
import { BACK, type Back, type PromptContext } from './prompter.ts';
import { showPreview, showValue } from './values.ts';

/** Prompts for edited arguments, shows the edited call and asks for its approval. */
export async function editArgs(
  context: PromptContext,
  call: PendingCall,
): Promise<ToolApproved | Back> {
  const { screen, prompter, requests } = context;
  const compact = toJsonText(call.args);
  const isLong = compact.length >= screen.columns;
  let initial = isLong ? toJsonText(call.args, 2) : compact;
  for (;;) {
    const written = await prompter.write({
      message: isLong
        ? 'Edit the arguments (JSON). Tab, then Enter: done. Esc: back.'
        : 'Edit the arguments (JSON). Enter: done. Esc: back.',
      initial,
      isLong,
      problem: async (text) => {
        const read = readArgs(text);
        if (!read.ok) return read.problem;
        const edit = await requests.checkEdit(call.id, read.value);
        return edit?.ok === false ? problemOf(edit.issues) : undefined;
      },
    });
    if (written === BACK) return BACK;
    const read = readArgs(written);
    if (!read.ok) continue; // the prompt has validated it
    const shown = await showEdit(context, call, read.value);
    const choice = await prompter.choose(
      'Approve the call as shown?',
      [
        { value: 'yes', label: 'Approve with these arguments' },
        { value: 'again', label: 'Edit again' },
        { value: 'back', label: 'Discard the edit' },
      ],
      'yes',
    );
    if (choice === 'yes') {
      // With `shown`, the call executes only if it is still the call that the approver was shown.
      return new ToolApproved({ overrideArgs: read.value, ...(shown !== undefined && { shown }) });
    }
    if (choice === 'back') return BACK;
    initial = written;
  }
}

/** Formats validation issues on one line. */
export function problemOf(issues: readonly ValidationIssue[]): string {
  const lines = issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean));
  return lines.map((line) => line.join(': ')).join(' · ');
}

/** Shows the change, the validated arguments and the preview; returns them if the tool is known here. */
async function showEdit(
  { screen, requests }: PromptContext,
  call: PendingCall,
  args: JsonObject,
): Promise<ShownEdit | undefined> {
  const edit = await requests.checkEdit(call.id, args);
  screen.block([{ text: '' }, ...showChange(call.args, args)]);
  if (edit === undefined) {
    const text = 'Not validated here. If the arguments are invalid, the model receives an error.';
    screen.block([{ text, style: 'yellow' }]);
    return undefined;
  }
  if (!edit.ok) return undefined;
  const { args: received, preview } = edit;
  if (canonicalJson(received) !== canonicalJson(args)) {
    const heading = { text: 'Arguments the tool will receive:', style: 'dim' } as const;
    screen.block([heading, ...showValue(received)]);
  }
  if (preview !== undefined) {
    const heading = { text: 'Preview of the edit:', style: 'dim' } as const;
    screen.block([heading, ...showPreview(preview)]);
  }
  return { args: received, ...(preview !== undefined && { preview }) };
}
