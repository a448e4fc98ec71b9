import { readFile } from 'node:fs/promises';
import { pydanticMessageCodec } from 'holdpoint/pydantic';
import { describe, expect, it } from 'vitest';
import { says } from '../support/provider-server.ts';
import { nativeExchange } from './native-exchange.ts';

const { ask, server } = nativeExchange();

describe('native tools that Pydantic AI stored', () => {
  it('are left out, because Pydantic AI stores provider data in another form', async () => {
    const fixture = new URL('../fixtures/interop/fixtures/native_tools.json', import.meta.url);
    const { messages } = JSON.parse(await readFile(fixture, 'utf8'));
    server.script(says('Well.'), says('Well.'));
    const call = { messages: pydanticMessageCodec.fromJSON(messages).slice(0, 2) };

    await ask('anthropic', 'request', call);
    await ask('openai-responses', 'request', call);

    const [toAnthropic, toOpenAi] = server.requests.map(({ body }) => JSON.stringify(body));
    for (const sent of [toAnthropic, toOpenAi]) {
      expect(sent).toContain('Found.');
      expect(sent).not.toContain('ws_1');
      expect(sent).not.toContain('ce_1');
    }
  });
});
