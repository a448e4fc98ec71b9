export { describeStore, storeCases } from './describe-store.ts';
export type { StoreCase, StoreSuite } from './describe-store.ts';
export type { OpenedStore } from './opened-store.ts';
