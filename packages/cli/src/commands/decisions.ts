import type { Decision } from '@holdpoint/desk';
import type { GrantRequest } from '@holdpoint/desk/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UserError } from 'holdpoint';
import { readArgs, type ReadJson, readResult } from '../terminal/json-text.ts';
import { isTerminal, type TerminalStreams } from '../terminal/prompter.ts';
import {
  addDeskOptions,
  addUrlOptions,
  type CommonOptions,
  parseDuration,
  wholeNumber,
  withDesk,
} from './command-line.ts';
import { UsageError, exitWith } from '../errors.ts';

const CONFIRMATION =
  'Shows the call with its preview, arguments and digest, and asks for confirmation. Without a terminal, ' +
  'pass --yes. The first four characters of an id are enough. A hold is decided once: the desk rejects ' +
  'a later decision.';

interface DecideOptions extends CommonOptions {
  readonly yes?: true | undefined;
  readonly reason?: string | undefined;
  /** The id of the person who delegated the decision. */
  readonly onBehalfOf?: string | undefined;
}

interface GrantOptions {
  readonly grant?: GrantRequest['match'] | undefined;
  readonly grantScope?: NonNullable<GrantRequest['scope']> | undefined;
  readonly grantUses?: number | undefined;
  readonly grantFor?: number | undefined;
}

/** Adds the commands that decide a hold. */
export function addDecisionCommands(program: Command): void {
  program.commandsGroup('Decide:');
  const add = (usage: string, summary: string, reader?: string) => {
    const command = program.command(`${usage.split(' ')[0]} <hold-id>`);
    command.summary(summary).description(`${summary}.\n\n${CONFIRMATION}`);
    for (const argument of usage.split(' ').slice(1)) command.argument(argument);
    command.option('--yes', 'decide without confirmation');
    command.option('--on-behalf-of <id>', 'decide as the delegate of this person');
    return addDeskOptions(
      reader ? command.option('--reason <text>', `reason, for ${reader}`) : command,
    );
  };

  addGrantOptions(
    add('approve', 'Approve a call, or a proposed result', 'the tool and for people'),
  ).action((holdId: string, options: DecideOptions & GrantOptions) =>
    decide(holdId, { kind: 'approve', reason: options.reason }, options, grantOf(options)),
  );
  addGrantOptions(
    add('edit <args>', 'Approve a call with edited arguments, as JSON', 'the tool and for people'),
  ).action((holdId: string, text: string, options: DecideOptions & GrantOptions) => {
    const args = read('args', readArgs(text));
    return decide(
      holdId,
      { kind: 'approve', args, reason: options.reason },
      options,
      grantOf(options),
    );
  });
  add('deny', 'Deny a call', 'the model').action((holdId: string, options: DecideOptions) =>
    decide(holdId, { kind: 'deny', reason: options.reason }, options),
  );
  add(
    'respond [value]',
    'Respond to a question, with JSON or text, or in a form if no value is given',
  ).action((holdId: string, value: string | undefined, options: DecideOptions) =>
    respond(holdId, value, options),
  );
  add('result <value>', 'Record the result of an external call, as JSON or text').action(
    (holdId: string, value: string, options: DecideOptions) =>
      decide(holdId, { kind: 'result', value: read('value', readResult(value)) }, options),
  );
  add('fail <message>', 'Record that an external call failed').action(
    (holdId: string, message: string, options: DecideOptions) =>
      decide(holdId, { kind: 'fail', message }, options),
  );
  add(
    'request-changes <message>',
    'Request changes from the model; the call does not execute',
  ).action((holdId: string, message: string, options: DecideOptions) =>
    decide(holdId, { kind: 'retry', message }, options),
  );
}

/** Adds `comment`. */
export function addCommentCommand(program: Command): void {
  addDeskOptions(
    program
      .command('comment <hold-id> <text>')
      .summary('Comment on a hold')
      .description('Comment on a hold. It decides nothing, and the model does not see it.'),
  ).action((holdId: string, text: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { comment } = await import('../desk/comments.ts');
      await comment(client, { holdId, text }, options.json ?? false);
    }),
  );
}

/** Adds `callback`. */
export function addCallbackCommand(program: Command): void {
  const command = program
    .command('callback <hold-id>')
    .summary('Create an address for the result of an external call')
    .description(
      'Create an address at which a program supplies the result of an external call by POST, once, as {"value": …} ' +
        'or {"error": "…"}. Its result counts as yours. The desk must be served.',
    )
    .option(
      '--expires <duration>',
      'time until it expires, such as 2h (default: 1d)',
      parseDuration,
    );
  addUrlOptions(command).action(
    (holdId: string, options: CommonOptions & { readonly expires?: number }) =>
      withDesk(options, async (client) => {
        const { createCallback } = await import('../desk/callbacks.ts');
        const typed = { holdId, expiresAfter: options.expires };
        await createCallback(client, typed, options.json ?? false);
      }),
  );
}

async function decide(
  holdId: string,
  decision: Decision,
  options: DecideOptions,
  grant?: GrantRequest,
): Promise<void> {
  const isJson = options.json ?? false;
  const { onBehalfOf } = options;
  const confirmAt = options.yes ? undefined : confirmationTerminal(isJson);
  await withDesk(options, async (client) => {
    const desk = await import('../desk/decide.ts');
    const typed = { holdId, decision, grant, onBehalfOf, confirmAt, isJson };
    exitWith(await desk.decide(client, typed));
  });
}

async function respond(
  holdId: string,
  text: string | undefined,
  options: DecideOptions,
): Promise<void> {
  const isJson = options.json ?? false;
  const { onBehalfOf } = options;
  if (text === undefined && (options.yes || isJson)) {
    throw new UsageError('`--yes` and `--json` have no form. Pass the response as an argument.');
  }
  const confirmAt = options.yes ? undefined : confirmationTerminal(isJson);
  await withDesk(options, async (client) => {
    const desk = await import('../desk/respond.ts');
    if (text !== undefined) {
      const typed = { holdId, text, onBehalfOf, confirmAt, isJson };
      return exitWith(await desk.respondWith(client, typed));
    }
    if (confirmAt !== undefined) {
      exitWith(await desk.respondInForm(client, { holdId, onBehalfOf }, confirmAt));
    }
  });
}

/** Returns the terminal where the approver confirms. Without one, only `--yes` decides. */
function confirmationTerminal(isJson: boolean): TerminalStreams {
  if (isJson) throw new UsageError('`--json` cannot ask for confirmation. Pass `--yes` too.');
  const streams = { input: process.stdin, output: process.stdout };
  if (isTerminal(streams.input) && isTerminal(streams.output)) return streams;
  throw new UserError(
    'There is no terminal (TTY) to confirm the decision. Nothing was decided. Pass `--yes` to decide without confirmation.',
  );
}

function read<Value>(argument: string, json: ReadJson<Value>): Value {
  if (json.ok) return json.value;
  throw new UsageError(`Invalid argument <${argument}>: ${json.problem}`);
}

function addGrantOptions(command: Command): Command {
  const scopes = ['conversation', 'requester', 'agent'];
  return command
    .optionsGroup('Grant:')
    .addOption(
      new Option(
        '--grant <calls>',
        'also approve later calls: same-arguments, tool, or arguments that must match, as JSON',
      ).argParser(parseMatch),
    )
    .addOption(
      new Option('--grant-scope <scope>', 'where later calls must come from').choices(scopes),
    )
    .addOption(
      new Option('--grant-uses <number>', 'maximum number of later calls').argParser(
        wholeNumber(1, 1_000_000),
      ),
    )
    .addOption(
      new Option('--grant-for <duration>', 'how long, such as 30m, 8h or 7d').argParser(
        parseDuration,
      ),
    );
}

function parseMatch(text: string): GrantRequest['match'] {
  if (text === 'tool' || text === 'same-arguments') return text;
  const json = readArgs(text);
  if (json.ok) return { args: json.value };
  throw new InvalidArgumentError('Pass same-arguments, tool, or a JSON object.');
}

function grantOf({
  grant,
  grantScope,
  grantUses,
  grantFor,
}: GrantOptions): GrantRequest | undefined {
  if (grant !== undefined) {
    return { match: grant, scope: grantScope, uses: grantUses, expiresAfter: grantFor };
  }
  if (grantScope ?? grantUses ?? grantFor) {
    throw new UsageError(
      '`--grant-scope`, `--grant-uses` and `--grant-for` need `--grant`. Pass it too.',
    );
  }
  return undefined;
}
