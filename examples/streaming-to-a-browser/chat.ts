// POST /chat: a prompt, or the results for a parked run. The response is a stream of events.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AgentError,
  AlreadyResumedError,
  InvalidJsonError,
  InvalidResultsError,
  resultsCodec,
  MissingResultsError,
} from 'holdpoint';
import { SealedRunError } from 'holdpoint/sealed';
import { z } from 'zod';
import { dictionary } from './agent.ts';
import { readJson, sendJson } from './json.ts';
import { sealed } from './sealed.ts';
import { toServerEvent } from './server-event.ts';

/** The end of a stream, for a log. */
export type Ending = 'finished' | 'parked' | 'stopped' | 'failed';

const Body = z.union([
  z.strictObject({ prompt: z.string().min(1).max(10_000) }),
  z.strictObject({ token: z.string(), results: z.unknown() }),
]);

export async function chat(
  request: IncomingMessage,
  response: ServerResponse,
  onEnd: (ending: Ending) => void,
): Promise<void> {
  const body = Body.safeParse(await readJson(request));
  if (!body.success) return sendJson(response, 400, { error: z.prettifyError(body.error) });

  // A closed connection aborts the run.
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    onEnd(await send(response, await start(body.data, gone.signal), gone.signal));
  } catch (error) {
    if (gone.signal.aborted) return onEnd('stopped');
    onEnd('failed');
    if (response.headersSent) {
      console.error(error); // for the operator; the page receives only `failed`
      response.end('event: failed\ndata: {}\n\n');
      return;
    }
    if (!isClientError(error)) throw error;
    return sendJson(response, error instanceof AlreadyResumedError ? 409 : 400, {
      error: error.message,
    });
  }
  response.end();
}

/** Starts or resumes a run. */
async function start(body: z.infer<typeof Body>, signal: AbortSignal) {
  if ('prompt' in body) return dictionary.stream(body.prompt, { signal });
  const options = await sealed.resumeOptions(body.token, resultsCodec.fromJSON(body.results));
  return dictionary.stream(undefined, { ...options, signal });
}

async function send(
  response: ServerResponse,
  stream: ReturnType<typeof dictionary.stream>,
  signal: AbortSignal,
): Promise<Ending> {
  let ending: Ending = 'failed';
  for await (const event of stream) {
    if (event.kind === 'run-result') {
      ending = event.result.status === 'parked' ? 'parked' : 'finished';
    }
    const sent = await toServerEvent(event);
    if (sent === undefined) continue;
    // Before the first event, an error in the results can still set the status.
    if (!response.headersSent) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    }
    // The run waits until the client has read the events.
    if (!response.write(sent)) await once(response, 'drain', { signal });
  }
  return ending;
}

/** True for an error of the client, after which no tool was executed. */
function isClientError(error: unknown): error is AgentError {
  return (
    error instanceof AlreadyResumedError ||
    error instanceof InvalidJsonError ||
    error instanceof InvalidResultsError ||
    error instanceof SealedRunError ||
    error instanceof MissingResultsError
  );
}
