const closed = new AbortController();

/** Aborts when the program that reads the output has ended, so that a command that only prints can stop. */
export const outputClosed: AbortSignal = closed.signal;

/** Keeps the process alive if the program that reads its output ends, as `head` does. Commands finish their work. */
export function handleClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === process.stdout) closed.abort();
    });
  }
}
