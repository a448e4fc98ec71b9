import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from '../../src/models/ai-sdk/language-model.ts';
import type {
  ProviderResponse,
  ResponseContent,
  Protocol,
  SseEvent,
} from './protocols/provider-response.ts';
import { anthropicProtocol } from './protocols/anthropic.ts';
import { openAiChatProtocol } from './protocols/openai-chat.ts';
import { openAiResponsesProtocol } from './protocols/openai-responses.ts';

/** The APIs that the server speaks. */
export type ProviderName = 'openai-responses' | 'openai-chat' | 'anthropic';

/** One request that reached the server. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // The body has the format of the provider's client.
  readonly body: { readonly [field: string]: unknown };
}

/** The scripted response to one request. */
export type ScriptedResponse = ProviderResponse | Failure;

interface Failure {
  readonly status: number;
  readonly body: string;
}

/** A local server that responds like a model provider, as scripted by a test. */
export interface ProviderServer extends AsyncDisposable {
  /** Requests received so far. */
  readonly requests: readonly ReceivedRequest[];
  /** Adds responses to the next requests. Each is used once, in order, for any provider. */
  script(...responses: readonly ScriptedResponse[]): void;
  /** The real client of a provider, connected to this server. */
  model(provider: ProviderName): LanguageModel;
  /** Resolves when a client disconnects before a response is complete. */
  readonly hungUp: Promise<void>;
}

/** Scripts a response with this text. */
export function says(text: string): ProviderResponse {
  return responds({ kind: 'text', text });
}

/** Scripts a response with a tool call. */
export function calls(name: string, args: object, id = 'call_1'): ProviderResponse {
  return responds({ kind: 'call', id, name, args: JSON.stringify(args) });
}

/** Scripts a complete model response. */
export function responds(...content: readonly ResponseContent[]): ProviderResponse {
  return { content, ending: 'complete' };
}

/** Scripts a response whose stream ends before its closing events. */
export function ending(
  end: ProviderResponse['ending'],
  scripted: ProviderResponse,
): ProviderResponse {
  return { ...scripted, ending: end };
}

/** Scripts an HTTP error. */
export function fails(status: number, message = 'It broke.'): Failure {
  return { status, body: JSON.stringify({ type: 'error', error: { type: 'api_error', message } }) };
}

const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['/v1/responses', openAiResponsesProtocol],
  ['/v1/chat/completions', openAiChatProtocol],
  ['/v1/messages', anthropicProtocol],
]);

/** Starts a server on a free port; dispose of it at the end of the test. */
export async function startProviderServer(): Promise<ProviderServer> {
  const requests: ReceivedRequest[] = [];
  const scripted: ScriptedResponse[] = [];
  let hangUp: () => void = () => {};
  const hungUp = new Promise<void>((resolve) => {
    hangUp = resolve;
  });

  const server = createServer(async (request, response) => {
    const received = await receive(request);
    requests.push(received);
    response.on('close', () => response.writableFinished || hangUp());
    respond(response, received, scripted.shift());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const connection = { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'test' };

  return {
    requests,
    hungUp,
    script: (...responses) => void scripted.push(...responses),
    model(provider) {
      if (provider === 'anthropic') return createAnthropic(connection)('claude-sonnet-4-5');
      const openai = createOpenAI(connection);
      return provider === 'openai-chat' ? openai.chat('gpt-5') : openai.responses('gpt-5');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
}

function respond(
  response: ServerResponse,
  { path, body }: ReceivedRequest,
  scripted: ScriptedResponse | undefined,
): void {
  const protocol = PROTOCOLS.get(path);
  if (protocol === undefined || scripted === undefined) {
    send(response, { status: 501, body: `Nothing is scripted for this request to ${path}.` });
  } else if ('status' in scripted) {
    send(response, scripted);
  } else if (body['stream'] === true) {
    stream(response, protocol, scripted);
  } else if (scripted.ending === 'torn') {
    response.destroy();
  } else if (scripted.ending !== 'stalled') {
    send(response, { status: 200, body: JSON.stringify(protocol.whole(scripted)) });
  }
}

function send(response: ServerResponse, { status, body }: Failure): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

function stream(response: ServerResponse, protocol: Protocol, scripted: ProviderResponse): void {
  const { body, closing } = protocol.events(scripted);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sent = body.map(toSse).join('');
  if (scripted.ending === 'complete') response.end(sent + closing.map(toSse).join(''));
  else if (scripted.ending === 'cut') response.end(sent);
  else if (scripted.ending === 'stalled') response.write(sent);
  else response.write(sent, () => response.destroy());
}

function toSse({ event, data }: SseEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
