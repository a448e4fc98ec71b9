import { describe } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { strangeCases } from './cases/strange.ts';

describe.each(STORES)('strange requests to a desk %s', (_, open) => strangeCases(open));
