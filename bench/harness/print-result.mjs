const MARK = '@@';

/** Prints what was measured where the parent process finds it, and ends the process. */
export function printResult(result) {
  process.stdout.write(`\n${MARK}${JSON.stringify(result)}\n`, () => process.exit(0));
}

/** What a process has printed with {@link printResult}; `undefined` if it did not get that far. */
export function readResult(output) {
  const line = output.split('\n').findLast((text) => text.startsWith(MARK));
  return line && JSON.parse(line.slice(MARK.length));
}
