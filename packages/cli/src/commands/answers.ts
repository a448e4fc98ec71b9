import { UserError } from 'holdpoint';
import type { Answer } from '../desk/say-answer.ts';
import { readArgs, readResult } from '../terminal/json-text.ts';
import { isTerminal, type TerminalStreams } from '../terminal/terminal-streams.ts';
import { atDesk, DESK_OPTIONS } from './at-desk.ts';
import { type Command, type Options, UsageError } from './command.ts';
import { type OptionValues, readArguments } from './read-arguments.ts';

const COMMON = {
  yes: { kind: 'switch', help: 'decides without a confirmation' },
  ...DESK_OPTIONS,
} as const;

const HOW =
  'Shows the call first, with its preview, its arguments and its digest, then asks for a confirmation.\n' +
  'Without a terminal, pass --yes. The beginning of an id is enough. A call with edited arguments is shown\n' +
  'as the desk validated it. A hold is decided once: a later decision is rejected.';

const approveOptions = {
  args: { kind: 'text', value: '<json>', help: 'lets it run with these arguments instead' },
  ...COMMON,
} as const;

export const approve: Command = answerCommand({
  name: 'approve',
  summary: 'approve a pending call, or agree to a proposed result',
  options: approveOptions,
  answerOf({ args }) {
    if (args === undefined) return { kind: 'approve' };
    const read = readArgs(args);
    if (!read.ok) throw new UsageError(`--args: ${read.problem}`);
    return { kind: 'edit', args: read.value };
  },
});

const denyOptions = {
  reason: { kind: 'text', value: '<text>', help: 'why; the model is told' },
  ...COMMON,
} as const;

export const deny: Command = answerCommand({
  name: 'deny',
  summary: 'do not let a call that waits run',
  options: denyOptions,
  answerOf: ({ reason }) => ({ kind: 'deny', ...(reason !== undefined && { message: reason }) }),
});

const answerOptions = {
  result: { kind: 'text', value: '<json or text>', help: 'what the call has given' },
  failure: { kind: 'text', value: '<text>', help: 'why it could not be done' },
  retry: { kind: 'text', value: '<text>', help: 'what the model should do differently' },
  ...COMMON,
} as const;

export const answer: Command = answerCommand({
  name: 'answer',
  summary: 'give the result of a call that does not run here',
  options: answerOptions,
  answerOf({ result, failure, retry }) {
    const given = [result, failure, retry].filter((one) => one !== undefined);
    if (given.length !== 1)
      throw new UsageError('Pass exactly one of --result, --failure and --retry.');
    if (failure !== undefined) return { kind: 'fail', message: failure };
    if (retry !== undefined) return { kind: 'retry', message: retry };
    const read = readResult(result ?? '');
    if (!read.ok) throw new UsageError(`--result: ${read.problem}`);
    return { kind: 'result', value: read.value };
  },
});

interface AnswerCommand<Given extends Options> {
  readonly name: string;
  readonly summary: string;
  readonly options: Given;
  readonly answerOf: (values: OptionValues<Given>) => Answer;
}

function answerCommand<const Given extends typeof COMMON & Options>({
  name,
  summary,
  options,
  answerOf,
}: AnswerCommand<Given>): Command {
  return {
    name,
    usage: `${name} <hold-id>`,
    summary,
    description: HOW,
    options,
    async run(args) {
      const { values, positionals } = readArguments(args, options, {
        least: 1,
        most: 1,
        names: ['<hold-id>'],
      });
      const [holdId = ''] = positionals;
      // All of them have the common options.
      const { yes = false, json: isJson = false, ...said } = values as OptionValues<typeof COMMON>;
      const decision = { holdId, answer: answerOf(values), isJson };
      const confirmAt = yes ? undefined : terminalToAskAt(isJson);
      return atDesk(said, async (client) => {
        const { decide } = await import('../desk/decide.ts');
        return decide(client, { ...decision, confirmAt });
      });
    },
  };
}

/** Returns the terminal where the decision is confirmed. Without one, only `--yes` decides. */
function terminalToAskAt(isJson: boolean): TerminalStreams {
  if (isJson) throw new UsageError('--json cannot ask for a confirmation. Pass --yes, too.');
  const streams = { input: process.stdin, output: process.stdout };
  if (isTerminal(streams.input) && isTerminal(streams.output)) return streams;
  throw new UserError(
    'There is no terminal (TTY) to confirm the decision. Nothing was decided. Pass `--yes` to decide without a confirmation.',
  );
}
