import { describeProperty } from './support/describe-property.ts';

describeProperty('votes');
describeProperty('forgeries');
