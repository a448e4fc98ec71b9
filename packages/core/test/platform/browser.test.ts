import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleForBrowser, sizeAtStart } from '../support/browser-bundle.ts';
import { launchBrowser } from '../support/chromium.ts';
import { importsFromOutside } from '../support/module-imports.ts';
import { serveFiles, type StaticServer } from '../support/static-server.ts';
import type { PageGlobals, ScenarioName, ScenarioResult } from './browser/page.ts';

const pageFile = fileURLToPath(new URL('./browser/page.ts', import.meta.url));

describe('a bundle for browsers', () => {
  it('needs nothing but the library', async ({ annotate }) => {
    const text = "import * as holdpoint from 'holdpoint'; globalThis.holdpoint = holdpoint;";
    const bundle = await bundleForBrowser({ text });
    const size = await sizeAtStart({ text });
    await annotate(`all of holdpoint: ${sizes(size)}, ${sizes(bundle.size)} with the test model`);

    expect(importsFromOutside(bundle.code)).toEqual([]);
    expect(
      bundle.inputs.filter(
        (input) => input !== '<stdin>' && !input.startsWith('packages/core/src/'),
      ),
    ).toEqual([]);
    expect(size.minified).toBeLessThan(270_000);
    expect(size.gzipped).toBeLessThan(90_000);
  });

  it('contains only the code that the program uses', async ({ annotate }) => {
    const bundle = await bundleForBrowser({
      text: "import { messageCodec } from 'holdpoint'; console.log(messageCodec.parse('[]'));",
    });
    await annotate(`messageCodec.parse alone: ${sizes(bundle.size)}`);

    expect(bundle.code).toContain('console.log');
    expect(bundle.size.minified).toBeLessThan(15_000);
  });

  it('has no import left when the program uses zod and scripted models', async ({ annotate }) => {
    const bundle = await bundleForBrowser({ file: pageFile });
    await annotate(`the page with zod: ${sizes(bundle.size)}`);

    expect(importsFromOutside(bundle.code)).toEqual([]);
    expect(bundle.inputs.some((input) => input.includes('node_modules/zod/'))).toBe(true);
  });

  it('cannot be built from a program that imports a module of Node', async () => {
    await expect(
      bundleForBrowser({ text: "import { readFile } from 'node:fs'; readFile();" }),
    ).rejects.toThrow('Could not resolve "node:fs"');
  });
});

describe('in Chromium, the library', () => {
  let server: StaticServer;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  const run = <Name extends ScenarioName>(name: Name) =>
    page.evaluate(
      // The page defines this global.
      (scenario) => (globalThis as unknown as PageGlobals).runScenario(scenario),
      name as ScenarioName,
    ) as Promise<ScenarioResult<Name>>;

  beforeAll(async () => {
    const { code } = await bundleForBrowser({ file: pageFile });
    server = await serveFiles({
      '/': {
        mediaType: 'text/html',
        text: '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
      },
      '/page.js': { mediaType: 'text/javascript', text: code },
    });
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
  });

  // Each test has its own page.
  beforeEach(() => page.goto(server.url));

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  it('executes without a process, async contexts and eval', async () => {
    expect(await run('runtime')).toEqual({
      process: 'undefined',
      asyncContext: 'undefined',
      evaluates: false,
    });
  });

  it('runs the loop with a tool whose arguments zod validates', async () => {
    expect(await run('toolLoop')).toEqual({
      output: 'It is sunny.',
      runId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-/),
      usage: { requests: 3, toolCalls: 1 },
      parts: ['user-prompt', 'tool-call', 'retry-prompt', 'tool-call', 'tool-return', 'text'],
      returned: 'Sunny in Lisbon for 1 day(s).',
      parameters: { city: { type: 'string' }, days: { type: 'number', default: 1 } },
    });
  });

  it('streams a run', async () => {
    const { pieces, kinds, output } = await run('stream');

    expect(pieces).toEqual(['It ', 'is ', 'sunny.']);
    expect(kinds).toEqual(
      expect.arrayContaining(['part-start', 'tool-call', 'tool-result', 'text-delta']),
    );
    expect(kinds.at(-1)).toBe('run-result');
    expect(output).toBe('It is sunny.');
  });

  it('returns structured output, and streams partial outputs', async () => {
    const { name, founded, partial } = await run('structuredOutput');

    expect({ name, founded }).toEqual({ name: 'Lisbon', founded: '1147-10-25' });
    expect(partial.at(-1)).toEqual({ name: 'Lisbon', founded: '1147-10-25' });
  });

  it('stops a run and its tools when the signal aborts', async () => {
    expect(await run('abort')).toEqual({
      name: 'Error',
      message: 'Enough.',
      isReason: true,
      requests: 1,
    });
  });

  it('overrides the model for one run', async () => {
    expect(await run('override')).toEqual(['Before.', 'Inside.', 'After.']);
  });

  const rejection = {
    name: 'UserError',
    message: expect.stringContaining('no AsyncLocalStorage'),
  };

  it('rejects a second concurrent run inside an override', async () => {
    expect(await run('overlapInOverride')).toEqual({
      inside: ['First.', rejection],
      after: 'Outside.',
    });
  });

  it('rejects an override only during a run', async () => {
    expect(await run('overlapWithOverride')).toEqual({
      rejected: rejection,
      afterwards: 'Inside.',
    });
  });

  it('still rejects an override after a stream was left early', async () => {
    expect(await run('overlapAfterBrokenStream')).toEqual(['First.', rejection]);
  });

  it('still rejects an override after an iteration was left early', async () => {
    expect(await run('overlapAfterBrokenIteration')).toEqual(['First.', rejection]);
  });

  it('runs an agent concurrently without an override', async () => {
    expect(await run('parallelRuns')).toEqual(['First.', 'Second.', 'Third.']);
  });

  it('captures the messages of a run that fails', async () => {
    expect(await run('captureFailedRun')).toEqual({
      status: 'rejected',
      reason: { name: 'Error', message: 'Overloaded.' },
      parts: ['user-prompt', 'tool-call', 'tool-return'],
    });
  });

  it('captures the first of two runs at the same time', async () => {
    expect(await run('overlapInCapture')).toEqual({ runs: ['First.', 'Second.'], messages: 2 });
  });

  it('converts a conversation with a picture to JSON and back', async () => {
    expect(await run('roundTrip')).toEqual({
      output: 'Still the same.',
      messages: 4,
      sameBytes: true,
    });
  });

  it('loads the test model by its name, and describes the remedy for an unknown one', async () => {
    expect(await run('modelsByName')).toEqual({
      test: expect.any(String),
      openai: {
        name: 'UserError',
        message: expect.stringContaining('pass the language model itself'),
      },
    });
  });

  it('leaves no unhandled error', () => {
    expect(errors).toEqual([]);
  });
});

function sizes({ minified, gzipped }: { minified: number; gzipped: number }): string {
  return `${minified} bytes, ${gzipped} gzipped`;
}
