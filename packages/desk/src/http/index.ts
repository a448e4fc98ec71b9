export type { ActionTarget, AuthorizeAction, DeskAction } from './access.ts';
export type { Authorize, Caller, MayDecide, Rejection } from './caller.ts';
export { type DeskApp, deskApp } from './desk-app.ts';
export type { DeskAppOptions, EventOptions, HttpOptions } from './desk-app-options.ts';
export type {
  DeviceCode,
  DeviceSignIn,
  DeviceSignInState,
  SignInPath,
  SignInProvider,
} from './entrance.ts';
export type { Redact, RedactArgs, RedactCall, RedactRule } from '../redaction/redact.ts';
