import { PolicyError } from '../errors/policy-error.ts';

/** The time that a policy may take inside a transaction, in milliseconds. */
const MAX_MS = 10_000;

/** Calls a function of the application. An exception is a `PolicyError`: the call stays undecided. */
export function askPolicy<Result>(option: string, ask: () => Result): Result {
  try {
    return ask();
  } catch (error) {
    throw failed(option, error);
  }
}

/** Calls an asynchronous function of the application, which must settle while a transaction is open. */
export async function awaitPolicy<Result>(
  option: string,
  ask: () => Result | Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow(option)), MAX_MS);
  });
  try {
    return await Promise.race([ask(), limit]);
  } catch (error) {
    throw error instanceof PolicyError ? error : failed(option, error);
  } finally {
    clearTimeout(timer);
  }
}

function failed(option: string, cause: unknown): PolicyError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/[.\s]*$/, '.');
  return new PolicyError(
    `The policy \`${option}\` threw: ${reason} Nothing was decided. ` +
      'Fix the function. If the run is stuck, retry it afterwards.',
    { cause },
  );
}

function tooSlow(option: string): PolicyError {
  return new PolicyError(
    `The policy \`${option}\` did not settle within ${MAX_MS} ms. It is evaluated inside a transaction, so it ` +
      'must not call the desk or wait for it. Nothing was written. Use the arguments that the function receives.',
  );
}
