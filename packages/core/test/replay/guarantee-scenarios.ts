// The guarantee scenarios, for the files that run them in other environments. `nothing-computed` is left out, because
// it replaces modules.
import { skipScenarios } from './skipped-scenarios.ts';

await import('../guarantees/examples/restarted-sub-agents.test.ts');
await import('../guarantees/examples/decisions-in-doubt.test.ts');
await import('../guarantees/examples/requested-twice.test.ts');
await import('../guarantees/examples/batch.test.ts');
await import('../guarantees/examples/busy-and-settled.test.ts');
await import('../guarantees/examples/carried-usage.test.ts');
await import('../guarantees/examples/changed-state.test.ts');
await import('../guarantees/examples/denied-before.test.ts');
await import('../guarantees/examples/drift.test.ts');
await import('../guarantees/examples/edits.test.ts');
await import('../guarantees/examples/forged-approvals.test.ts');
await import('../guarantees/examples/idempotency-key.test.ts');
await import('../guarantees/examples/in-doubt.test.ts');
await import('../guarantees/examples/ledger-retention.test.ts');
await import('../guarantees/examples/nested.test.ts');
await import('../guarantees/examples/at-most-once-unless-safe.test.ts');
await import('../guarantees/examples/at-most-once.test.ts');
await import('../guarantees/examples/previews.test.ts');
await import('../guarantees/examples/resumed-again.test.ts');
await import('../guarantees/examples/approved-arguments.test.ts');
await import('../nested-deferral/decisions.test.ts');
await import('../nested-deferral/partial-results.test.ts');
await import('../nested-deferral/delegating-call.test.ts');
await import('../nested-deferral/toolsets.test.ts');
await import('../nested-deferral/keys.test.ts');
await import('../nested-deferral/inherited.test.ts');
await import('../scenarios/deferral/approved-by.test.ts');
await import('../scenarios/deferral/two-phase.test.ts');
await import('../scenarios/deferral/decisions-and-results.test.ts');
await import('../scenarios/deferral/external.test.ts');
await import('../scenarios/deferral/expired-and-superseded.test.ts');

// Counts the timers of the process. The environments of `holdpoint/testing` also set timers.
skipScenarios(['after a timeout, and nothing keeps the process alive for a tool that never ends']);
