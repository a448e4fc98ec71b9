import { describe, expect, it } from 'vitest';
import {
  ToolApproved,
  ToolDenied,
  ToolExpired,
  ToolSuperseded,
  undecidedText,
} from '../../deferred/decisions.ts';
import { DeferredToolResults } from '../../deferred/results.ts';
import { binaryContent } from '../../messages/content.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import { pydanticResultsCodec } from './index.ts';

const picture = binaryContent(new Uint8Array([0, 255]), 'image/png');
const theirPicture = {
  kind: 'binary',
  data: 'AP8=',
  media_type: 'image/png',
  vendor_metadata: null,
  identifier: 'aa3e5d',
};

describe('tool results for Pydantic AI', () => {
  it('contain a denial or failure for an expired or superseded call', () => {
    const expired = new ToolExpired();
    const late = new ToolSuperseded('Too late.');
    const results = new DeferredToolResults({ approvals: { a: expired }, calls: { b: late } });

    expect(pydanticResultsCodec.toJSON(results)).toMatchObject({
      approvals: {
        a: {
          kind: 'tool-denied',
          message: undecidedText(expired),
        },
      },
      calls: { b: { kind: 'tool-failed', message: 'Too late.' } },
    });
  });

  it('are equal to those that Pydantic AI writes', () => {
    const results = new DeferredToolResults({
      approvals: {
        a: true,
        b: new ToolApproved({ overrideArgs: { n: 1 } }),
        c: new ToolDenied('No.'),
        d: new ToolDenied(),
        r: new ModelRetry('Which account?'),
      },
      calls: {
        e: new ModelRetry('Again.'),
        f: new ToolFailed('Broken.'),
        g: { kind: 'retry-prompt', content: [{ path: ['n', 0], message: 'Too big' }] },
        h: new ToolReturn({ returnValue: 1, content: ['see', picture], tools: ['t'] }),
        i: new ToolReturn({ returnValue: [picture] }),
      },
      metadata: { a: { by: 'ada' } },
    });

    const document = pydanticResultsCodec.toJSON(results);

    expect(document).toStrictEqual({
      approvals: {
        a: true,
        b: { kind: 'tool-approved', override_args: { n: 1 } },
        c: { kind: 'tool-denied', message: 'No.' },
        d: { kind: 'tool-denied', message: 'The tool call was denied.' },
        r: { kind: 'tool-denied', message: 'Which account?' },
      },
      calls: {
        e: { kind: 'model-retry', message: 'Again.' },
        f: { kind: 'tool-failed', message: 'Broken.' },
        g: {
          part_kind: 'retry-prompt',
          content: [{ type: 'value_error', loc: ['n', 0], msg: 'Too big', input: null }],
          tool_name: null,
        },
        h: {
          kind: 'tool-return',
          return_value: 1,
          content: ['see', theirPicture],
          metadata: null,
          tools: ['t'],
        },
        i: [theirPicture],
      },
      metadata: { a: { by: 'ada' } },
    });
    expect(pydanticResultsCodec.toJSON(pydanticResultsCodec.fromJSON(document))).toStrictEqual(
      document,
    );
  });

  it('contain a wrapped value that looks like a decision or result', () => {
    const value = { kind: 'model-retry', message: 'This is the result.' };

    const document = pydanticResultsCodec.toJSON(new DeferredToolResults({ calls: { a: value } }));

    expect(document.calls).toMatchObject({ a: { kind: 'tool-return', return_value: value } });
    expect(pydanticResultsCodec.fromJSON(document).calls['a']).toMatchObject({
      returnValue: value,
    });
  });

  it('contain a value with files without a wrapper, which Pydantic AI would read as the value', () => {
    const results = (result: ToolReturn) => new DeferredToolResults({ calls: { a: result } });

    expect(
      pydanticResultsCodec.toJSON(results(new ToolReturn({ returnValue: picture }))).calls,
    ).toEqual({
      a: theirPicture,
    });
    expect(() =>
      pydanticResultsCodec.toJSON(
        results(new ToolReturn({ returnValue: picture, metadata: { k: 1 } })),
      ),
    ).toThrow(/^calls\.a\.returnValue: .*Put the files into content/);
    expect(() =>
      pydanticResultsCodec.toJSON(
        results(new ToolReturn({ returnValue: { kind: 'model-retry', message: picture } })),
      ),
    ).toThrow(/^calls\.a\.returnValue: .*Use another "kind"/);
  });
});

describe('tool results from Pydantic AI', () => {
  it.each([
    [{ approvals: { a: 'yes' } }, 'approvals.a'],
    [{ approvals: { a: 1 } }, 'approvals.a'],
    [{ approvals: { a: null } }, 'approvals.a'],
    [{ approvals: { a: { kind: 'approved' } } }, 'approvals.a.kind'],
    [
      { approvals: { a: { kind: 'tool-approved', override_args: '{}' } } },
      'approvals.a.override_args',
    ],
    [{ calls: { a: { kind: 'tool-return', value: 1 } } }, 'calls.a.return_value'],
    [{ calls: { a: { kind: 'tool-denied', message: 'No.' } } }, 'calls.a.kind'],
    [{ calls: { a: { part_kind: 'tool-return', content: 1 } } }, 'calls.a.part_kind'],
    [{ calls: { a: { part_kind: 'retry-prompt' } } }, 'calls.a.content'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [null, 'document'],
  ])('are rejected with the path of the mistake: %j', (document, path) => {
    expect(() => pydanticResultsCodec.fromJSON(document)).toThrow(
      expect.objectContaining({ path }),
    );
  });

  it('contain a value that only Holdpoint would read as a retry prompt', () => {
    const value = { kind: 'retry-prompt', content: 'This is the result.' };

    const results = pydanticResultsCodec.fromJSON({ calls: { a: value } }).toToolCallResults();

    expect(results['a']).toMatchObject({ returnValue: value });
  });

  it('can have ids that are names of JavaScript members', () => {
    const document = JSON.parse('{"approvals":{"__proto__":true,"constructor":false}}');

    const results = pydanticResultsCodec.fromJSON(document);

    expect(results.has('__proto__')).toBe(true);
    expect(results.has('toString')).toBe(false);
    expect(JSON.stringify(pydanticResultsCodec.toJSON(results).approvals)).toBe(
      JSON.stringify(document.approvals),
    );
  });
});
