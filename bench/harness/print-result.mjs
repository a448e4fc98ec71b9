const MARK = '@@';

/** Prints what was measured where the parent process finds it, and ends the process. */
export function printResult(result) {
  process.stdout.write(`\n${MARK}${JSON.stringify(result)}\n`, () => process.exit(0));
}

/** Reads the result that a process printed with {@link printResult}; `undefined` if there is none. */
export function readResult(output) {
  const line = output.split('\n').findLast((text) => text.startsWith(MARK));
  return line && JSON.parse(line.slice(MARK.length));
}
