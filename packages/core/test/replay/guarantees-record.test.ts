import { executeEveryRun, onRecording } from './every-run.ts';
import './guarantee-scenarios.ts';

executeEveryRun(onRecording);
