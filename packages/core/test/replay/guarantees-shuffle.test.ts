import { executeEveryRun, onShuffling } from './every-run.ts';

executeEveryRun(onShuffling(1));

await import('./guarantee-scenarios.ts');
