import type { Cancellation } from './cancellation.ts';
import type { MaybePromise } from './chain.ts';
import type { RunContext } from './run-context.ts';

/** Text for the model, or a function that makes it; what gives nothing is left out. */
export type Instruction<Deps = unknown> =
  | string
  | ((ctx: RunContext<Deps>) => string | undefined | null | Promise<string | undefined | null>);

/** Instructions: one, or a list. */
export type Instructions<Deps = unknown> = Instruction<Deps> | readonly Instruction<Deps>[];

/** Instructions, as a list. */
export function instructionList<Deps>(
  instructions: Instructions<Deps> | undefined,
): readonly Instruction<Deps>[] {
  if (instructions === undefined) return [];
  return isList(instructions) ? instructions : [instructions];
}

function isList<Deps>(
  instructions: Instructions<Deps>,
): instructions is readonly Instruction<Deps>[] {
  return Array.isArray(instructions);
}

/** The text of all instructions: fixed texts line by line, then what functions say, a blank line between. */
export function renderInstructions(
  instructions: readonly Instruction<never>[],
  ctx: RunContext<never>,
  cancellation: Cancellation,
): MaybePromise<string | undefined> {
  if (instructions.length === 0) return undefined;
  const fixed = instructions.filter((one) => typeof one === 'string' && one !== '').join('\n');
  const made = instructions.filter((one) => typeof one === 'function');
  return made.length === 0 ? fixed || undefined : withMade(fixed, made, ctx, cancellation);
}

async function withMade(
  fixed: string,
  made: readonly Exclude<Instruction<never>, string>[],
  ctx: RunContext<never>,
  cancellation: Cancellation,
): Promise<string | undefined> {
  const sections = fixed === '' ? [] : [fixed];
  for (const one of made) {
    const text = await cancellation.wait(one(ctx));
    if (text) sections.push(text);
  }
  return sections.length > 0 ? sections.join('\n\n') : undefined;
}
