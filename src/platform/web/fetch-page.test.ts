import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { startLocalServer, type TestServer } from '../../testing/local-server.js';
import { type Fetched, type FetchOptions, fetchPage } from './fetch-page.js';

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<TestServer> {
  const server = await startLocalServer(answer);
  closing.push(server.close);
  return server;
}

const text =
  (body: string | Buffer, headers: Record<string, string> = {}) =>
  (_: unknown, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(body);

const here = ['127.0.0.1', 'localhost', 'site.test', 'www.site.test'];
const toHere = async () => [{ address: '127.0.0.1', family: 4 }];

const get = (url: string, options: Partial<FetchOptions> = {}): Promise<Fetched> =>
  fetchPage(url, { signal: new AbortController().signal, localHosts: here, ...options });

test('fetches a page of an allowed host', async () => {
  const { url } = await serve(text('hello', { 'content-type': 'text/plain; charset=utf-8' }));
  expect(await get(`${url}/a?b=c#d`)).toEqual({
    kind: 'page',
    url: `${url}/a?b=c`,
    followed: [],
    status: 200,
    statusText: 'OK',
    contentType: 'text/plain; charset=utf-8',
    bytes: Buffer.from('hello'),
    isCut: false,
  });
});

test('refuses this machine and its network unless the host is allowed', async () => {
  const { port, asked } = await serve(text('secret'));
  const refused = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '017700000001', '[::1]', '[::ffff:127.0.0.1]', 'localhost'],
    ...['0.0.0.0', '[::]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '169.254.169.254', '10.1.2.3', '[fe80::1]'],
    ...['[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '224.0.0.1', '255.255.255.255', '[ff02::1]', '①②⑦.1'],
  ];
  for (const host of refused) {
    await expect(get(`https://${host}:${port}/`, { localHosts: [] }), host).rejects.toThrow(
      /was not fetched: .*address/,
    );
  }
  expect(asked).toEqual([]);
});

test('never fetches cloud metadata, allowed or not', async () => {
  const options = { localHosts: ['169.254.169.254', 'metadata.test'] };
  await expect(get('http://169.254.169.254/latest', options)).rejects.toThrow('It is never fetched');
  const lookup = async () => [{ address: '169.254.169.254', family: 4 }];
  await expect(get('http://metadata.test/', { ...options, lookup })).rejects.toThrow(
    'http://metadata.test/ was not fetched: metadata.test leads to 169.254.169.254, a special address',
  );
});

test('refuses a name if one of its addresses is private', async () => {
  const lookup = async () => [
    { address: '93.184.216.34', family: 4 },
    { address: '192.168.1.1', family: 4 },
  ];
  await expect(get('https://mixed.test/', { lookup, localHosts: [] })).rejects.toThrow(
    'https://mixed.test/ was not fetched: mixed.test leads to 192.168.1.1, an address of this machine or its network. Only the user can open it, by naming mixed.test in the setting webFetch.localHosts',
  );
});

test('resolves a name once for each request, connects to the checked address, and checks the next hop again', async () => {
  const { port, asked } = await serve((_, response) => void response.writeHead(302, { location: '/next' }).end());
  const answers = ['127.0.0.1', '169.254.169.254', '127.0.0.1'];
  let lookups = 0;
  const lookup = async () => [{ address: answers[lookups++] ?? '', family: 4 }];
  const fetched = get(`http://turning.test:${port}/`, { lookup, localHosts: [`turning.test:${port}`] });
  await expect(fetched).rejects.toThrow(`http://turning.test:${port}/next was not fetched`);
  expect({ lookups, asked }).toEqual({ lookups: 2, asked: ['turning.test/'] });
});

test('sends the name, not the address, in the TLS handshake', async () => {
  const names: string[] = [];
  const server = createTlsServer({
    SNICallback: (name, done) => {
      names.push(name);
      done(new Error('no certificate'));
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await expect(get(`https://site.test:${port}/`, { lookup: toHere })).rejects.toThrow('could not be fetched');
  expect(names).toEqual(['site.test']);
});

test('follows redirects within the site, with www and without', async () => {
  const { port, asked } = await serve((request, response) => {
    const next: Record<string, string> = { '/': '/two', '/two': `http://www.site.test:${port}/three` };
    const location = next[request.url ?? ''];
    if (location === undefined) text('arrived')(request, response);
    else response.writeHead(301, { location }).end();
  });
  const page = await get(`http://site.test:${port}/`, { lookup: toHere });
  expect(page).toMatchObject({ kind: 'page', url: `http://www.site.test:${port}/three` });
  expect(asked).toEqual(['site.test/', 'site.test/two', 'www.site.test/three']);
});

test.each([
  ['another host', 'https://other.test/x'],
  ['a host that begins like it', 'http://site.test.evil.test/x'],
  ['a private address', 'http://10.0.0.1/x'],
  ['another port', 'http://site.test:1/x'],
])('reports a redirect to %s, and does not follow it', async (_, location) => {
  const { port, asked } = await serve((_request, response) => void response.writeHead(302, { location }).end());
  const told = await get(`http://site.test:${port}/`, { lookup: toHere });
  expect(told).toEqual({
    kind: 'redirect',
    url: `http://site.test:${port}/`,
    to: location,
    status: 302,
    statusText: 'Found',
  });
  expect(asked).toEqual(['site.test/']);
});

test('checks each redirect, and reports one that is refused', async () => {
  const { port, asked } = await serve(
    (_request, response) => void response.writeHead(307, { location: '/inner' }).end(),
  );
  const hops: string[] = [];
  const mayFollow = (hop: string) => hops.push(hop) < 1;
  const told = await get(`http://site.test:${port}/`, { lookup: toHere, mayFollow });
  expect(told).toMatchObject({ kind: 'redirect', to: `http://site.test:${port}/inner` });
  expect({ hops, asked }).toEqual({ hops: [`http://site.test:${port}/inner`], asked: ['site.test/'] });
});

test('stops at a circular redirect', async () => {
  const { url, asked } = await serve((_, response) => void response.writeHead(302, { location: '/again' }).end());
  await expect(get(url)).rejects.toThrow('it redirected more than 10 times');
  expect(asked).toHaveLength(11);
});

test('refuses a redirect with a password in it', async () => {
  const { port } = await serve((_, response) => {
    response.writeHead(302, { location: `http://user:pass@site.test:${port}/` }).end();
  });
  await expect(get(`http://site.test:${port}/`, { lookup: toHere })).rejects.toThrow('user name or a password');
});

test('times out on a server that stops responding in the middle', async () => {
  const { url } = await serve(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'),
  );
  await expect(get(url, { limits: { idleMs: 50 } })).rejects.toThrow(/was silent for 0.05 s/);
});

test('times out on a server that sends a byte at a time forever', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const drip = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(drip));
  });
  await expect(get(url, { limits: { totalMs: 200 } })).rejects.toThrow(
    /could not be fetched: 127.0.0.1:\d+ had not sent the whole answer after 0.2 s/,
  );
});

test('loads no more of a body than the limit', async () => {
  let sent = 0;
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = (): void => {
      while (sent < 100_000_000 && !response.destroyed) {
        sent += 100_000;
        if (!response.write('x'.repeat(100_000))) return void response.once('drain', more);
      }
    };
    more();
  });
  const page = await get(url);
  expect(page).toMatchObject({ kind: 'page', isCut: true });
  expect(page.kind === 'page' && page.bytes.length).toBe(10_000_000);
  expect(sent).toBeLessThan(100_000_000);
});

test('decompresses no more than the limit, however little was sent', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));
  const { url } = await serve(text(bomb, { 'content-encoding': 'gzip' }));
  const page = await get(url);
  expect(page.kind === 'page' && { size: page.bytes.length, isCut: page.isCut }).toEqual({
    size: 10_000_000,
    isCut: true,
  });
});

test('decompresses requested encodings, and refuses others', async () => {
  const packed = await serve(text(gzipSync('hello'), { 'content-encoding': 'gzip' }));
  expect(await get(packed.url)).toMatchObject({ bytes: Buffer.from('hello') });
  const twice = await serve(text('', { 'content-encoding': 'gzip, gzip' }));
  await expect(get(twice.url)).rejects.toThrow('has packed it as "gzip, gzip"');
  const broken = await serve(text('no gzip', { 'content-encoding': 'gzip' }));
  await expect(get(broken.url)).rejects.toThrow('could not be fetched: incorrect header check');
});

test('reports that a connection broke in the middle', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  await expect(get(url)).rejects.toThrow('could not be fetched');
});

test('does not load binary content, and names its type', async () => {
  const { url } = await serve(text(Buffer.alloc(5_000), { 'content-type': 'image/png', 'content-length': '5000' }));
  await expect(get(`${url}/x.png`)).rejects.toThrow(
    `${url}/x.png is no text: its type is image/png, with 5000 bytes. It was not loaded. Download it with Bash (curl -o FILE URL), then look at it with Read.`,
  );
});

test.each([
  [404, 'answered with 404 Not Found. Check the URL, or search for the page.'],
  [429, 'answered with 429 Too Many Requests. It wants fewer requests (in 7 s). Wait, then try again.'],
  [503, 'answered with 503 Service Unavailable. The server has a problem'],
])('explains what to do about status %i', async (status, sentence) => {
  const { url } = await serve((_, response) => void response.writeHead(status, { 'retry-after': '7' }).end('no'));
  await expect(get(url)).rejects.toThrow(sentence);
});

test('ends at once when the call is cancelled', async () => {
  const controller = new AbortController();
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('x');
    controller.abort(new Error('cancelled by a person'));
  });
  await expect(get(url, { signal: controller.signal })).rejects.toThrow('cancelled by a person');
});

test.each([
  ['https://example.com@evil.test/', '(here evil.test)'],
  ['https://user:pass@example.com/', 'user name or a password'],
  ['ftp://example.com/', 'must be an http or https URL'],
  ['file:///etc/passwd', 'must be an http or https URL'],
  ['javascript:alert(1)', 'must be an http or https URL'],
  ['example.com', 'must be a full URL'],
  ['https://exa mple.com/', 'was not fetched'],
  ['https:\\\\evil.test\\@example.com', 'a backslash'],
  ['https://evil.test\0.example.com/', 'was not fetched'],
  [`https://example.com/${'x'.repeat(2_000)}`, 'at most 2000 characters'],
])('refuses the URL in row %#', async (url, why) => {
  await expect(get(url)).rejects.toThrow(why);
});

test('fetches plain http over https, unless the host is listed', async () => {
  const { port, asked } = await serve(text('plain'));
  await expect(get(`http://site.test:${port}/`, { lookup: toHere, localHosts: [] })).rejects.toThrow(
    `https://site.test:${port}/ was not fetched`,
  );
  expect(asked).toEqual([]);
});

test('all redirects share the timeout of one page', async () => {
  let hops = 0;
  const { url } = await serve((_, response) => {
    hops += 1;
    const location = `/${hops}`;
    setTimeout(() => (hops > 8 ? response.end('late') : response.writeHead(302, { location }).end()), 100);
  });
  await expect(get(url, { limits: { totalMs: 400 } })).rejects.toThrow(/had not sent the whole answer after/);
});
