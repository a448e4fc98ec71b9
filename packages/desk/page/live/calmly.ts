/** Something that is done soon, and once for all who want it meanwhile. */
export interface Calmly {
  /** Has it be done. */
  readonly trigger: () => void;
  /** Nobody wants it any more. */
  readonly cancel: () => void;
}

/** Does something at most once in so many milliseconds, however often it is wanted, and the last time too. */
export function calmly(ms: number, action: () => void): Calmly {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    trigger() {
      timer ??= setTimeout(() => {
        timer = undefined;
        action();
      }, ms);
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
