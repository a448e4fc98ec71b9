/** Aborts the work on the first signal and exits on the second. */
export async function withInterrupt<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signals: readonly NodeJS.Signals[] = ['SIGINT'],
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new DOMException('Stopped with Ctrl-C.', 'AbortError'));
  };
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
