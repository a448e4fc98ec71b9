import { type SourcePage, sourcePages } from '../.vitepress/sources.ts';

export default {
  paths: (): SourcePage[] => sourcePages(),
};
