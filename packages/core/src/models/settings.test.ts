import { describe, expect, it } from 'vitest';
import { mergeSettings, type ModelSettings } from './settings.ts';

describe('merging settings', () => {
  it('returns `undefined` for no layers, and a single layer unchanged', () => {
    const only: ModelSettings = { seed: 1 };

    expect(mergeSettings()).toBeUndefined();
    expect(mergeSettings(undefined, undefined)).toBeUndefined();
    expect(mergeSettings(undefined, only, undefined)).toBe(only);
  });

  it('gives precedence to later layers', () => {
    expect(mergeSettings({ seed: 1, topK: 1, topP: 1 }, { seed: 2, topK: 2 }, { seed: 3 })).toEqual(
      { seed: 3, topK: 2, topP: 1 },
    );
  });

  it('overrides a value with an empty list, and not with `undefined`', () => {
    expect(mergeSettings({ seed: 1, temperature: 1 }, { seed: undefined, temperature: 0 })).toEqual(
      {
        seed: 1,
        temperature: 0,
      },
    );
    expect(mergeSettings({ stopSequences: ['a'] }, { stopSequences: [] })).toEqual({
      stopSequences: [],
    });
  });

  it('merges headers by name', () => {
    expect(
      mergeSettings({ headers: { a: '1', b: '1' } }, { seed: 1 }, { headers: { b: '2', c: '2' } }),
    ).toEqual({ seed: 1, headers: { a: '1', b: '2', c: '2' } });
  });

  it("merges a provider's options by name, and does not change those of other providers", () => {
    expect(
      mergeSettings(
        { providerOptions: { openai: { a: 1, b: { deep: 1 } }, google: { x: 1 } } },
        { providerOptions: { openai: { b: { other: 2 } }, anthropic: { y: 2 } } },
      ),
    ).toEqual({
      providerOptions: {
        openai: { a: 1, b: { other: 2 } },
        google: { x: 1 },
        anthropic: { y: 2 },
      },
    });
  });

  it('does not change the layers', () => {
    const freeze = (settings: ModelSettings) => {
      for (const value of Object.values(settings)) Object.freeze(value);
      return Object.freeze(settings);
    };
    const under = freeze({ headers: { a: '1' }, providerOptions: { x: { a: 1 } } });
    const over = freeze({ headers: { a: '2' }, providerOptions: { x: { a: 2 } } });

    expect(mergeSettings(under, over)).toEqual(over);
    expect(under).toEqual({ headers: { a: '1' }, providerOptions: { x: { a: 1 } } });
  });
});
