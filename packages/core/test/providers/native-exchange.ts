import { messageCodec } from 'holdpoint';
import type { Message } from '../../src/messages/message.ts';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import type { ModelCall, ModelResponseData } from '../../src/models/model.ts';
import { streamOf } from '../../src/models/response-events.ts';
import { collectReply, modelCall, userRequest } from '../support/model-call.ts';
import { type ProviderName, says } from '../support/provider-server.ts';
import { serverForEachTest } from '../support/server-for-each-test.ts';
import type { Mode } from './native-responses.ts';

/** Both ways to be answered, for `describe.each`. */
export const MODES: readonly Mode[] = ['request', 'stream'];

/** OpenAI keeps answers unless it is told not to. */
export const NOT_STORED = { settings: { providerOptions: { openai: { store: false } } } };

/** A server for each test of the file, and how the providers on it are asked. */
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
      : collectReply(streamOf(model, modelCall(call)));
  }

  /** Asks, then sends the stored answer back; gives the answer and what was sent the second time. */
  async function thereAndBack(provider: ProviderName, mode: Mode, call: Partial<ModelCall>) {
    server.script(says('Well.'));
    const reply = await ask(provider, mode, call);
    await ask(provider, mode, { ...call, messages: after(reply) });
    const field = provider === 'anthropic' ? 'messages' : 'input';
    // Both providers are sent a list, whose members may have content.
    const sent = server.requests[1]?.body[field] as readonly { readonly content?: unknown }[];
    return { parts: reply.parts, sent, tools: server.requests[0]?.body['tools'] };
  }

  return { server, ask, thereAndBack };
}

/** The conversation after an answer, as it comes out of a store. */
export function after(reply: ModelResponseData): readonly Message[] {
  const messages: Message[] = [
    userRequest('Hello'),
    { kind: 'response', ...reply },
    userRequest('And now?'),
  ];
  return messageCodec.parse(messageCodec.stringify(messages));
}
