import { describeProperty } from './support/describe-property.ts';

describeProperty('drift');
describeProperty('crashes');
