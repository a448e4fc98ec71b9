/** Returns the media type that the extension of a URL suggests, or `undefined`. */
export function mediaTypeOfAddress(address: string): string | undefined {
  const inline = /^data:([^;,]+)[;,]/i.exec(address)?.[1];
  if (inline !== undefined) return inline;
  const path = address.replace(/[?#][^]*$/, '');
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : BY_EXTENSION.get(extension);
}

/** Returns true for a URL of YouTube, whose videos have no extension. */
export function isYouTube(address: string): boolean {
  return /^https?:\/\/(?:youtu\.be|(?:www\.)?youtube\.com)(?:[:/?#]|$)/i.test(address);
}

const BY_TYPE: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/javascript': 'js mjs',
  'application/json': 'json',
  'application/msword': 'doc dot',
  'application/octet-stream': 'bin exe dll so',
  'application/pdf': 'pdf',
  'application/postscript': 'ai eps ps',
  'application/rtf': 'rtf',
  'application/toml': 'toml',
  'application/vnd.ms-excel': 'xls xlb',
  'application/vnd.ms-powerpoint': 'ppt pps pot',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/xml': 'xml xsl rdf',
  'application/yaml': 'yaml yml',
  'application/zip': 'zip',
  'audio/aac': 'aac adts',
  'audio/aiff': 'aiff',
  'audio/basic': 'au snd',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3 mp2',
  'audio/ogg': 'oga ogg',
  'audio/opus': 'opus',
  'audio/wav': 'wav',
  'audio/x-aiff': 'aif aifc',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/jpeg': 'jpg jpeg jpe',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'image/vnd.microsoft.icon': 'ico',
  'image/webp': 'webp',
  'message/rfc822': 'eml mht mhtml',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html htm',
  'text/markdown': 'md mdx',
  'text/plain': 'txt c h pl bat ksh srt',
  'text/tab-separated-values': 'tsv',
  'text/vtt': 'vtt',
  'text/x-asciidoc': 'asciidoc',
  'text/x-python': 'py',
  'text/x-vcard': 'vcf',
  'video/3gpp': '3gp 3gpp three_gp',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg mpg mpe m1v',
  'video/quicktime': 'mov qt',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/x-matroska': 'mkv',
  'video/x-ms-wmv': 'wmv',
  'video/x-msvideo': 'avi',
};

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_TYPE).flatMap(([type, extensions]) =>
    extensions.split(' ').map((extension) => [extension, type] as const),
  ),
);

/**
 * Returns the SHA-1 of bytes in hexadecimal, from which Pydantic AI derives the identifiers of files.
 *
 * Not for security. WebCrypto has only an asynchronous one.
 */
export function sha1(bytes: Uint8Array): string {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const blocks = padded(bytes);
  const words = new Int32Array(80);
  for (let offset = 0; offset < blocks.byteLength; offset += 64) {
    for (let i = 0; i < 16; i++) words[i] = blocks.getInt32(offset + i * 4);
    for (let i = 16; i < 80; i++) {
      // The indices are below 80, so the words exist.
      words[i] = rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1);
    }
    addBlock(state, words);
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Pads to blocks of 64 bytes: the bytes, a one, zeros, and the number of bits. */
function padded(bytes: Uint8Array): DataView {
  const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n);
  return view;
}

function addBlock(state: number[], words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (const [round, word] of words.entries()) {
    const next = (rotate(a, 5) + mix(round, b, c, d) + e + word) | 0;
    [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
  }
  for (const [index, word] of [a, b, c, d, e].entries()) {
    state[index] = ((state[index] ?? 0) + word) | 0;
  }
}

/** Returns the function and the constant of a round. */
function mix(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
