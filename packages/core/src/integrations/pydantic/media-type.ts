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
