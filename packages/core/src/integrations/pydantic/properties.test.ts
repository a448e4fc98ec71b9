import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryJson, arbitraryMessages } from '../../../test/support/arbitrary-messages.ts';
import { arbitrarilyMutated } from '../../../test/support/mutate-json.ts';
import { readFixtures } from '../../../test/interop/fixtures.ts';
import { DeferredToolResults } from '../../deferred/results.ts';
import { attempt, expectLoadedOrRejected } from '../../../test/support/outcomes.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { ToolReturn } from '../../tools/signals.ts';
import { pydanticMessageCodec, pydanticResultsCodec } from './index.ts';

describe('any history', () => {
  it('has the same document of Pydantic AI after a round trip', () => {
    fc.assert(
      fc.property(arbitraryMessages, (messages) => {
        const document = attempt(() => pydanticMessageCodec.toJSON(messages));
        fc.pre(!(document instanceof InvalidJsonError));

        // As text, because members can have names such as `constructor` and `__proto__`.
        const text = pydanticMessageCodec.stringify(messages);
        expect(
          JSON.stringify(pydanticMessageCodec.toJSON(pydanticMessageCodec.fromJSON(document))),
        ).toBe(JSON.stringify(document));
        expect(pydanticMessageCodec.stringify(pydanticMessageCodec.parse(text))).toBe(text);
      }),
    );
  });

  it('keeps metadata, arguments and results in a round trip with Pydantic AI', () => {
    fc.assert(
      fc.property(arbitraryJson, (value) => {
        const metadata: JsonObject = { holdpoint: value };
        const call = { toolName: 't', toolCallId: '1' };
        const messages = [
          {
            kind: 'response',
            metadata,
            parts: [{ kind: 'tool-call', ...call, args: metadata, providerDetails: metadata }],
          },
          {
            kind: 'request',
            parts: [{ kind: 'tool-return', ...call, content: value, outcome: 'success', metadata }],
          },
        ] as const;

        const back = pydanticMessageCodec.parse(pydanticMessageCodec.stringify(messages));

        expect(JSON.stringify([back[0]?.metadata, back[1]?.parts])).toBe(
          JSON.stringify([metadata, messages[1].parts.map(inCodecOrder)]),
        );
        expect(back[0]?.parts[0]).toMatchObject({ args: metadata, providerDetails: metadata });
      }),
    );
  });
});

describe('any external result', () => {
  it('keeps its value in a round trip with Pydantic AI', () => {
    const tag = fc.constantFrom('tool-return', 'model-retry', 'tool-denied', 'retry-prompt', 'x');
    const lookalike = fc
      .tuple(fc.constantFrom('kind', 'part_kind'), tag, arbitraryJson)
      .map(([name, kind, value]) => ({ [name]: kind, message: 'm', return_value: value }));

    fc.assert(
      fc.property(fc.oneof(arbitraryJson, lookalike), (value) => {
        const results = new DeferredToolResults({ calls: { a: value, ['__proto__']: value } });

        const back = pydanticResultsCodec
          .fromJSON(pydanticResultsCodec.toJSON(results))
          .toToolCallResults() as Record<string, ToolReturn>;

        expect(JSON.stringify(back['a']?.returnValue)).toBe(JSON.stringify(value));
        expect(back['__proto__']).toEqual(back['a']);
      }),
    );
  });
});

describe('any document of Pydantic AI with mistakes', () => {
  const fixtures = readFixtures();

  it('loads messages or rejects them with the path of the mistake', () => {
    const mutated = fc
      .constantFrom(...fixtures)
      .chain(({ messages }) => arbitrarilyMutated(messages));
    expectLoadedOrRejected(mutated, pydanticMessageCodec.fromJSON, (outcome) => {
      expect(attempt(() => pydanticMessageCodec.toJSON(outcome))).toBeDefined();
    });
  });

  it('loads tool results or rejects them with the path of the mistake', () => {
    const mutated = fc
      .constantFrom(...fixtures)
      .chain(({ results }) => arbitrarilyMutated(results));
    expectLoadedOrRejected(mutated, pydanticResultsCodec.fromJSON, (outcome) => {
      expect(attempt(() => pydanticResultsCodec.toJSON(outcome))).toBeDefined();
    });
  });
});

/** Returns a tool return with its members in the order of the codec. */
function inCodecOrder(part: object) {
  const { kind, toolName, content, toolCallId, metadata, outcome } = part as Record<
    string,
    unknown
  >;
  return { kind, toolName, content, toolCallId, metadata, outcome };
}
