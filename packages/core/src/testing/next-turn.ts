// Taken while the module loads, so that tests which fake timers do not stop the environments.
const startTimer: (done: () => void, ms: number) => unknown = setTimeout;

/** Waits for the next turn of the event loop: everything that can go on by itself has done so by then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    startTimer(resolve, 0);
  });
}
