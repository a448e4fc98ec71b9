import type { NativeReader } from './native/native-reader.ts';
import type { FileFormat } from './to-file.ts';

/** The formats of files and native tools in the prompt of a model. */
export interface PromptFormat {
  readonly files: FileFormat;
  readonly native: NativeReader;
}
