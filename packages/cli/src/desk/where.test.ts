import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../commands/command.ts';
import { whereOf } from './where.ts';

const ENVIRONMENT = { HOLDPOINT_URL: 'http://desk.test', HOLDPOINT_TOKEN: 'secret' };

describe('where the desk is', () => {
  it('is what the environment says', () => {
    expect(whereOf({}, ENVIRONMENT)).toEqual({
      kind: 'url',
      url: 'http://desk.test',
      token: 'secret',
    });
  });

  it('is what was typed, rather', () => {
    expect(whereOf({ url: 'https://other.test/desk' }, ENVIRONMENT)).toMatchObject({
      url: 'https://other.test/desk',
    });
    expect(whereOf({ store: 'a.db', by: 'grace', tenant: 'acme' }, ENVIRONMENT)).toEqual({
      kind: 'store',
      path: 'a.db',
      by: 'grace',
      tenant: 'acme',
    });
  });

  it('is asked as the user of the machine, where nobody else was named', () => {
    expect(whereOf({ store: 'a.db' }, {})).toMatchObject({
      by: userInfo().username,
      tenant: 'default',
    });
  });

  it('must be said', () => {
    expect(() => whereOf({}, {})).toThrow(/`--url` or set `HOLDPOINT_URL`.*or pass `--store`/);
    expect(() => whereOf({}, { HOLDPOINT_URL: '' })).toThrow(/Missing address of the desk/);
  });

  it.each([
    [{ url: 'http://a.test', store: 'a.db' }, 'not both'],
    // A name would be believed in a file, but a served desk goes by the token.
    [{ url: 'http://a.test', by: 'grace' }, 'go with --store'],
    [{ url: 'http://a.test', tenant: 'acme' }, 'go with --store'],
    [{ url: 'desk' }, "'desk' is no address"],
    [{ url: 'file:///desk' }, 'is no address'],
  ])('cannot be %o', (said, problem) => {
    expect(() => whereOf(said, {})).toThrow(UsageError);
    expect(() => whereOf(said, {})).toThrow(problem);
  });
});
