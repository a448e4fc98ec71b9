import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryJson } from '../../../test/support/arbitrary-messages.ts';
import { arbitrarilyMutated } from '../../../test/support/mutate-json.ts';
import { attempt, expectLoadedOrRejected } from '../../../test/support/outcomes.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import {
  type ApprovalDecision,
  type ExternalResult,
  isRetryPrompt,
  ToolApproved,
  ToolDenied,
  ToolExpired,
  ToolSuperseded,
} from '../decisions.ts';
import { DeferredToolRequests } from '../requests.ts';
import { DeferredToolResults } from '../results.ts';
import { requestsCodec, resultsCodec } from './index.ts';

const text = fc.string({ unit: 'binary' });
const id = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'a/b', '7', ''));
const jsonObject = arbitraryJson.filter((value): value is JsonObject => isPlainObject(value));

/** Records that can have `__proto__` as an own member. */
function byId<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc
    .uniqueArray(fc.tuple(id, value), { maxLength: 5, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries));
}

const undecided = fc
  .tuple(fc.constantFrom(ToolExpired, ToolSuperseded), fc.option(text, { nil: undefined }))
  .map(([Type, message]) => new Type({ message }));

const approval: fc.Arbitrary<ApprovalDecision> = fc.oneof(
  fc.boolean(),
  fc
    .option(jsonObject, { nil: undefined })
    .map((overrideArgs) => new ToolApproved({ overrideArgs })),
  text.map((message) => new ToolDenied(message)),
  text.map((message) => new ModelRetry(message)),
  undecided,
);

const toolReturn = fc
  .record(
    {
      returnValue: arbitraryJson,
      content: fc.oneof(text, fc.array(text, { maxLength: 2 })),
      metadata: arbitraryJson,
      tools: fc.array(id, { maxLength: 2 }),
    },
    { requiredKeys: ['returnValue'] },
  )
  .map((fields) => new ToolReturn(fields));

const call: fc.Arbitrary<ExternalResult> = fc.oneof(
  arbitraryJson.filter((value) => !isRetryPrompt(value)),
  undecided,
  toolReturn,
  text.map((message) => new ModelRetry(message)),
  text.map((message) => new ToolFailed(message)),
  text.map((content) => ({ kind: 'retry-prompt' as const, content })),
);

const results = fc
  .record({ approvals: byId(approval), calls: byId(call), metadata: byId(jsonObject) })
  .map((given) => new DeferredToolResults(given));

const requests = fc
  .record({
    ids: fc.uniqueArray(id, { maxLength: 6 }),
    args: fc.oneof(jsonObject, text, fc.constant(null)),
    toolName: id,
    metadata: byId(jsonObject),
    cut: fc.nat({ max: 6 }),
  })
  .map(({ ids, args, toolName, metadata, cut }) => {
    const all = ids.map(
      (toolCallId): ToolCallPart => ({ kind: 'tool-call', toolName, toolCallId, args }),
    );
    return new DeferredToolRequests({
      approvals: all.slice(0, cut),
      calls: all.slice(cut),
      metadata,
    });
  });

describe('any results', () => {
  it('are the same after they were dumped and loaded', () => {
    fc.assert(
      fc.property(results, (given) => {
        const loaded = resultsCodec.parse(resultsCodec.stringify(given));

        expect(loaded).toEqual(given);
        expect(loaded.toToolCallResults()).toEqual(given.toToolCallResults());
        // Also compares classes and names such as `__proto__`, which `toEqual` ignores.
        expect(resultsCodec.stringify(loaded)).toBe(resultsCodec.stringify(given));
      }),
    );
  });

  it('with mistakes either load or are rejected with the path of the mistake', () => {
    const mutated = results.chain((given) => arbitrarilyMutated(plain(resultsCodec.toJSON(given))));
    expectLoadedOrRejected(mutated, resultsCodec.fromJSON, (outcome) => {
      expect(resultsCodec.parse(resultsCodec.stringify(outcome))).toEqual(outcome);
    });
  });

  it('approve only calls that the document approves', () => {
    fc.assert(
      fc.property(arbitraryJson, (decision) => {
        const document = { holdpoint: 'results', version: 1, approvals: { x: decision } };

        const outcome = attempt(() => resultsCodec.fromJSON(document));

        const clear =
          typeof decision === 'boolean' ||
          (isPlainObject(decision) && JSON.stringify(decision['kind'] ?? '').startsWith('"tool-'));
        if (!clear) expect(outcome).toBeInstanceOf(InvalidJsonError);
      }),
    );
  });
});

describe('any requests', () => {
  it('are the same after they were dumped and loaded', () => {
    fc.assert(
      fc.property(requests, (waiting) => {
        const loaded = requestsCodec.parse(requestsCodec.stringify(waiting));

        expect(loaded).toEqual(waiting);
        expect(requestsCodec.stringify(loaded)).toBe(requestsCodec.stringify(waiting));
      }),
    );
  });

  it('with mistakes either load or are rejected with the path of the mistake', () => {
    const mutated = requests.chain((waiting) =>
      arbitrarilyMutated(plain(requestsCodec.toJSON(waiting))),
    );
    expectLoadedOrRejected(mutated, requestsCodec.fromJSON, (outcome) => {
      expect(requestsCodec.parse(requestsCodec.stringify(outcome))).toEqual(outcome);
    });
  });
});

function plain(document: object): JsonValue {
  return JSON.parse(JSON.stringify(document));
}
