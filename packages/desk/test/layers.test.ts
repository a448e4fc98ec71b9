import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** The folders of `src/`, lowest first: each imports only itself and folders before it. */
const LAYERS = [
  'model',
  'telemetry',
  'errors',
  'redaction',
  'approvers',
  'store',
  'audit',
  'transitions',
  'stream',
  'ledger',
  'requests',
  'engine',
  'retention',
  'worker',
  'notify',
  'links',
  'desk',
  'chat-ui',
  'web',
  'http',
  'mcp',
  'chat',
  'sign-in',
  'otel',
  'testing',
];

const files = globSync('**/*.ts', { cwd: SRC }).filter((path) => !path.endsWith('.test.ts'));

describe('the layers of the desk', () => {
  it('hold in every source file', () => {
    const problems = files.flatMap((path) => {
      if (path === 'index.ts') return [];
      const from = LAYERS.indexOf(layerOf(path));
      const imported = importsOf(path).map((specifier) =>
        posix.join(posix.dirname(path), specifier),
      );
      const upward = imported.filter((target) => LAYERS.indexOf(layerOf(target)) > from);
      return from < 0 ? [`${path} is in no layer`] : upward.map((target) => `${path} → ${target}`);
    });

    expect(files.length).toBeGreaterThan(50);
    expect(problems).toEqual([]);
  });

  it('leave databases to the stores, and the core to its public exports', () => {
    const packages = files.flatMap((path) =>
      [...readFileSync(join(SRC, path), 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(
        ([, name]) => `${layerOf(path)}: ${name}`,
      ),
    );

    for (const one of packages) {
      if (/kysely|sqlite|: pg/.test(one)) expect(one).toMatch(/^store: /);
      if (one.includes(': holdpoint'))
        expect(one).toMatch(
          /: holdpoint(\/(ai-sdk-ui|testing|ledger|messages|models|tools|deferral|agents|output|toolsets|capabilities))?$/,
        );
    }
  });
});

function layerOf(path: string): string {
  return path.slice(0, Math.max(path.indexOf('/'), 0));
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(SRC, path), 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, specifier = '']) => specifier);
}
