// The guarantee scenarios, for the files that run them in other environments. `nothing-computed` is left out, because
// it replaces modules.
import { beforeEach } from 'vitest';

await import('../guarantees-probes/agents-begun-again.test.ts');
await import('../guarantees-probes/answers-to-doubts.test.ts');
await import('../guarantees-probes/asks-twice.test.ts');
await import('../guarantees-probes/batch.test.ts');
await import('../guarantees-probes/busy-and-settled.test.ts');
await import('../guarantees-probes/carried-usage.test.ts');
await import('../guarantees-probes/changed-state.test.ts');
await import('../guarantees-probes/denied-before.test.ts');
await import('../guarantees-probes/drift.test.ts');
await import('../guarantees-probes/edits.test.ts');
await import('../guarantees-probes/forged-approvals.test.ts');
await import('../guarantees-probes/idempotency-key.test.ts');
await import('../guarantees-probes/in-doubt.test.ts');
await import('../guarantees-probes/ledger-forgets.test.ts');
await import('../guarantees-probes/nested.test.ts');
await import('../guarantees-probes/once-unless-safe.test.ts');
await import('../guarantees-probes/once.test.ts');
await import('../guarantees-probes/previews.test.ts');
await import('../guarantees-probes/resumed-again.test.ts');
await import('../guarantees-probes/what-was-approved-runs.test.ts');
await import('../nested-deferral/answers.test.ts');
await import('../nested-deferral/partial-answers.test.ts');
await import('../nested-deferral/delegating-call.test.ts');
await import('../nested-deferral/toolsets.test.ts');
await import('../nested-deferral/keys.test.ts');
await import('../nested-deferral/inherited.test.ts');
await import('../scenarios/approved-by.test.ts');
await import('../scenarios/deferral-two-phase.test.ts');
await import('../scenarios/deferral-answers.test.ts');
await import('../scenarios/deferral-external.test.ts');
await import('../scenarios/deferral-unanswered.test.ts');

/** Scenarios about the timers of the process. The environments of `holdpoint/testing` set timers too. */
const ABOUT_TIMERS: ReadonlySet<string> = new Set([
  'after a timeout, and nothing keeps the process alive for a tool that never ends',
]);

beforeEach(({ task, skip }) => skip(ABOUT_TIMERS.has(task.name)));
