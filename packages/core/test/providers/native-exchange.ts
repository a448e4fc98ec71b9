import { messageCodec } from 'holdpoint';
import type { Message } from '../../src/messages/message.ts';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import { type ModelCall, type ModelResponseData, streamOf } from '../../src/models/model.ts';
import { collectResponse, modelCall, userRequest } from '../support/model-call.ts';
import { type ProviderName, says } from '../support/provider-server.ts';
import { serverForEachTest } from '../support/server-for-each-test.ts';
import type { Mode } from './native-responses.ts';

/** Both response modes, for `describe.each`. */
export const MODES: readonly Mode[] = ['request', 'stream'];

/** Settings that keep OpenAI from storing responses. */
export const NOT_STORED = { settings: { providerOptions: { openai: { store: false } } } };

/** Creates a server for each test of the file, and functions that send requests to it. */
export function nativeExchange() {
  const server = serverForEachTest();

  function ask(
    provider: ProviderName,
    mode: Mode,
    call: Partial<ModelCall>,
  ): Promise<ModelResponseData> {
    const model = aiSdkModel(server.model(provider));
    return mode === 'request'
      ? model.request(modelCall(call))
      : collectResponse(streamOf(model, modelCall(call)));
  }

  /**
   * Sends a request, then a second one with the stored response; returns the response and the second
   * body.
   */
  async function thereAndBack(provider: ProviderName, mode: Mode, call: Partial<ModelCall>) {
    server.script(says('Well.'));
    const response = await ask(provider, mode, call);
    await ask(provider, mode, { ...call, messages: after(response) });
    const field = provider === 'anthropic' ? 'messages' : 'input';
    // Both providers receive a list whose members may have content.
    const sent = server.requests[1]?.body[field] as readonly { readonly content?: unknown }[];
    return { parts: response.parts, sent, tools: server.requests[0]?.body['tools'] };
  }

  return { server, ask, thereAndBack };
}

/** Returns the conversation after a response, parsed from JSON. */
export function after(response: ModelResponseData): readonly Message[] {
  const messages: Message[] = [
    userRequest('Hello'),
    { kind: 'response', ...response },
    userRequest('And now?'),
  ];
  return messageCodec.parse(messageCodec.stringify(messages));
}
