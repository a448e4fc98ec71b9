import { describe } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { apiCases } from './cases/api.ts';

describe.each(STORES)('a desk over HTTP %s', (_, open) => apiCases(open));
