export type { Claims, OpenIdOptions } from './open-id-options.ts';
export { type SignInLink, type SignInLinkOptions, type SignIn, signIn } from './sign-in.ts';
export type { SignInOptions } from './sign-in-options.ts';
