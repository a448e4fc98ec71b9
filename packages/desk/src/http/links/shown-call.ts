import type { JsonValue } from 'holdpoint';
import type { HoldRow } from '../../model/hold-row.ts';
import { isOutcome } from '../../model/settled-answer.ts';
import { hasRightToLeft } from '../../model/hidden-characters.ts';
import { visible } from '../../model/visible.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';

/** Something that somebody has to look at before they answer. */
export interface ShownPart {
  readonly name: string;
  /** A text, or JSON as text, with all that is in it. */
  readonly text: string;
  /** The same as a value; `undefined` if the text was cut. */
  readonly value?: JsonValue | undefined;
}

/** What would happen, as people are shown it. */
export interface ShownCall {
  readonly parts: readonly ShownPart[];
  readonly warnings: readonly string[];
  /** Whether something was left out because it is too long. */
  readonly isCut: boolean;
}

/** More than this nobody reads on a small page, in characters. */
const MOST_SHOWN = 20_000;

/** What the digest of a hold is about, without what people are not to see. */
export function shownCall(hold: HoldRow, redaction: Redaction, secrets: Secrets): ShownCall {
  const { toolName, preview, proposal, checkedArgs } = hold;
  const shown = (value: JsonValue) => secrets.takeOutOf(redaction.shownBy(toolName, value));
  const shownPreview = (value: JsonValue) =>
    secrets.takeOutOf(redaction.previewOf(toolName, value));
  const shownArgs = (args: JsonValue) => secrets.takeOutOf(redaction.argsOf({ toolName, args }));
  const outcome = isOutcome(proposal?.answer) ? proposal?.answer : undefined;
  const edit = proposal?.answer?.kind === 'edit' ? proposal.answer : undefined;
  // The preview and the validated arguments of a hold are about the call as the model sent it.
  const all = [
    part(previewName(hold), edit === undefined ? preview : proposal?.shown?.preview, shownPreview),
    part(
      edit === undefined ? 'Arguments' : 'Arguments, as edited by an approver',
      edit?.args ?? hold.args,
      shownArgs,
    ),
    part(
      'Arguments as the tool gets them',
      edit === undefined ? checkedArgs : proposal?.shown?.args,
      shownArgs,
    ),
    // Proposals are JSON; their types just do not say so.
    part('What is said to have come of it', outcome as JsonValue | undefined, shown),
    part('To be remembered for later calls', proposal?.remember as JsonValue | undefined, shown),
  ].filter((one) => one !== undefined);
  const parts = all.map(cut);
  const texts = [...namesIn(hold), ...parts.map(({ text }) => text)];
  return {
    parts: parts.map(({ name, text, value }) => ({ name, text, value })),
    warnings: [
      ...warningsOf(hold, secrets, redaction.isAbout(toolName)),
      ...(hidesSomething(texts) ? [HIDDEN] : []),
      ...(texts.some(hasRightToLeft) ? [RIGHT_TO_LEFT] : []),
    ],
    isCut: parts.some(({ isCut }) => isCut),
  };
}

/** The heading of the preview. Only a call that was never started *will* happen. */
export function previewName({ inDoubt }: Pick<HoldRow, 'inDoubt'>): string {
  return inDoubt === undefined ? 'What will happen' : 'What may have happened';
}

function part(
  name: string,
  value: JsonValue | undefined,
  shown: (value: JsonValue) => JsonValue,
): ShownPart | undefined {
  if (value === undefined) return undefined;
  const without = shown(value);
  return {
    name,
    text: typeof without === 'string' ? without : JSON.stringify(without, undefined, 2),
    value: without,
  };
}

function cut({ name, text, value }: ShownPart): ShownPart & { readonly isCut: boolean } {
  if (text.length <= MOST_SHOWN) return { name, text, value, isCut: false };
  // Half a character at the end would be shown as a number.
  const beginning = text.slice(0, MOST_SHOWN).replace(/[\uD800-\uDBFF]$/, '');
  const left = text.length - beginning.length;
  return { name, text: `${beginning}\n… ${left} more characters are not shown here.`, isCut: true };
}

function warningsOf(hold: HoldRow, secrets: Secrets, isRedacted: boolean): readonly string[] {
  const warnings: string[] = [];
  const { inDoubt, drifted, deniedBefore } = hold;
  if (inDoubt !== undefined) {
    const why = secrets.takeOutOfText(inDoubt.reason);
    warnings.push(`This may already have happened. ${why} If you approve, it may happen again.`);
  }
  if (drifted) {
    warnings.push('It was approved before, but the tool is not the same any more.');
  }
  if (deniedBefore) {
    warnings.push('Somebody has said no to this very call before, in this conversation.');
  }
  if (isRedacted) warnings.push('Parts of it are not shown: [redacted] stands for them.');
  return warnings;
}

const HIDDEN = 'It contains characters that cannot be seen. They are shown by their numbers.';

const RIGHT_TO_LEFT =
  'It has letters that are written from right to left. Parts of it may be shown in another order.';

/** Names on the page that come from outside. */
function namesIn({ toolName, agent, path, requester }: HoldRow): readonly string[] {
  const { id = '', name = '' } = requester ?? {};
  return [toolName, agent, id, name, ...path.map((call) => call.toolName)];
}

function hidesSomething(texts: readonly string[]): boolean {
  return texts.some((text) => visible(text) !== text.replaceAll('\t', '    '));
}
