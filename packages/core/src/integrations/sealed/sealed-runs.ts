import type { Agent } from '../../agent/agent.ts';
import type {
  AnyTools,
  AnyToolsets,
  DepsOfAgent,
  ResumeArguments,
} from '../../agent/agent-options.ts';
import type { RunResultOf } from '../../agent/run-result.ts';
import type { WrapperAgent } from '../../agent/wrapper-agent.ts';
import { liveEnvironment } from '../../context/environment.ts';
import { requestsFromMessages } from '../../deferred/from-messages.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { checkRequiredOptions, type OptionTable } from '../../errors/check-options.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { requireLedger } from '../../ledger/require-ledger.ts';
import type { Message } from '../../messages/message.ts';
import type { OutputDepsOf, OutputSpec } from '../../output/output-spec.ts';
import { readKeys, type SealKey, type SealKeys } from './seal-keys.ts';
import { SealedRunError } from './sealed-run-error.ts';
import { makeToken, readToken, type TokenBinding, type TokenContent } from './token.ts';

/** How runs are sealed. */
export interface SealedRunsOptions {
  /** Keys by id. Tokens name the id, and each key opens only its own. */
  readonly keys: Readonly<Record<string, SealKey>>;
  /** The id of the key that new tokens are sealed with; needed where there are several keys. */
  readonly sealWith?: string | undefined;
  /** Who may open the tokens: a name that must be the same here and there. It may name a user as well. */
  readonly audience: string;
  /** How long a token is good, in milliseconds. */
  readonly expiresIn: number;
  /** Where it is kept which calls have run: a run goes on from a token once. */
  readonly ledger?: Ledger | undefined;
  /** Lets runs go on without a ledger: each copy of a token runs its approved calls again. */
  readonly allowReplay?: boolean | undefined;
  /** The longest token, in characters; a million unless given. */
  readonly maxLength?: number | undefined;
  /** The clock, in milliseconds since 1970; that of the machine unless given. */
  readonly now?: (() => number) | undefined;
}

/** What a token says to whoever has its key. */
export interface OpenedRun {
  /** What waits. */
  readonly requests: DeferredToolRequests;
  /** When the token is over, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Options with which a run, a stream or an iteration goes on from a token. */
export interface SealedResumption {
  readonly messageHistory: readonly Message[];
  readonly deferredToolResults: DeferredToolResults;
  /** Contains the ledger. Keep it if you add options of your own: `{ ...resumption.durability, … }`. */
  readonly durability: { readonly ledger: Ledger | undefined };
}

/** The longest token unless somebody says otherwise. */
const MAX_LENGTH = 1_000_000;

/**
 * Seals parked runs: as encrypted tokens for one audience that nobody can change and that end.
 *
 * @example
 * const sealed = sealedRuns({ keys: { '2026-11': key }, audience: 'shop', expiresIn: 3_600_000, ledger })
 * const token = await sealed.seal(parked)
 */
export function sealedRuns(options: SealedRunsOptions): SealedRuns {
  return new SealedRuns(options);
}

/** Parked runs as tokens that only the owner of a key can read: give them away, and take them back. */
export class SealedRuns {
  readonly #options: SealedRunsOptions;
  readonly #keys: SealKeys;

  /** Made by {@link sealedRuns}. */
  constructor(options: SealedRunsOptions) {
    checkSealedOptions(options);
    this.#options = options;
    this.#keys = readKeys(options.keys, options.sealWith);
  }

  /** A parked run as a token. */
  async seal({ messages }: { readonly messages: readonly Message[] }): Promise<string> {
    if (requestsFromMessages(messages) === undefined) {
      throw new UserError('Nothing waits in these messages. Only a parked run can be sealed.', {
        code: 'nothing-pending',
      });
    }
    const token = await makeToken(messages, this.#binding(), this.#options.expiresIn);
    this.#requireLength(token);
    return token;
  }

  /** What the run in a token waits for. */
  async open(token: string): Promise<OpenedRun> {
    const { requests, expiresAt } = await this.#read(token);
    return Object.freeze({ requests, expiresAt });
  }

  /** Goes on with the run in a token, as `agent.resume` does with a parked run. */
  async resume<
    Tools extends AnyTools,
    Output extends OutputSpec,
    Own,
    Toolsets extends AnyToolsets,
    const RunOutput extends OutputSpec = Output,
  >(
    agent: Agent<Tools, Output, Own, Toolsets> | WrapperAgent<Tools, Output, Own, Toolsets>,
    token: string,
    results: DeferredToolResults,
    ...options: ResumeArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): Promise<RunResultOf<RunOutput>> {
    const ledger = this.#ledger(options[0]?.durability?.ledger);
    const { messages } = await this.#read(token);
    // The same options, which the signature has checked, with a ledger that it allows.
    const durability = { ...options[0]?.durability, ledger };
    const resumed = [{ ...options[0], durability }] as unknown as typeof options;
    return agent.resume<RunOutput>({ messages }, results, ...resumed);
  }

  /** What `run`, `stream` and `iter` take to go on with the run in a token: `agent.stream(prompt, options)`. */
  async resumeOptions(token: string, results: DeferredToolResults): Promise<SealedResumption> {
    const ledger = this.#ledger();
    const { messages } = await this.#read(token);
    return Object.freeze({
      messageHistory: messages,
      deferredToolResults: results,
      durability: { ledger },
    });
  }

  #binding(): TokenBinding {
    const { audience, now = liveEnvironment.now } = this.#options;
    return { keys: this.#keys, audience, now: now() };
  }

  async #read(token: string): Promise<OpenedRun & Pick<TokenContent, 'messages'>> {
    if (typeof token !== 'string') {
      throw new SealedRunError('malformed', `a token is a text, and this is ${typeof token}.`);
    }
    this.#requireLength(token);
    const { messages, expiresAt } = await readToken(token, this.#binding());
    return { messages, expiresAt, requests: requestsIn(messages) };
  }

  /** What sees to it that the run goes on once; `undefined` if nothing has to. */
  #ledger(ofRun?: Ledger): Ledger | undefined {
    const { ledger, allowReplay = false } = this.#options;
    const used = ofRun ?? ledger;
    if (used !== undefined || allowReplay) return used;
    throw new SealedRunError(
      'replayable',
      'without a ledger, every copy of the token would run its calls again. Give sealedRuns the ledger that all ' +
        'who resume runs share, or set allowReplay.',
    );
  }

  #requireLength(token: string): void {
    const { maxLength = MAX_LENGTH } = this.#options;
    if (token.length <= maxLength) return;
    throw new SealedRunError(
      'too-large',
      `the token has ${token.length} characters, and ${maxLength} are allowed. Keep the run yourself, or raise maxLength.`,
    );
  }
}

/** What waits in a genuine token; whoever sealed it had looked. */
function requestsIn(messages: readonly Message[]): DeferredToolRequests {
  let problem = 'nothing waits in it.';
  try {
    const requests = requestsFromMessages(messages);
    if (requests !== undefined) return requests;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    problem = error.message;
  }
  throw new SealedRunError('invalid-run', problem);
}

const OPTIONS: OptionTable<SealedRunsOptions> = {
  keys: 'object',
  sealWith: 'string',
  audience: 'value',
  expiresIn: 'value',
  ledger: 'value',
  allowReplay: 'boolean',
  maxLength: 'value',
  now: 'function',
};

function checkSealedOptions(options: SealedRunsOptions): void {
  checkRequiredOptions('`sealedRuns`', options, OPTIONS);
  const { audience, expiresIn, ledger, maxLength } = options;
  if (ledger !== undefined) requireLedger('`sealedRuns`', ledger);
  if (typeof audience !== 'string' || audience === '') {
    throw new UserError('Sealed runs need an audience: a name of who may open them.');
  }
  if (!(Number.isFinite(expiresIn) && expiresIn >= 1000)) {
    throw new UserError(`expiresIn is ${expiresIn}; give at least 1000 milliseconds.`);
  }
  if (maxLength !== undefined && !(maxLength > 0)) {
    throw new UserError(`maxLength is ${maxLength}; give a number of characters above 0.`);
  }
}
