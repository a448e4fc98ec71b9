import type { Agent } from '../../agent/agent.ts';
import type {
  AnyTools,
  AnyToolsets,
  DepsOfAgent,
  ResumeArguments,
} from '../../agent/agent-options.ts';
import type { RunResultOf } from '../../agent/run-handle.ts';
import type { WrapperAgent } from '../../agent/wrapper-agent.ts';
import { liveEnvironment } from '../../context/environment.ts';
import { requestsFromMessages } from '../../deferred/from-messages.ts';
import { DeferredToolRequests } from '../../deferred/requests.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { checkRequiredOptions, type OptionTable } from '../../errors/check-options.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type Ledger, requireLedger } from '../../ledger/ledger.ts';
import { lastResponse, type Message } from '../../messages/message.ts';
import type { OutputDepsOf, OutputSpec } from '../../output/output-spec.ts';
import { readKeys, type SealKey, type SealKeys } from './seal-keys.ts';
import { createToken, readToken, type TokenBinding, type TokenContent } from './token.ts';
import { SealedRunError } from './sealed-run-error.ts';

/** Options of {@link sealedRuns}. */
export interface SealedRunsOptions {
  /** The keys by id. A token contains the id of its key, and no other key opens it. */
  readonly keys: Readonly<Record<string, SealKey>>;
  /** The id of the key that seals new tokens. Required with several keys. */
  readonly sealWith?: string | undefined;
  /** The name of the application or user that may open the tokens. It must be equal when a token is opened. */
  readonly audience: string;
  /** The time until a token expires, in milliseconds. */
  readonly expiresIn: number;
  /** The ledger that ensures that a run resumes from a token only once. */
  readonly ledger?: Ledger | undefined;
  /** Allows resuming without a ledger. Each copy of a token then executes its approved calls again. */
  readonly allowReplay?: boolean | undefined;
  /** The maximum length of a token in characters. Defaults to a million. */
  readonly maxLength?: number | undefined;
  /** The clock, in milliseconds since 1970. Defaults to that of the machine. */
  readonly now?: (() => number) | undefined;
}

/** The content of an opened token. */
export interface OpenedRun {
  /** The pending calls. A finished conversation has none: `requests.size` is 0. */
  readonly requests: DeferredToolRequests;
  /** The expiry of the token, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Options of `run`, `stream` and `iter` that continue the conversation of a token with a prompt. */
export interface SealedContinuation {
  readonly messageHistory: readonly Message[];
}

/** Options of `run`, `stream` and `iter` that resume the run of a token. */
export interface SealedResumption {
  readonly messageHistory: readonly Message[];
  readonly deferredToolResults: DeferredToolResults;
  /**
   * Contains the ledger. Include it if you add your own options: `{ ...resumption.durability, … }`.
   */
  readonly durability: { readonly ledger: Ledger | undefined };
}

const DEFAULT_MAX_LENGTH = 1_000_000;

/**
 * Seals parked runs and finished conversations as encrypted tokens for one audience. Tokens cannot be changed, and they expire.
 *
 * @example
 * const sealed = sealedRuns({ keys: { '2026-11': key }, audience: 'shop', expiresIn: 3_600_000, ledger })
 * const token = await sealed.seal(parked)
 */
export function sealedRuns(options: SealedRunsOptions): SealedRuns {
  return new SealedRuns(options);
}

/** Converts runs to tokens that only the owner of a key can read, and resumes them. */
export class SealedRuns {
  readonly #options: SealedRunsOptions;
  readonly #keys: SealKeys;

  /** Called by {@link sealedRuns}. */
  constructor(options: SealedRunsOptions) {
    checkSealedRunsOptions(options);
    this.#options = options;
    this.#keys = readKeys(options.keys, options.sealWith);
  }

  /** Returns a token with a parked run or a finished conversation. */
  async seal({ messages }: { readonly messages: readonly Message[] }): Promise<string> {
    // Throws if a pending call has no record, because the token could not be resumed.
    requestsFromMessages(messages);
    if (lastResponse(messages) === undefined) {
      throw new UserError(
        'The messages contain no response, so there is no run to seal. Pass the result of a run that finished or parked.',
      );
    }
    const token = await createToken(messages, this.#binding(), this.#options.expiresIn);
    this.#requireLength(token);
    return token;
  }

  /** Returns the pending calls of the run in a token. */
  async open(token: string): Promise<OpenedRun> {
    const { requests, expiresAt } = await this.#read(token);
    return Object.freeze({ requests, expiresAt });
  }

  /** Resumes the run in a token, like `agent.resume`. */
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
    const durability = { ...options[0]?.durability, ledger };
    // The signature allows the options, and a ledger among them.
    const resumeOptions = [{ ...options[0], durability }] as unknown as typeof options;
    return agent.resume<RunOutput>({ messages }, results, ...resumeOptions);
  }

  /**
   * Returns options for `run`, `stream` or `iter` that continue the conversation in a token: `agent.run(prompt, options)`.
   *
   * Each copy of a token can be continued: it starts a branch of the conversation. No call of the token executes.
   */
  async continueOptions(token: string): Promise<SealedContinuation> {
    const { messages } = await this.#read(token);
    return Object.freeze({ messageHistory: messages });
  }

  /** Returns options for `run`, `stream` or `iter` that resume the run in a token: `agent.stream(prompt, options)`. */
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
      throw new SealedRunError(
        'malformed',
        `the token has the type \`${typeof token}\`. Pass the text that \`seal\` returned.`,
      );
    }
    this.#requireLength(token);
    const { messages, expiresAt } = await readToken(token, this.#binding());
    return { messages, expiresAt, requests: requestsIn(messages) };
  }

  /** Returns the ledger of the run. Throws if there is none, unless `allowReplay` is set. */
  #ledger(runLedger?: Ledger): Ledger | undefined {
    const { ledger, allowReplay = false } = this.#options;
    const used = runLedger ?? ledger;
    if (used !== undefined || allowReplay) return used;
    throw new SealedRunError(
      'replayable',
      'without a ledger, every copy of the token would execute its calls again. Pass `ledger` to `sealedRuns`, ' +
        'shared by all processes that resume runs, or set `allowReplay`.',
    );
  }

  #requireLength(token: string): void {
    const { maxLength = DEFAULT_MAX_LENGTH } = this.#options;
    if (token.length <= maxLength) return;
    throw new SealedRunError(
      'too-large',
      `the token has ${token.length} characters, and ${maxLength} are allowed. Store the run yourself, or set a larger \`maxLength\`.`,
    );
  }
}

/** Returns the pending calls in the messages of a token. */
function requestsIn(messages: readonly Message[]): DeferredToolRequests {
  try {
    const requests = requestsFromMessages(messages);
    if (requests !== undefined) return requests;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new SealedRunError('invalid-run', error.message);
  }
  if (lastResponse(messages) !== undefined) return new DeferredToolRequests({});
  throw new SealedRunError('invalid-run', 'it contains no response.');
}

const SEALED_RUNS_OPTIONS: OptionTable<SealedRunsOptions> = {
  keys: 'object',
  sealWith: 'string',
  audience: 'value',
  expiresIn: 'value',
  ledger: 'value',
  allowReplay: 'boolean',
  maxLength: 'value',
  now: 'function',
};

function checkSealedRunsOptions(options: SealedRunsOptions): void {
  checkRequiredOptions('`sealedRuns`', options, SEALED_RUNS_OPTIONS);
  const { audience, expiresIn, ledger, maxLength } = options;
  if (ledger !== undefined) requireLedger('`sealedRuns`', ledger);
  if (typeof audience !== 'string' || audience === '') {
    throw new UserError(
      'Sealed runs need an audience. Set `audience` to the name of the application or user that may open them.',
    );
  }
  if (!(Number.isFinite(expiresIn) && expiresIn >= 1000)) {
    throw new UserError(
      `The option \`expiresIn\` is \`${expiresIn}\`. Set it to at least 1000 milliseconds.`,
    );
  }
  if (maxLength !== undefined && !(maxLength > 0)) {
    throw new UserError(
      `The option \`maxLength\` is \`${maxLength}\`. Set it to a number of characters above 0.`,
    );
  }
}
