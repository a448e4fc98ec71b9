/**
 * Reserves the standard output for a protocol, and returns the function that writes to it. Everything else that this
 * process prints, such as `console.log` of a tool, is sent to standard error, because it would corrupt the messages.
 */
export function reserveStdout(): (chunk: Uint8Array) => Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (chunk) =>
    new Promise<void>((resolve, reject) => {
      write(chunk, (error) => (error ? reject(error) : resolve()));
    });
}
