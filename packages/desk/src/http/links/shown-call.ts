import type { JsonValue } from 'holdpoint';
import { editedArgs } from '../../model/decision-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { isOutcome } from '../../model/final-decision.ts';
import { hasRightToLeft } from '../../model/hidden-characters.ts';
import { visible } from '../../model/visible.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';

/** A part of a call that an approver must read before they decide. */
export interface ShownPart {
  readonly name: string;
  /** A text, or JSON as text. */
  readonly text: string;
  /** The same as a value; `undefined` if the text was cut. */
  readonly value?: JsonValue | undefined;
}

/** A call, as the page of a decision link shows it. */
export interface ShownCall {
  readonly parts: readonly ShownPart[];
  readonly warnings: readonly string[];
  /** True if a part is cut because it is too long. */
  readonly isCut: boolean;
}

/** The maximum length of a part, in characters. */
const MAX_LENGTH = 20_000;

/** Returns the call that the digest of a hold names, without the values that approvers must not see. */
export function shownCall(hold: HoldRow, redaction: Redaction, secrets: Secrets): ShownCall {
  const { toolName, preview, proposal, validatedArgs } = hold;
  const shown = (value: JsonValue) => secrets.takeOutOf(redaction.shownBy(toolName, value));
  const shownPreview = (value: JsonValue) =>
    secrets.takeOutOf(redaction.previewOf(toolName, value));
  const shownArgs = (args: JsonValue) => secrets.takeOutOf(redaction.argsOf({ toolName, args }));
  const outcome = isOutcome(proposal?.decision) ? proposal?.decision : undefined;
  const edit = editedArgs(proposal?.decision);
  // The preview and the validated arguments of the hold itself are for the arguments that the model sent.
  const all = [
    part(previewName(hold), edit === undefined ? preview : proposal?.shown?.preview, shownPreview),
    part(
      edit === undefined ? 'Arguments' : 'Arguments, as edited by an approver',
      edit ?? hold.args,
      shownArgs,
    ),
    part(
      'Validated arguments',
      edit === undefined ? validatedArgs : proposal?.shown?.args,
      shownArgs,
    ),
    // Proposals are JSON, but their types are not.
    part('Recorded outcome', outcome as JsonValue | undefined, shown),
    part('Also permits later calls', proposal?.grant as JsonValue | undefined, shown),
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

/** Returns the heading of the preview. A call in doubt may already have happened. */
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
  if (text.length <= MAX_LENGTH) return { name, text, value, isCut: false };
  // Half of a surrogate pair at the end would be shown as a number.
  const beginning = text.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  const left = text.length - beginning.length;
  return { name, text: `${beginning}\n… ${left} more characters are not shown here.`, isCut: true };
}

function warningsOf(hold: HoldRow, secrets: Secrets, isRedacted: boolean): readonly string[] {
  const warnings: string[] = [];
  const { inDoubt, drifted, deniedBefore } = hold;
  if (inDoubt !== undefined) {
    const reason = secrets.takeOutOfText(inDoubt.reason);
    warnings.push(`This may already have happened. ${reason} If you approve, it may happen again.`);
  }
  if (drifted) {
    warnings.push('An earlier approval does not permit this call as it is now.');
  }
  if (deniedBefore) {
    warnings.push('An approver denied the same call earlier in this conversation.');
  }
  if (isRedacted) warnings.push('Some values are not shown. They appear as [redacted].');
  return warnings;
}

const HIDDEN = 'The call contains invisible characters. They are shown as numbers.';

const RIGHT_TO_LEFT =
  'The call contains right-to-left text. Parts of it may appear in another order.';

/** Returns the names on the page that this package did not write. */
function namesIn({ toolName, title = '', agent, path, requester }: HoldRow): readonly string[] {
  const { id = '', name = '' } = requester ?? {};
  return [toolName, title, agent, id, name, ...path.map((call) => call.toolName)];
}

function hidesSomething(texts: readonly string[]): boolean {
  return texts.some((text) => visible(text) !== text.replaceAll('\t', '    '));
}
