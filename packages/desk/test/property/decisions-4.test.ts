import { describeProperty } from './support/describe-property.ts';

describeProperty(4);
