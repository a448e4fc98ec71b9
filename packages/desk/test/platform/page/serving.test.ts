import { sqliteStore, openDesk } from '@holdpoint/desk';
import { deskApp } from '@holdpoint/desk/http';
import { describe, expect, it } from 'vitest';

describe('served page', () => {
  const app = async (basePath?: string) =>
    deskApp(openDesk({ store: await sqliteStore(), agents: {} }), { basePath });

  const get = async (path: string, basePath?: string, headers = {}) =>
    (await app(basePath)).fetch(new Request(`http://desk.test${path}`, { headers }));

  it('loads nothing from other hosts, executes only its own script, and cannot be framed', async () => {
    const { status, headers } = await get('/inbox');

    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  it.each([
    ['/inbox', undefined],
    ['/inbox/', undefined],
    ['/inbox/holds/0123', undefined],
    ['/desk/inbox', '/desk'],
    ['/desk/inbox/runs/1', '/desk/'],
    ['/a/b/inbox/audit/1', '/a/b'],
  ])('finds its files and its desk from %s', async (path, basePath) => {
    const address = `http://desk.test${path}`;
    const text = await (await get(path, basePath)).text();

    const script = /<script type="module" src="([^"]+)">/.exec(text)?.[1] ?? '';
    const file = new URL(script, address).pathname;
    const { status, headers } = await get(file, basePath);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toContain('immutable');
    const desk = /data-desk="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(new URL(desk, address).pathname).toBe(file.slice(0, file.indexOf('inbox')));
  });

  it('is the same for every visitor, and has no code or style in its document', async () => {
    const text = await (await get('/inbox')).text();

    expect(text).not.toMatch(/<script(?! type="module" src=)|<style|style=|onload/);
    expect(await (await get('/inbox', undefined, { cookie: 'who=grace' })).text()).toBe(text);
  });

  it('is compressed for browsers that accept it', async () => {
    const text = await (await get('/inbox')).text();
    const file = `/inbox/assets/${/assets\/([^"]+\.js)/.exec(text)?.[1]}`;
    const plain = await get(file);
    const small = await get(file, undefined, { 'accept-encoding': 'gzip, br' });

    const [whole, gzipped] = [await plain.arrayBuffer(), await small.arrayBuffer()];
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(gzipped.byteLength).toBeLessThan(120_000);
    expect(whole.byteLength).toBeLessThan(400_000);
  });

  it.each(['/inbox/assets/none.js', '/inbox/assets/..%2F..%2Fpackage.json', '/inbox/assets/'])(
    'serves no other files: %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('requires credentials for everything else', async () => {
    expect((await get('/v1/me')).status).toBe(401);
    expect((await get('/v1/holds')).status).toBe(401);
  });
});
