import { executeEveryRun, onReplay } from './every-run.ts';
import './guarantee-scenarios.ts';

executeEveryRun(onReplay);
