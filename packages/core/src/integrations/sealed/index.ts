export type { WebCryptoKey } from './jose-library.ts';
export type { SealKey } from './seal-keys.ts';
export {
  type OpenedRun,
  type SealedContinuation,
  type SealedResumption,
  type SealedRuns,
  sealedRuns,
  type SealedRunsOptions,
} from './sealed-runs.ts';
export { SealedRunError, type SealedRunProblem } from './sealed-run-error.ts';
