import { passInstead } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Cancellation } from './cancellation.ts';
import type { RunContext } from './run-context.ts';

/** Text for the model, or a function that returns it. An empty result is omitted. */
export type Instruction<Deps = unknown> =
  | string
  | ((ctx: RunContext<Deps>) => string | undefined | null | Promise<string | undefined | null>);

/** Instructions: one, or a list. */
export type Instructions<Deps = unknown> = Instruction<Deps> | readonly Instruction<Deps>[];

/** Returns instructions as a list. */
export function instructionList<Deps>(
  instructions: Instructions<Deps> | undefined,
): readonly Instruction<Deps>[] {
  if (instructions === undefined) return [];
  const list = isInstructionList(instructions) ? instructions : [instructions];
  for (const one of list) {
    if (typeof one === 'string' || typeof one === 'function') continue;
    throw new UserError(
      `One of the \`instructions\` is ${showValue(one)}. ${passInstead(one, 'a text, or a function that returns one')}`,
    );
  }
  return list;
}

function isInstructionList<Deps>(
  instructions: Instructions<Deps>,
): instructions is readonly Instruction<Deps>[] {
  return Array.isArray(instructions);
}

/** Renders instructions: fixed texts line by line, then the texts of functions, separated by blank lines. */
export async function renderInstructions(
  instructions: readonly Instruction<never>[],
  ctx: RunContext<never>,
  cancellation: Cancellation,
): Promise<string | undefined> {
  const fixed = instructions.filter((one) => typeof one === 'string' && one !== '').join('\n');
  const sections = fixed === '' ? [] : [fixed];
  for (const one of instructions) {
    if (typeof one === 'string') continue;
    // Functions of programs without types may return any value.
    const text: unknown = await cancellation.guard(one(ctx));
    if (!text) continue;
    if (typeof text !== 'string') {
      throw new UserError(
        `A function in \`instructions\` returned ${showValue(text)}. Return a text, or \`undefined\` for none.`,
      );
    }
    sections.push(text);
  }
  return sections.length > 0 ? sections.join('\n\n') : undefined;
}
