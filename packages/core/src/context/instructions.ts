import type { Cancellation } from './cancellation.ts';
import type { RunContext } from './run-context.ts';

/** Text for the model, or a function that returns it. An empty result is left out. */
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
  return isInstructionList(instructions) ? instructions : [instructions];
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
    const text = await cancellation.guard(one(ctx));
    if (text) sections.push(text);
  }
  return sections.length > 0 ? sections.join('\n\n') : undefined;
}
