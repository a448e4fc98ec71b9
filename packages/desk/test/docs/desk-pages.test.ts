import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AuditKind,
  type EventDetails,
  type EventOptions,
  type HttpOptions,
  OUTBOX_KINDS,
  type PostgresStoreOptions,
  type ServedDeskOptions,
  type SqliteStoreOptions,
  type WebhookOptions,
  type WorkerOptions,
} from '@holdpoint/desk';
import type { DeskAppOptions } from '@holdpoint/desk/http';
import type { SignInOptions } from '@holdpoint/desk/sign-in';
import { describe, expect, it } from 'vitest';

/** A record with every key of a type, so that a new key is a type error here. */
type KeysOf<Type> = Readonly<Record<keyof Type, true>>;

const readPage = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

/** Returns the cells of the rows of the first table in a text, without its two heading lines. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.slice(first + 2, end).map((line) => line.split(/(?<!\\)\|/).map((c) => c.trim()));
}

const codesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('the page about events and audit', () => {
  const page = readPage('desk-events.md');
  const tableAfter = (mark: string) => rowsOf(page.slice(page.indexOf(`<!-- ${mark} -->`)));

  it('lists every event with its members', () => {
    const events: { readonly [Kind in keyof EventDetails]: KeysOf<EventDetails[Kind]> } = {
      'run-started': { agent: true, conversationId: true },
      'run-finished': {},
      'run-failed': {},
      'run-cancelled': {},
      'run-stuck': {},
      'hold-opened': { holdId: true, holdKind: true },
      'hold-voted': { holdId: true, digest: true, votes: true, count: true },
      'hold-settled': { holdId: true, outcome: true },
      'hold-reopened': { holdId: true },
      'hold-escalated': { holdId: true, afterMs: true },
      'hold-reminder': { holdId: true, afterMs: true, votes: true, count: true },
      'hold-commented': { holdId: true, number: true },
      'grant-created': { grantId: true, holdId: true },
      'grant-revoked': { grantId: true },
    };
    const listed = tableAfter('events').map(([, kind = '', members = '']) => [
      codesIn(kind)[0],
      codesIn(members),
    ]);

    expect(listed).toEqual(OUTBOX_KINDS.map((kind) => [kind, Object.keys(events[kind])]));
  });

  it('lists every kind of audit entry', () => {
    const kinds: Readonly<Record<AuditKind, true>> = {
      'run-started': true,
      'run-claimed': true,
      'run-parked': true,
      'run-released': true,
      'run-retried': true,
      'run-stuck': true,
      'run-finished': true,
      'run-failed': true,
      'run-cancelled': true,
      'message-received': true,
      'message-dropped': true,
      'hold-opened': true,
      'hold-voted': true,
      'hold-decided': true,
      'hold-granted': true,
      'hold-shadowed': true,
      'hold-reopened': true,
      'hold-escalated': true,
      'hold-reminded': true,
      'hold-commented': true,
      'hold-expired': true,
      'hold-superseded': true,
      'hold-cancelled': true,
      'link-created': true,
      'link-used': true,
      'link-revoked': true,
      'webhook-given-up': true,
      'notification-given-up': true,
      'expiry-given-up': true,
      'grant-created': true,
      'grant-revoked': true,
      'call-started': true,
      'call-settled': true,
      'call-in-doubt': true,
      'call-resolved': true,
      'call-recorded': true,
      'task-replayed': true,
      'task-discarded': true,
      'data-erased': true,
    };

    const listed = tableAfter('audit').map(([, kind = '']) => codesIn(kind)[0]);
    expect(listed).toEqual(Object.keys(kinds));
  });
});

describe('the page about options of the desk', () => {
  const sections = readPage('desk-options.md').split(/^## /m);

  const openDesk: KeysOf<ServedDeskOptions<never>> = {
    store: true,
    agents: true,
    expiresAfter: true,
    approvers: true,
    dynamicTools: true,
    requests: true,
    mayDecide: true,
    notRequester: true,
    rolesOf: true,
    denyReasons: true,
    shadow: true,
    redact: true,
    notify: true,
    webhooks: true,
    retention: true,
    url: true,
    lease: true,
    toolTimeout: true,
    maxAttempts: true,
    logger: true,
    telemetry: true,
    onError: true,
    authorize: true,
    signIn: true,
    http: true,
  };
  const http: KeysOf<HttpOptions> = {
    basePath: true,
    maxBytes: true,
    rateLimits: true,
    authorizeAction: true,
    events: true,
    mayDecide: true,
    notRequester: true,
    redact: true,
  };
  const deskApp: KeysOf<DeskAppOptions> = {
    authorize: true,
    signIn: true,
    onError: true,
    mayDecide: true,
    notRequester: true,
    authorizeAction: true,
    basePath: true,
    maxBytes: true,
    rateLimits: true,
    events: true,
  };
  const events: KeysOf<EventOptions> = {
    perPerson: true,
    perTenant: true,
    heartbeatMs: true,
    maxStreamMs: true,
    pollMs: true,
  };
  const sqliteStore: KeysOf<SqliteStoreOptions> = {
    path: true,
    busyTimeout: true,
    migrate: true,
    now: true,
  };
  const postgresStore: KeysOf<PostgresStoreOptions> = {
    pool: true,
    busyTimeout: true,
    statementTimeout: true,
    migrate: true,
    preparedStatements: true,
    logger: true,
    onError: true,
  };
  const startWorker: KeysOf<WorkerOptions> = {
    signal: true,
    concurrency: true,
    reservedSlots: true,
    pollMs: true,
    drainMs: true,
    name: true,
    maxRunsPerTenant: true,
    maxRunsPerAgent: true,
  };
  const webhooks: KeysOf<WebhookOptions> = { url: true, secret: true, kinds: true };
  const signIn: KeysOf<SignInOptions> = {
    store: true,
    url: true,
    openId: true,
    idleAfter: true,
    endsAfter: true,
    logger: true,
    onError: true,
  };

  it.each([
    ['openDesk', openDesk],
    ['http', http],
    ['http.events', events],
    ['deskApp', deskApp],
    ['sqliteStore', sqliteStore],
    ['postgresStore', postgresStore],
    ['startWorker', startWorker],
    ['webhooks', webhooks],
    ['signIn', signIn],
  ])('lists every option of `%s` with type, default and meaning', (name, options) => {
    const section = sections.find((one) => one.startsWith(`\`${name}\`\n`)) ?? '';
    const rows = rowsOf(section);

    expect(rows.map(([, option = '']) => codesIn(option)[0])).toEqual(Object.keys(options));
    for (const [, ...cells] of rows) expect(cells.slice(0, 4)).not.toContain('');
  });
});
