/** Does some work that Ctrl-C aborts; pressed again, it ends the program. */
export async function withInterrupt<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new DOMException('Stopped with Ctrl-C.', 'AbortError'));
  };
  process.on('SIGINT', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
