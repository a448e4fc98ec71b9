import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeskErrorCode } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import type { HttpProblemCode } from '../../src/http/http-problem.ts';

/** All codes. The type requires each of them. */
const OF_THE_DESK: Readonly<Record<DeskErrorCode, true>> = {
  'already-voted': true,
  'arguments-do-not-fit': true,
  'decision-does-not-fit': true,
  'claim-lost': true,
  'comment-does-not-fit': true,
  'conversation-busy': true,
  'decision-expired': true,
  'delegation-does-not-fit': true,
  'edit-does-not-fit': true,
  'hold-settled': true,
  'idempotency-key-reused': true,
  'input-does-not-fit': true,
  'link-ended': true,
  'may-not-decide': true,
  'not-found': true,
  'open-holds': true,
  'outcome-unknown': true,
  'grant-does-not-fit': true,
  'request-claimed': true,
  'request-lost': true,
  'request-not-approved': true,
  'run-ended': true,
  'stale-digest': true,
  'stale-edit': true,
  'store-busy': true,
  'store-unreachable': true,
  tampered: true,
  'unknown-agent': true,
  'unknown-tool': true,
};

const OF_REQUESTS: Readonly<Record<HttpProblemCode, true>> = {
  closed: true,
  forbidden: true,
  'foreign-site': true,
  internal: true,
  'invalid-body': true,
  'invalid-request': true,
  'no-authorize': true,
  'no-such-route': true,
  'no-device-flow': true,
  'not-a-form': true,
  'not-json': true,
  'redacted-value': true,
  'sign-in-failed': true,
  'too-large': true,
  'too-many-streams': true,
  'rate-limited': true,
  unauthenticated: true,
};

describe('the page about errors', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');
  const part = (name: string) => page.split(/^## /m).find((one) => one.startsWith(`${name}\n`));
  const sections = (name: string) => (part(name) ?? '').split(/^#### /m).slice(1);

  it.each([
    ['The desk', OF_THE_DESK],
    ['The desk over HTTP', OF_REQUESTS],
  ])('has in the part "%s" a section for each code, and none for anything else', (name, codes) => {
    const names = sections(name).map((section) => section.slice(0, section.indexOf('\n')));

    expect(names).toEqual(Object.keys(codes).toSorted());
    // The name, the cause and the remedy.
    for (const section of sections(name)) {
      expect(section.trim().split(/\n{2,}/).length).toBeGreaterThanOrEqual(3);
    }
  });

  it('has each heading once, so that a code is the name of one section', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);

    expect(new Set(headings).size).toBe(headings.length);
  });
});
