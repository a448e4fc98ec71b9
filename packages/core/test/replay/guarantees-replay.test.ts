import { executeEveryRun, onReplay } from './every-run.ts';
import { COUNT_CALLS_OUTSIDE_STEPS, skipScenarios } from './skipped-scenarios.ts';

skipScenarios(COUNT_CALLS_OUTSIDE_STEPS);
executeEveryRun(onReplay);

await import('./guarantee-scenarios.ts');
