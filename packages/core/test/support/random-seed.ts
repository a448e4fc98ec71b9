import { configureGlobal } from 'fast-check';

// Every run has the same cases, so that only a change can make a test fail. `RANDOM_SEED=…` selects
// other cases.
configureGlobal({ seed: Number(process.env['RANDOM_SEED'] ?? 20_261_115) });
