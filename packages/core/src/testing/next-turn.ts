// Read when the module loads, so that tests with fake timers do not stop the environments.
const startTimer: (done: () => void, ms: number) => unknown = setTimeout;

/** Waits for the next turn of the event loop, after all pending microtasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    startTimer(resolve, 0);
  });
}
