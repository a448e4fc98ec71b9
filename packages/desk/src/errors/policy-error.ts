import { UserError } from 'holdpoint';

/** A function of the application that decides about calls failed, or returned something invalid. Nothing was written. */
export class PolicyError extends UserError {
  override name = 'PolicyError';
}
