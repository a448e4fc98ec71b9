import { messageCodec } from 'holdpoint';
import { expect, it } from 'vitest';
import { HOUR, KEY, parkedRun, sealingDesk } from '../sealed/desk.ts';
import { bundleForBrowser } from '../support/browser-bundle.ts';
import { launchBrowser } from '../support/chromium.ts';
import { importsFromOutside } from '../support/module-imports.ts';
import { serveFiles } from '../support/static-server.ts';

/** The globals that the page offers. */
interface Page {
  sealAndOpen(input: {
    readonly key: number[];
    readonly now: number;
    readonly stored: string;
    readonly token: string;
  }): Promise<{ readonly token: string; readonly opened: readonly string[] }>;
}

const PROGRAM = `
  import { messageCodec } from 'holdpoint';
  import { sealedRuns } from 'holdpoint/sealed';
  globalThis.sealAndOpen = async ({ key, now, stored, token }) => {
    const sealed = sealedRuns({
      keys: { '2026-11': Uint8Array.from(key) },
      audience: 'shop',
      expiresIn: ${HOUR},
      now: () => now,
    });
    const { requests } = await sealed.open(token);
    const opened = requests.approvals.map(({ toolCallId }) => toolCallId);
    return { token: await sealed.seal({ messages: messageCodec.parse(stored) }), opened };
  };
`;

it('a run that is sealed in a browser is opened in Node, and vice versa', async ({ annotate }) => {
  const { code, size } = await bundleForBrowser({ text: PROGRAM });
  await annotate(`holdpoint/sealed with jose: ${size.minified} bytes, ${size.gzipped} gzipped`);
  expect(importsFromOutside(code)).toEqual([]);
  const { parked } = await parkedRun();
  const { sealed, clock } = sealingDesk();
  await using server = await serveFiles({
    '/': {
      mediaType: 'text/html',
      text: '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    },
    '/page.js': { mediaType: 'text/javascript', text: code },
  });
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(server.url);

  const { token, opened } = await page.evaluate(
    // The page defines this global.
    (input) => (globalThis as unknown as Page).sealAndOpen(input),
    {
      key: [...KEY],
      now: clock.now(),
      stored: messageCodec.stringify(parked.messages),
      token: await sealed.seal(parked),
    },
  );

  expect(opened).toEqual(['c1']);
  const { requests } = await sealed.open(token);
  expect(requests.approvals).toEqual(parked.output.approvals);
});
