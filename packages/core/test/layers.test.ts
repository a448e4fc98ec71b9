import { describe, expect, it } from 'vitest';
import { findLayerProblems } from './support/layers.ts';
import { readSourceFiles } from './support/source-files.ts';

describe('the layers of the core', () => {
  it('hold in every source file', () => {
    const files = readSourceFiles();

    expect(files.length).toBeGreaterThan(0);
    expect(findLayerProblems(files)).toEqual([]);
  });
});

describe('the layer check', () => {
  const check = (path: string, text = '') => findLayerProblems([{ path, text }]);

  it.each([
    ['static', "import { Agent } from '../agent/agent.ts';"],
    ['type', "import type { Agent } from '../agent/agent.ts';"],
    ['inline type', "import { type Agent } from '../agent/agent.ts';"],
    ['bare', "import '../agent/agent.ts';"],
    ['re-exported', "export { Agent } from '../agent/agent.ts';"],
    ['re-exported as a whole', "export * from '../agent/agent.ts';"],
    ['dynamic', "const agent = await import('../agent/agent.ts');"],
    ['dynamic, in a template', 'const agent = await import(`../agent/agent.ts`);'],
    ['type expression', "type Agent = import('../agent/agent.ts').Agent;"],
    ['many lines', "import {\n  Agent,\n  type Run,\n} from '../agent/agent.ts';"],
  ])('finds an upward import: %s', (_, text) => {
    expect(check('tools/tool.ts', text)).toEqual([
      'tools/tool.ts:1: tools/ imports agent/, a later layer',
    ]);
  });

  it('finds an upward import from a nested folder', () => {
    expect(check('models/ai-sdk/model.ts', "\nimport '../../tools/tool.ts';")).toEqual([
      'models/ai-sdk/model.ts:2: models/ imports tools/, a later layer',
    ]);
  });

  it('accepts imports of the same layer and of earlier ones', () => {
    const text = "import './signals.ts'; import '../errors/agent-errors.ts';";

    expect(check('tools/tool.ts', text)).toEqual([]);
    expect(check('index.ts', "export { tool } from './tools/tool.ts';")).toEqual([]);
  });

  it('reads neither comments nor strings', () => {
    const text = "// import '../agent/agent.ts'\nconst hint = \"import '../agent/agent.ts'\";";

    expect(check('tools/tool.ts', text)).toEqual([]);
  });

  it('finds imports that leave the layers', () => {
    const found = (text: string) => check('tools/tool.ts', text).map((line) => line.split(': ')[1]);

    expect(found("import { z } from 'zod';")).toEqual(['imports the package zod']);
    expect(found("import 'node:fs';")).toEqual(['imports the package node:fs']);
    expect(found("const fs = require('fs');")).toEqual(['imports the package fs']);
    expect(found("import '../index.ts';")).toEqual([
      'imports index.ts, which is above every layer',
    ]);
    expect(found("import '../../test/support/layers.ts';")).toEqual([
      'imports ../../test/support/layers.ts, which is outside of src/',
    ]);
    expect(found("import './tool.test.ts';")).toEqual(['imports the test tools/tool.test.ts']);
    expect(found('await import(name);')).toEqual(['imports what only a running program knows']);
  });

  it('lets tests import packages and later layers', () => {
    const text =
      "import { it } from 'vitest'; import { scriptedModel } from '../testing/index.ts';";

    expect(check('tools/tool.test.ts', text)).toEqual([]);
    expect(check('tools/tool.test-d.ts', text)).toEqual([]);
  });

  it('finds stray files and unknown folders', () => {
    expect(check('helpers.ts')).toEqual(['helpers.ts: only index.ts lies in src/ itself']);
    expect(check('utils/text.ts')).toEqual(['utils/text.ts: utils/ is not one of the layers']);
  });
});
