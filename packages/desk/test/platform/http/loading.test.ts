import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Prints the loaded packages before and after the first request. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) loaded.add(name);
      return next(url, context);
    },
  });
  const { sqliteStore, openDesk } = await import('@holdpoint/desk');
  const desk = openDesk({ store: await sqliteStore(), agents: {} });
  await desk.runs();
  await desk.closeStreams();
  const before = [...loaded];
  const { status } = await desk.fetch(new Request('http://desk.test/v1/runs'));
  console.log(JSON.stringify({ before, after: [...loaded], status }));
`;

describe('a process that does not serve its desk', () => {
  it('loads nothing of what serves it', async () => {
    const flags = ['--conditions=holdpoint-source', '--import=tsx', '--input-type=module'];
    const cwd = join(import.meta.dirname, '../../..');

    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', PROGRAM], {
      cwd,
    });
    const { before, after, status } = JSON.parse(stdout);

    const ofServing = (names: readonly string[]) =>
      names.filter((name) => /hono|openapi/.test(name));
    expect(before).toContain('kysely');
    expect(ofServing(before)).toEqual([]);
    expect(ofServing(after)).toContain('hono');
    expect(status).toBe(401);
  });
});
