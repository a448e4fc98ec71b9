import { describeGuaranteesOnRestate } from '../support/guarantees.ts';

await describeGuaranteesOnRestate('suspended');
