import { describe, expect, it } from 'vitest';
import { bundleForBrowser } from '../support/browser-bundle.ts';
import { importsFromOutside } from '../support/module-imports.ts';

describe('a bundle for browsers', () => {
  it('can use servers over HTTP, and needs no Node module', async ({ annotate }) => {
    const bundle = await bundleForBrowser({
      text: "import { mcpHttp } from 'holdpoint/mcp'; globalThis.mcpHttp = mcpHttp;",
    });
    await annotate(`holdpoint/mcp with its client: ${bundle.size.minified} bytes`);

    expect(importsFromOutside(bundle.code)).toEqual([]);
    expect(bundle.inputs.some((input) => input.includes('@modelcontextprotocol/client'))).toBe(
      true,
    );
    expect(bundle.inputs.filter((input) => input.includes('cross-spawn'))).toEqual([]);
  });
});
