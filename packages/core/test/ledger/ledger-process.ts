import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { OpenedLedger } from '../../src/testing/ledger-cases/fixture.ts';
import { FileLedger } from './file-ledger.ts';

/** A request for a ledger operation in the other process. */
interface Question {
  readonly id: number;
  readonly operation: keyof Ledger;
  readonly args: unknown[];
}

/** The outcome of an operation. */
interface OperationResult {
  readonly id: number;
  readonly value?: unknown;
  readonly problem?: string;
}

const program = fileURLToPath(import.meta.url);

/** Starts a process that opens the file, and returns its ledger. */
export async function ledgerInProcess(path: string): Promise<OpenedLedger> {
  const child = fork(program, [path], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  await once(child, 'message');
  const waiting = new Map<number, (result: OperationResult) => void>();
  child.on('message', (result: OperationResult) => {
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
  });
  let questions = 0;
  const ask = async (operation: keyof Ledger, args: unknown[]) => {
    const id = questions++;
    const result = new Promise<OperationResult>((resolve) => waiting.set(id, resolve));
    child.send({ id, operation, args } satisfies Question);
    const { value, problem } = await result;
    if (problem !== undefined) throw new Error(problem);
    return value;
  };
  // Sends every operation to the other process and returns its result.
  const ledger = new Proxy({} as Ledger, {
    get: (_, operation) =>
      operation === 'then' || operation === 'requireActive'
        ? undefined
        : (...args: unknown[]) => ask(operation as keyof Ledger, args),
  });
  const close = async () => {
    child.disconnect();
    await once(child, 'exit');
  };
  return { ledger, close };
}

/** Executes operations of the parent process until it disconnects. */
function serve(path: string): void {
  const ledger = new FileLedger(path);
  const send = (message: OperationResult) => process.send?.(message);
  process.on('message', async ({ id, operation, args }: Question) => {
    // The other process sent the arguments of this operation.
    const operate = (ledger as Ledger)[operation] as (...args: unknown[]) => Promise<unknown>;
    try {
      send({ id, value: await operate.apply(ledger, args) });
    } catch (error) {
      send({ id, problem: String(error) });
    }
  });
  process.on('disconnect', () => ledger.close());
  send({ id: -1 });
}

if (process.argv[1] === program && process.argv[2] !== undefined) serve(process.argv[2]);
