import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InboxPage } from './inbox-page.ts';

describe('inbox page', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdpoint-page-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const ask = (page: InboxPage, path: string) =>
    page.respond(new Request(`http://desk.test${path}`), path);

  async function build(): Promise<void> {
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'assets/main-1.js'), 'start()');
    await writeFile(join(folder, 'assets/main-2.css'), 'p {}');
    await writeFile(join(folder, 'assets/notes.txt'), 'not for others');
    const entry = { file: 'assets/main-1.js', css: ['assets/main-2.css'], isEntry: true };
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ 'main.tsx': entry }));
  }

  it('responds with 503 until it is built', async () => {
    const page = new InboxPage(folder);

    const early = await ask(page, '/inbox');
    expect(early.status).toBe(503);
    expect(await early.text()).toContain('npm run build');

    await build();
    expect((await ask(page, '/inbox')).status).toBe(200);
  });

  it('loads its script and its styles by relative paths', async () => {
    await build();

    const text = await (await ask(new InboxPage(folder), '/inbox/runs/1')).text();

    expect(text).toContain('src="../../inbox/assets/main-1.js"');
    expect(text).toContain('href="../../inbox/assets/main-2.css"');
    expect(text).toContain('data-desk="../../"');
  });

  it('serves scripts and styles, and no other file', async () => {
    await build();
    const page = new InboxPage(folder);

    const script = await ask(page, '/inbox/assets/main-1.js');
    expect(await script.text()).toBe('start()');
    expect(script.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const name of ['notes.txt', '../manifest.json', 'constructor', '']) {
      expect((await ask(page, `/inbox/assets/${name}`)).status).toBe(404);
    }
  });
});
