import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/chromium.ts';
import { repository, runNode } from '../support/run-program.ts';
import { serveFolder } from '../support/folder-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const program = (path: string) => join(repository, 'node_modules', path);

/** The expected first result of a search for each common term. */
const FIRST_RESULTS = {
  'human-in-the-loop': '/concepts.html#human-in-the-loop-hitl',
  HITL: '/concepts.html#human-in-the-loop-hitl',
  approval: '/concepts.html#approval',
  interrupt: '/concepts.html#interrupt',
  'durable execution': '/concepts.html#durable-execution',
  MCP: '/mcp.html#mcp-servers',
} as const;

describe('the site of the documents', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let pages: ReadonlyMap<string, string>;

  // As `npm run docs:build` does it, without colours in code. VitePress fails on a link to a missing page.
  beforeAll(async () => {
    folder = await tempFolder('site');
    const options = { cwd: repository };
    await runNode([program('typedoc/bin/typedoc'), '--options', 'docs/typedoc.json'], options);
    const out = ['--outDir', folder.path];
    const env = { DOCS_COLOURS: 'off' };
    const build = [program('vitepress/bin/vitepress.js'), 'build', 'docs', ...out];
    await runNode(build, { ...options, env });
    const files = globSync('**/*.html', { cwd: folder.path });
    pages = new Map(files.map((file) => [file, readFileSync(join(folder.path, file), 'utf8')]));
  }, 480_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  it('has a page for each document, and the API reference', () => {
    const documents = globSync('docs/*.md', { cwd: repository });

    expect(documents.length).toBeGreaterThan(20);
    const expected = documents.map((path) => path.replace(/^docs\/(.*)\.md$/, '$1.html'));
    expect(expected.filter((page) => !pages.has(page))).toEqual([]);
    expect(pages.get('api/holdpoint/classes/Agent.html')).toContain('asTool');
    expect(pages.get('source/packages/core/src/loop/run-loop.ts.html')).toContain('runLoop');
  });

  it('has every section that a page links to', () => {
    const broken: string[] = [];
    for (const [page, html] of pages) {
      for (const [, target = ''] of html.matchAll(/<a[^>]* href="([^"]+)"/g)) {
        if (/^\w+:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const found = pages.get(pageAt(page, path));
        const isThere =
          found !== undefined && (!anchor || found.includes(`id="${decodeURIComponent(anchor)}"`));
        if (!isThere) broken.push(`${page}: ${target}`);
      }
    }

    expect(broken).toEqual([]);
  });

  it('loads nothing from other hosts, and has a working search', async () => {
    await using site = await serveFolder(folder.path);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const elsewhere: string[] = [];
      const problems: string[] = [];
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(site.url) && !url.startsWith('data:')) elsewhere.push(url);
      });
      page.on('pageerror', (error) => problems.push(error.message));

      await page.goto(`${site.url}/deferred-tools.html`);
      await page.waitForLoadState('networkidle');
      await page.locator('#local-search button').click();
      await page.locator('#localsearch-input').fill('at most once');
      await page.locator('.results a').first().waitFor();

      expect(await page.locator('.results').innerText()).toContain('At most once');
      expect(elsewhere).toEqual([]);
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('explains the terms of the industry in the first result of a search', async () => {
    await using site = await serveFolder(folder.path);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${site.url}/quickstart.html`);
      await page.locator('#local-search button').click();
      for (const [term, expected] of Object.entries(FIRST_RESULTS)) {
        await page.locator('#localsearch-input').fill(term);
        const first = page.locator('.results a.result').first();
        await expect.poll(() => first.getAttribute('href'), { timeout: 10_000 }).toBe(expected);
      }
    } finally {
      await browser.close();
    }
  });
});

/** Returns the file of a link in a page. */
function pageAt(page: string, path: string): string {
  if (path === '') return page;
  const joined = path.startsWith('/') ? path.slice(1) : posix.join(dirname(page), path);
  if (joined === '' || joined.endsWith('/')) return `${joined}index.html`;
  return joined.endsWith('.html') ? joined : `${joined}.html`;
}
