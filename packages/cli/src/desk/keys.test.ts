import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { main } from '../main.ts';

afterEach(() => vi.restoreAllMocks());

describe('the commands for keys', { timeout: 20_000 }, () => {
  it('create, list, rotate and revoke a key, and show its secret once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-keys-'));
    const path = join(folder, 'desk.sqlite');
    await (await sqliteStore({ path })).close();
    let printed = '';
    const write = (text: unknown) => {
      printed += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(write);
    vi.spyOn(console, 'log').mockImplementation((text) => void write(`${String(text)}\n`));
    const keys = async (...args: readonly string[]) => {
      printed = '';
      await main(['keys', ...args, '--store', path, '--by', 'root']);
      return printed;
    };
    const created = JSON.parse(await keys('create', 'billing', '--scope', 'read', '--json'));
    expect(created).toMatchObject({ account: 'service:billing', createdBy: { id: 'root' } });
    const listed = await keys('list');
    expect(listed).toContain('service:billing');
    expect(listed).not.toContain(created.key);
    const rotated = await keys('rotate', created.id.slice(0, 12), '--expires', '30d');
    const [key = ''] = /hpk_[\w-]+/.exec(rotated) ?? [];
    const desk = openDesk({ store: await sqliteStore({ path }), agents: {} });
    expect(await desk.keys.find(key)).toMatchObject({ account: { id: 'service:billing' } });
    expect(await desk.keys.find(created.key)).toBeUndefined();
    const active = (await desk.keys.list()).find(({ state }) => state === 'active');
    expect(await keys('revoke', active!.id)).toContain('Revoked');
    expect(await desk.keys.find(key)).toBeUndefined();
    await desk.close();
    rmSync(folder, { recursive: true });
  });
});
