import { configureGlobal } from 'fast-check';

// The same cases in every run, so that a change is what makes a test fail. `RANDOM_SEED=…` tries others.
configureGlobal({ seed: Number(process.env['RANDOM_SEED'] ?? 20_261_115) });
