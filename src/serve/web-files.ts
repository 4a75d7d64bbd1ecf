// The files of the web view, from the package. Only files that were in the folder at the start are served, by their own
// names, so no request leads elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { hashOf } from '../platform/crypto.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

export interface WebFile {
  bytes: Buffer;
  /** Compressed, if that makes it smaller. */
  gzip?: Buffer;
  type: string;
  etag: string;
  /** Its name has a hash of its content, so it never changes. */
  isFixed: boolean;
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Helve</title>
<h1>Helve</h1>
<p>The server runs, but its web view is not built. In a checkout of Helve, run <code>npm run build</code>.</p>
<p>Programs and editors connect to <code>/acp</code>.</p>
</html>
`;

/** The files by the path of their address. */
export function webFiles(folder: string | undefined): ReadonlyMap<string, WebFile> {
  const files = new Map<string, WebFile>();
  for (const entry of folder === undefined ? [] : readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue; // a source map, for example
    const name = `/${relative(folder ?? '', path)}`;
    const file = fileOf(readFileSync(path), type, /-[0-9A-Za-z]{8,}\.\w+$/.test(entry.name));
    files.set(name === '/index.html' ? '/' : name, file);
  }
  if (!files.has('/')) files.set('/', fileOf(Buffer.from(NOT_BUILT), 'text/html; charset=utf-8', false));
  return files;
}

function fileOf(bytes: Buffer, type: string, isFixed: boolean): WebFile {
  const gzip = gzipSync(bytes);
  const isSmaller = gzip.length < bytes.length;
  return { bytes, ...(isSmaller && { gzip }), type, etag: hashOf(bytes).slice(0, 32), isFixed };
}
