const MARK = '@@';

/** Prints a result for the parent process, and ends this process. */
export function printResult(result) {
  process.stdout.write(`\n${MARK}${JSON.stringify(result)}\n`, () => process.exit(0));
}

/**
 * Reads the result that a process printed with {@link printResult}. Returns `undefined` if it
 * printed none.
 */
export function readResult(output) {
  const line = output.split('\n').findLast((text) => text.startsWith(MARK));
  return line && JSON.parse(line.slice(MARK.length));
}
