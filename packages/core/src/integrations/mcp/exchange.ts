import { liveEnvironment } from '../../context/environment.ts';
import type { RunContext } from '../../context/run-context.ts';
import { ToolFailed } from '../../tools/signals.ts';
import {
  inputResponses,
  inputRequiredBy,
  readInputResponse,
  readServerState,
} from './input-requests.ts';

/** The maximum number of questions of a server for one call. */
const MAX_QUESTIONS = 8;
/** The maximum number of times that a server can postpone a call without a question. */
const MAX_POSTPONED = 20;
/** The time before a postponed call is sent again, in milliseconds. */
const POSTPONED_MS = 250;

/**
 * Sends a call, and returns the result of the server. Throws `InputRequired` if the server asks a question: the call
 * executes again with the input, in any process, and the server receives its own state with it.
 */
export async function exchange<Deps>(
  serverId: string,
  send: (continuation?: object) => Promise<unknown>,
  ctx: RunContext<Deps>,
): Promise<unknown> {
  let response = await send(continuationOf(ctx));
  for (let sent = 0; ; sent++) {
    const required = readInputResponse(response);
    if (required === undefined) return response;
    if (Object.keys(required.requests).length > 0) {
      if (ctx.inputs.length < MAX_QUESTIONS) throw inputRequiredBy(serverId, required);
      throw new ToolFailed(`The server sent more than ${MAX_QUESTIONS} questions for this call.`);
    }
    if (sent === MAX_POSTPONED) throw new ToolFailed('The server postponed this call too often.');
    await liveEnvironment.sleep(POSTPONED_MS, ctx.signal);
    response = await send({ requestState: required.requestState });
  }
}

/** Returns the input for the latest question of the server, with the state that the server sent with it. */
function continuationOf<Deps>({ input, questionState }: RunContext<Deps>): object | undefined {
  const state = readServerState(questionState);
  if (input === undefined || state === undefined) return undefined;
  const { requestState } = state;
  return {
    inputResponses: inputResponses(state, input),
    ...(requestState !== undefined && { requestState }),
  };
}
