import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from 'holdpoint';
import {
  AgentError,
  AlreadyResumedError,
  type ErrorCode,
  FallbackModelsError,
  GateError,
  InvalidJsonError,
  LedgerError,
  ModelError,
  InvalidResultsError,
  MissingResultsError,
  UnexpectedModelBehavior,
  UsageLimitExceeded,
  UserError,
} from 'holdpoint';
import * as aiSdk from 'holdpoint/ai-sdk';
import * as mcp from 'holdpoint/mcp';
import * as pydantic from 'holdpoint/pydantic';
import * as sealed from 'holdpoint/sealed';
import * as testing from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { findPlainErrors } from './support/plain-errors.ts';
import { repository } from './support/run-program.ts';
import { readSourceFiles } from './support/source-files.ts';

/** An error of each code. The type requires all codes. */
const ERRORS: Readonly<Record<ErrorCode, Error>> = {
  'all-models-failed': new FallbackModelsError([]),
  'already-resumed': new AlreadyResumedError('step'),
  'broken-entry': new LedgerError('broken-entry', 'Broken.'),
  'call-busy': new LedgerError('call-busy', 'Busy.'),
  'cannot-park': new UserError('Nobody is there.', { code: 'cannot-park' }),
  'invalid-json': new InvalidJsonError('messages[0]', 'expected an object.'),
  'ledger-fault': new testing.LedgerFaultError(
    { name: 'claim', key: undefined },
    { kind: 'throw', index: 0, when: 'before' },
  ),
  'mcp-server-failed': new mcp.McpServerError('Gone.', { serverId: 'files', problem: 'lost' }),
  'missing-package': new UserError('Not installed.', { code: 'missing-package' }),
  'model-error': new ModelError('Down.', { modelName: 'one' }),
  'nothing-pending': new UserError('Nothing.', { code: 'nothing-pending' }),
  'pending-calls': new UserError('Open.', { code: 'pending-calls' }),
  'outcome-not-settled': new LedgerError('outcome-not-settled', 'Lost.'),
  'past-the-gate': new GateError('No.'),
  'invalid-results': new InvalidResultsError(['a'], 'No.'),
  'replay-mismatch': new testing.ReplayMismatchError('step a', 'step b', 0),
  'sealed-run-rejected': new sealed.SealedRunError('expired', 'over.'),
  'step-forgotten': new LedgerError('step-forgotten', 'Old.'),
  'missing-results': new MissingResultsError(['a']),
  'unexpected-model-behavior': new UnexpectedModelBehavior('Again.'),
  'usage-limit-exceeded': new UsageLimitExceeded('Enough.'),
  'user-error': new UserError('Wrong.'),
};

/** Signals that tools throw, and the abstract base class. */
const WITHOUT_CODE = [
  'AgentError',
  'ApprovalRequired',
  'CallDeferred',
  'InputRequired',
  'ModelRetry',
  'ToolFailed',
].toSorted();

/** The error classes of all exports, by name. */
function exportedErrors(): string[] {
  return [core, aiSdk, mcp, pydantic, sealed, testing]
    .flatMap((exported): [string, unknown][] => Object.entries(exported))
    .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
    .map(([name]) => name)
    .toSorted();
}

describe('every error', () => {
  const known = Object.values(ERRORS).map((error) => error.constructor.name);

  it('that is exported has a code and an exported class', () => {
    expect(exportedErrors()).toEqual([...new Set(known), ...WITHOUT_CODE].toSorted());
  });

  it.each(Object.entries(ERRORS))(
    'with the code %s has that code and the name of its class',
    (code, error) => {
      expect(error).toMatchObject({ code, name: error.constructor.name });
    },
  );

  it('keeps its name, code and message in JSON, and no private data', () => {
    const error = new LedgerError('outcome-not-settled', 'It has run.', {
      toolCallId: 'a',
      outcome: 'secret',
      cause: new Error('secret'),
    });
    const kept = { name: 'LedgerError', code: 'outcome-not-settled', message: 'It has run.' };

    expect(JSON.parse(JSON.stringify({ error }))).toEqual({ error: kept });
    expect(structuredClone(error.toJSON())).toEqual(kept);
  });

  it('keeps its cause', () => {
    const cause = new Error('The reason.');

    expect(new UserError('Wrong.', { cause }).cause).toBe(cause);
    expect('cause' in new UserError('Wrong.')).toBe(false);
  });

  it('of the framework has the same base class', () => {
    const others = Object.values(ERRORS).filter((error) => !(error instanceof AgentError));

    expect(others.map((error) => error.name)).toEqual(['LedgerFaultError']);
  });
});

describe('the page about errors', () => {
  const page = readFileSync(join(repository, 'docs/errors.md'), 'utf8');
  const sections = page.split(/^### /m).slice(1);

  it('has one section for each code, and none for anything else', () => {
    const names = sections.map((section) => section.slice(0, section.indexOf('\n')));

    expect(names.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  it('describes in each section the cause and the remedy', () => {
    const paragraphs = (section: string) => section.trim().split(/\n{2,}/).length;

    // The name, the cause and the remedy.
    expect(sections.filter((section) => paragraphs(section) < 3)).toEqual([]);
  });

  it('names each class', () => {
    const names = Object.values(ERRORS).map((error) => error.name);

    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

/** Errors without a code that the sources create, with the reasons. */
const PLAIN: Readonly<Record<string, string>> = {
  'execution/execute-call.ts': 'the reason why the signal of a tool is aborted',
  'integrations/ai-sdk/ai-sdk-tool.ts': 'goes back to the model as a retry',
  'integrations/ai-sdk/tool-gate.ts': 'what the AI SDK tells its model came of a call',
  'integrations/otel/traced-span.ts': 'the exception of a span for a value that is no error',
  'internal/invariant.ts': 'a defect of this package',
  'testing/ledger-cases/fixture.ts': 'a test that fails',
  'testing/recording.ts': 'an error that is played back',
};

describe('errors without a code', () => {
  it('are created only if no caller receives them', () => {
    const found = findPlainErrors(readSourceFiles()).map((location) => location.split(':')[0]);

    expect([...new Set(found)]).toEqual(Object.keys(PLAIN));
  });

  it('are found by the check', () => {
    const check = (text: string, path = 'tools/tool.ts') => findPlainErrors([{ path, text }]);

    expect(check("\nthrow new Error('No.');")).toEqual(['tools/tool.ts:2: Error']);
    expect(check("throw Error('No.');")).toEqual(['tools/tool.ts:1: Error']);
    expect(check("return new RangeError('No.');")).toEqual(['tools/tool.ts:1: RangeError']);
    expect(check('throw new globalThis.TypeError();')).toEqual(['tools/tool.ts:1: TypeError']);
    expect(check("new UserError('No.'); // new Error()")).toEqual([]);
    expect(check('new Error();', 'tools/tool.test.ts')).toEqual([]);
  });
});
