import { type Context, TerminalError } from '@restatedev/restate-sdk';
import { AgentError, LedgerError } from 'holdpoint';
import { isRecorded } from './journal-entry.ts';
import {
  type RestateEnvironment,
  type RestateEnvironmentOptions,
  restateEnvironment,
} from './restate-environment.ts';

/** Options of a run in an invocation of Restate. */
export interface RestateRunOptions {
  readonly environment: RestateEnvironment;
  /** Aborts when the attempt ends, so that toolsets are closed when Restate suspends the invocation. */
  readonly signal: AbortSignal;
}

/**
 * Returns the options with which an agent runs in an invocation of Restate. Call it once per invocation, before
 * other operations on `ctx`, and pass {@link asTerminalError} to the service.
 *
 * @example
 * const result = await agent.run(prompt, await onRestate(ctx))
 */
export async function onRestate(
  ctx: Context,
  options: RestateEnvironmentOptions = {},
): Promise<RestateRunOptions> {
  const environment = await restateEnvironment(ctx, options);
  return { environment, signal: ctx.request().attemptCompletedSignal };
}

/**
 * Returns the terminal form of an error that a new attempt cannot avoid; `undefined` for other errors. Pass it as the
 * option `asTerminalError` of a service that runs agents. Otherwise Restate repeats the invocation.
 *
 * Failed steps are recorded, so a replay fails in the same way. Errors of a ledger are worth another attempt.
 */
export function asTerminalError(error: unknown): TerminalError | undefined {
  if (error instanceof TerminalError) return error;
  if (!(error instanceof Error)) return undefined;
  const isFinal = error instanceof AgentError && !(error instanceof LedgerError);
  if (!isFinal && !isRecorded(error)) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  return new TerminalError(`${error.name}: ${error.message}`, {
    errorCode: 500,
    ...(typeof code === 'string' && { metadata: { code } }),
  });
}
