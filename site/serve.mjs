// A server of static files for reading the site on this machine: loopback only, read only.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { CONTENT_POLICY } from './layout.mjs';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export async function serveSite(folder, port) {
  const server = createServer((request, response) => {
    const file = fileAt(folder, request.url ?? '/');
    if (!['GET', 'HEAD'].includes(request.method ?? ''))
      return end(response, 405, 'Only GET and HEAD are supported.\n');
    if (file === undefined) return end(response, 404, 'There is no such page.\n');
    const type = types[extname(file)] ?? 'application/octet-stream';
    const headers = { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' };
    // A policy on an image would take an SVG its own styles.
    if (type.startsWith('text/html')) headers['content-security-policy'] = `${CONTENT_POLICY}; frame-ancestors 'none'`;
    response.writeHead(200, headers);
    if (request.method === 'HEAD') response.end();
    else pipeline(createReadStream(file), response, () => {});
  });
  await new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

function end(response, status, text) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

/** A file below the folder; nothing else can be asked for. */
function fileAt(folder, address) {
  try {
    const path = join(folder, decodeURIComponent(new URL(address, 'http://localhost').pathname));
    if (path !== folder && !path.startsWith(folder + sep)) return undefined;
    const file = path.endsWith(sep) ? join(path, 'index.html') : path;
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
