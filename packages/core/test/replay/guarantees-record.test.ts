import { executeEveryRun, onRecording } from './every-run.ts';

executeEveryRun(onRecording);

await import('./guarantee-scenarios.ts');
