/** Settings that the test passes to all processes of a storm, in the environment. */
export interface StormSetup {
  readonly ingress: readonly string[];
  /** The port of the balancer to which processes report theirs. */
  readonly control: number;
  /** True if every second process is a built-in worker. */
  readonly isMixed?: boolean | undefined;
  /** True if no process sweeps. */
  readonly hasNoSweep?: boolean | undefined;
}

const NAME = 'HOLDPOINT_STORM';

/** Sets the settings for all processes that are started until the returned function is called. */
export function setStorm(setup: StormSetup): () => void {
  process.env[NAME] = JSON.stringify(setup);
  return () => {
    delete process.env[NAME];
  };
}

export function readStorm(): StormSetup {
  // The test wrote it.
  return JSON.parse(process.env[NAME] ?? '{}') as StormSetup;
}
