import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../errors.ts';
import { locateDesk } from './connection.ts';
import { deleteCredentials, readCredentials, writeCredentials } from './credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOT_LOGGED_IN = { XDG_CONFIG_HOME: join(folder, 'empty') };
const ENVIRONMENT = {
  ...NOT_LOGGED_IN,
  HOLDPOINT_URL: 'http://desk.test',
  HOLDPOINT_TOKEN: 'secret',
};

describe('the location of a desk', () => {
  it('comes from the environment', () => {
    expect(locateDesk({}, ENVIRONMENT)).toEqual({
      kind: 'url',
      url: 'http://desk.test',
      token: 'secret',
    });
  });

  it('comes from options before the environment', () => {
    expect(locateDesk({ url: 'https://other.test/desk' }, ENVIRONMENT)).toMatchObject({
      url: 'https://other.test/desk',
    });
    expect(locateDesk({ store: 'a.db', by: 'grace', tenant: 'acme' }, ENVIRONMENT)).toEqual({
      kind: 'store',
      path: 'a.db',
      by: 'grace',
      tenant: 'acme',
    });
  });

  it('of a file has the user of the machine as the approver by default', () => {
    expect(locateDesk({ store: 'a.db' }, {})).toMatchObject({
      by: userInfo().username,
      tenant: 'default',
    });
  });

  it('is required', () => {
    expect(() => locateDesk({}, NOT_LOGGED_IN)).toThrow(
      /holdpoint login.*`--url` or set `HOLDPOINT_URL`.*or pass `--store`/,
    );
    expect(() => locateDesk({}, { ...NOT_LOGGED_IN, HOLDPOINT_URL: '' })).toThrow(
      /Missing address of the desk/,
    );
  });

  it.each([
    [{ url: 'http://a.test', store: 'a.db' }, 'name two desks'],
    // A desk in a file accepts any name, but a served desk identifies callers by their tokens.
    [{ url: 'http://a.test', by: 'grace' }, 'need `--store`'],
    [{ url: 'http://a.test', tenant: 'acme' }, 'need `--store`'],
    [{ url: 'desk' }, '`desk` is not an HTTP address'],
    [{ url: 'file:///desk' }, 'is not an HTTP address'],
  ])('cannot be %o', (options, problem) => {
    expect(() => locateDesk(options, NOT_LOGGED_IN)).toThrow(UsageError);
    expect(() => locateDesk(options, NOT_LOGGED_IN)).toThrow(problem);
  });
});

describe('stored credentials', () => {
  const environment = { XDG_CONFIG_HOME: join(folder, 'stored') };
  const credentials = { url: 'http://desk.test', token: 'stored' };

  it('are used by later commands until they are deleted', () => {
    const path = writeCredentials(environment, credentials);

    expect(locateDesk({}, environment)).toEqual({ kind: 'url', ...credentials });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(deleteCredentials(environment)).toBe(true);
    expect(readCredentials(environment)).toBeUndefined();
    expect(deleteCredentials(environment)).toBe(false);
  });

  it('are not sent to another desk', () => {
    writeCredentials(environment, credentials);

    expect(locateDesk({ url: 'http://other.test' }, environment)).toMatchObject({
      token: undefined,
    });
    expect(locateDesk({ url: 'http://desk.test/' }, environment)).toMatchObject({
      token: 'stored',
    });
    const set = { ...environment, HOLDPOINT_TOKEN: 'typed' };
    expect(locateDesk({}, set)).toMatchObject({ url: 'http://desk.test', token: 'typed' });
  });

  it('are rejected if other users can read them, and replaced by a new login', () => {
    const path = writeCredentials(environment, credentials);
    chmodSync(path, 0o644);

    expect(() => locateDesk({}, environment)).toThrow(/Other users can read .*chmod 600/);
    writeCredentials(environment, credentials);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{', '{"url":7,"token":"x"}', 'null'])(
    'are rejected if the file is “%s”',
    (text) => {
      const path = writeCredentials(environment, credentials);
      writeFileSync(path, text);

      expect(() => locateDesk({}, environment)).toThrow(/Run `holdpoint login` again/);
    },
  );
});
