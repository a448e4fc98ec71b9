import { describe } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { questionCases } from './cases/questions.ts';

describe.each(STORES)('questions at a desk %s', (_, open) => questionCases(open));
