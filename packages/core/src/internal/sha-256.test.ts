import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from './sha-256.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('sha256', () => {
  it('hashes the text in UTF-8', async () => {
    for (const text of ['', 'abc', 'é', '日本', '🙂', '\uD800', 'a'.repeat(1000)]) {
      const bytes = new TextEncoder().encode(text);

      expect(await sha256(text)).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('is the same without the module of Node, or with an older one', async () => {
    const texts = fc.string({ unit: 'binary', maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(undefined, {}), async (text, module) => {
        const ofNode = await sha256(text);
        const getModule = vi
          .spyOn(process, 'getBuiltinModule')
          .mockReturnValue(module as undefined);

        expect(await sha256(text)).toBe(ofNode);
        expect(getModule).toHaveBeenCalledWith('node:crypto');
        getModule.mockRestore();
      }),
    );
  });
});
