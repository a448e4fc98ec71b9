import { executeEveryRun, onShuffling } from './every-run.ts';
import './guarantee-scenarios.ts';

executeEveryRun(onShuffling(1));
