import { type JsonObject, ToolApproved } from 'holdpoint';
import type { ShownEdit } from 'holdpoint/deferral';
import { canonicalJson } from 'holdpoint/ledger';
import type { ValidationIssue } from 'holdpoint/messages';
import { readArgs, toJsonText } from './json-text.ts';
import type { PendingCall } from './pending-call.ts';
import { BACK, type Back } from './prompter.ts';
import type { Questioner } from './questioner.ts';
import { showChange } from './show-call.ts';
import { showPreview } from './show-preview.ts';
import { showValue } from './show-value.ts';

/** Has somebody change the arguments of a call, and say yes to what came of it. */
export async function editArgs(
  questioner: Questioner,
  call: PendingCall,
): Promise<ToolApproved | Back> {
  const { screen, prompter, requests } = questioner;
  const oneLine = toJsonText(call.args);
  const isLong = oneLine.length >= screen.columns;
  let initial = isLong ? toJsonText(call.args, 2) : oneLine;
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
        const checked = await requests.checkEdit(call.id, read.value);
        return checked?.ok === false ? problemOf(checked.issues) : undefined;
      },
    });
    if (written === BACK) return BACK;
    const read = readArgs(written);
    if (!read.ok) continue; // it was looked at before it was accepted
    const described = await describeEdit(questioner, call, read.value);
    const choice = await prompter.choose(
      'Approve the call as shown?',
      [
        { value: 'yes', label: 'Approve with these arguments' },
        { value: 'again', label: 'Edit again' },
        { value: 'back', label: 'Back, without the changes' },
      ],
      'yes',
    );
    if (choice === 'yes') {
      return new ToolApproved({
        overrideArgs: read.value,
        // The call executes only if it is still what was shown here.
        ...(described !== undefined && { shown: described }),
      });
    }
    if (choice === 'back') return BACK;
    initial = written;
  }
}

function problemOf(issues: readonly ValidationIssue[]): string {
  const lines = issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean));
  return lines.map((line) => line.join(': ')).join(' · ');
}

/**
 * Shows an edit as the tool would execute it: the change, the arguments it receives, its preview. Returns
 * what was shown; `undefined` if the tool is not known here.
 */
async function describeEdit(
  { screen, requests }: Questioner,
  call: PendingCall,
  args: JsonObject,
): Promise<ShownEdit | undefined> {
  const checked = await requests.checkEdit(call.id, args);
  screen.block([{ text: '' }, ...showChange(call.args, args)]);
  if (checked === undefined) {
    const text =
      'Not checked against the tool’s schema here: if it does not fit, the model is told.';
    screen.block([{ text, style: 'yellow' }]);
    return undefined;
  }
  if (!checked.ok) return undefined;
  const { args: received, preview } = checked;
  if (canonicalJson(received) !== canonicalJson(args)) {
    screen.block([
      { text: 'Arguments the tool will receive:', style: 'dim' },
      ...showValue(received),
    ]);
  }
  if (preview !== undefined) {
    screen.block([{ text: 'What it will do now:', style: 'dim' }, ...showPreview(preview)]);
  }
  return { args: received, ...(preview !== undefined && { preview }) };
}
