import type { NativeReader } from './native/native-reader.ts';
import type { FileFormat } from './to-file.ts';

/** How a model takes files and what was said about native tools. */
export interface PromptFormat {
  readonly files: FileFormat;
  readonly native: NativeReader;
}
