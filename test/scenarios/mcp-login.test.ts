import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, type HelveOptions, type HelveRun, runHelve, shareCode } from '../cli/run-helve.js';
import { type AuthServer, authServer, json } from './auth-server.js';

const browser = `${process.execPath} ${resolve('test/fixtures/mcp/browser.mjs')}`;

interface Desk {
  home: string;
  mcp(words: readonly string[], options?: HelveOptions): Promise<HelveRun>;
  /** The files of sign-ins, with their content. */
  files(): Promise<Array<{ name: string; mode: string; text: string }>>;
}

/** A user whose settings name the server `tracker`, and whose browser agrees to everything. */
async function desk(url: string, oauth?: Record<string, unknown>): Promise<Desk> {
  const home = await emptyFolder();
  const data = join(home, '.helve');
  shareCode(data);
  const entry = { type: 'http', url, ...(oauth && { oauth }) };
  await writeFile(join(data, 'settings.json'), JSON.stringify({ mcpServers: { tracker: entry } }));
  const folder = join(data, 'mcp-tokens');
  return {
    home,
    mcp: (words, { env, ...options } = {}) =>
      runHelve(['mcp', ...words], { cwd: home, env: { HOME: home, BROWSER: browser, ...env }, ...options }),
    async files() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
      return await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          const mode = ((await stat(path)).mode & 0o777).toString(8);
          return { name, mode, text: await readFile(path, 'utf8') };
        }),
      );
    },
  };
}

/** A reference, as files have it. */
const variable = (name: string): string => `\${${name}}`;

const secretsOf = ({ text }: { text: string }): string[] => {
  const { access, refresh } = JSON.parse(text).tokens;
  return [access, refresh];
};

test('signs in with a browser, lists that, and signs out', async () => {
  const server = await authServer();
  const { mcp, files } = await desk(server.url);
  expect((await mcp(['list', '--check'])).stdout).toContain(
    '✗ The MCP server tracker needs a sign-in. To sign in: helve mcp login tracker, or /mcp login tracker in the terminal.',
  );

  const login = await mcp(['login', 'tracker']);
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in to tracker.'), stderr: '' });
  const [authorization] = server.at('/authorize');
  expect(Object.fromEntries(authorization?.form ?? [])).toMatchObject({
    code_challenge_method: 'S256',
    resource: server.url,
    scope: 'read',
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
  });
  expect(server.at('/token').map(({ form }) => form.get('resource'))).toEqual([server.url]);

  const [file] = await files();
  expect(file).toMatchObject({ mode: '600', name: expect.stringMatching(/^tracker-[0-9a-f]+\.json$/) });
  const list = await mcp(['list', '--check']);
  expect(list.stdout).toContain('trusted, signed in');
  expect(list.stdout).toContain('✓ connected, 1 tool');
  const get = await mcp(['get', 'tracker', '--json']);
  expect(JSON.parse(get.stdout)).toMatchObject({ signIn: 'signed in' });
  for (const secret of file ? secretsOf(file) : ['']) {
    for (const { stdout, stderr } of [login, list, get]) expect(stdout + stderr).not.toContain(secret);
  }

  const logout = await mcp(['logout', 'tracker']);
  expect(logout.stdout).toBe(
    'Signed out of tracker. Its tokens were removed here and revoked at the authorization server.\n',
  );
  expect(server.at('/revoke').map(({ form }) => form.get('token'))).toEqual(file ? secretsOf(file).toReversed() : []);
  expect(await files()).toEqual([]);
  expect((await mcp(['logout', 'tracker'])).stdout).toBe('You were not signed in to tracker.\n');
});

test('uses a client of settings with its port and scopes, and registers none', async () => {
  const server = await authServer();
  const { mcp, files } = await desk(server.url, { clientId: 'mine', clientSecret: variable('SECRET'), scopes: 'a b' });
  const { code } = await mcp(['login', 'tracker'], { env: { SECRET: 'client-secret-1' } });
  expect(code).toBe(0);
  expect(server.at('/register')).toEqual([]);
  expect(server.at('/authorize').map(({ form }) => [form.get('client_id'), form.get('scope')])).toEqual([
    ['mine', 'a b'],
  ]);
  const basic = `Basic ${Buffer.from('mine:client-secret-1').toString('base64')}`;
  expect(server.at('/token').map(({ headers }) => headers.authorization)).toEqual([basic]);
  const [file] = await files();
  expect(file?.text).not.toContain('client-secret-1');
});

test('refuses a secret that stands in the settings', async () => {
  const { mcp } = await desk('https://tracker.example.com/mcp', { clientId: 'mine', clientSecret: 'hunter2' });
  const { code, stderr, stdout } = await mcp(['login', 'tracker']);
  expect(code).toBe(2);
  expect(stderr).toContain(
    `has the clientSecret itself in "oauth". Write ${variable('VARIABLE')}, and set that variable`,
  );
  expect(stdout + stderr).not.toContain('hunter2');
});

test('gets a token without a person for a program, once for all connections', async () => {
  const server = await authServer();
  const env = { SECRET: 's' };
  const { mcp } = await desk(server.url, {
    grant: 'client_credentials',
    clientId: 'robot',
    clientSecret: variable('SECRET'),
  });
  for (let time = 0; time < 2; time += 1) {
    expect((await mcp(['doctor'], { env })).stdout).toContain('✓ tracker: connected, 1 tool');
  }
  expect(server.at('/token').map(({ form }) => form.get('grant_type'))).toEqual(['client_credentials']);
});

/** What is wrong with the servers, and what the user reads. Nothing is saved, and nothing is sent further. */
const refusals: ReadonlyArray<{
  title: string;
  spoil(server: AuthServer): void;
  says: string | RegExp;
  /** Paths that must get no request. */
  untouched: readonly string[];
}> = [
  {
    title: 'metadata of another issuer',
    spoil: ({ metadata }) => Object.assign(metadata, { issuer: 'https://attacker.example.com' }),
    says: 'describes itself as another one, https://attacker.example.com, so it was not used.',
    untouched: ['/register', '/authorize', '/token'],
  },
  {
    title: 'an answer without the issuer that was promised',
    spoil: (server) => answerAuthorize(server, { code: 'x' }),
    says: 'names no issuer, though it promised to. It was not used.',
    untouched: ['/token'],
  },
  {
    title: 'an answer of another issuer',
    spoil: (server) => answerAuthorize(server, { code: 'x', iss: 'https://attacker.example.com' }),
    says: 'but is from https://attacker.example.com. It was not used.',
    untouched: ['/token'],
  },
  {
    title: 'a person who said no',
    spoil: (server) => answerAuthorize(server, { error: 'access_denied', iss: server.origin }),
    says: 'The authorization server did not sign you in (access_denied).',
    untouched: ['/token'],
  },
  {
    title: 'a code that was used before',
    spoil: ({ answers }) => answers.set('/token', (_, response) => json(response, 400, { error: 'invalid_grant' })),
    says: /The token endpoint at 127\.0\.0\.1:\d+ refused the request \(invalid_grant\)\./,
    untouched: [],
  },
  {
    title: 'tokens for another resource',
    spoil: ({ resource }) => Object.assign(resource, { resource: 'https://bank.example.com/mcp' }),
    says: 'its tokens are for https://bank.example.com/mcp, which is another resource',
    untouched: ['/register', '/authorize', '/token'],
  },
  {
    title: 'a redirect of the metadata to another host',
    spoil: ({ answers }) =>
      answers.set('/.well-known/oauth-authorization-server', (_, response) =>
        response.writeHead(302, { location: 'http://localhost:9/metadata' }).end(),
      ),
    says: 'redirects to another host, localhost:9. That is not followed',
    untouched: ['/register', '/authorize', '/token'],
  },
  {
    title: 'a redirect of the token request to another host',
    spoil: ({ answers }) =>
      answers.set('/token', (_, response) => response.writeHead(307, { location: 'http://localhost:9/token' }).end()),
    says: 'redirects to another host, localhost:9. That is not followed',
    untouched: [],
  },
  {
    title: 'metadata of 50 MB',
    spoil: ({ answers }) =>
      answers.set('/.well-known/oauth-protected-resource/mcp', (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const part = Buffer.alloc(1024 * 1024, ' ');
        let left = 50;
        const send = (): void => {
          while (left > 0 && response.write(part)) left -= 1;
          if (left > 0) response.once('drain', send);
          else response.end();
        };
        send();
      }),
    says: 'sent more than 512 KB, so it was not read.',
    untouched: ['/register', '/authorize', '/token'],
  },
  {
    title: 'a token endpoint that is not encrypted',
    spoil: ({ metadata }) => Object.assign(metadata, { token_endpoint: 'http://auth.example.com/token' }),
    says: 'The token endpoint is http://auth.example.com, which is not encrypted, so nothing was sent there.',
    untouched: ['/register', '/authorize', '/token'],
  },
  {
    title: 'a token answer that is no JSON',
    spoil: ({ answers }) => answers.set('/token', (_, response) => response.writeHead(200).end('<html>')),
    says: 'answered with HTTP 200 and no JSON document with a token, so the answer was not used.',
    untouched: [],
  },
  {
    title: 'a refusal that is no JSON',
    spoil: ({ answers }) => answers.set('/token', (_, response) => response.writeHead(400).end('<html>secret</html>')),
    says: 'answered with HTTP 400 and no JSON document with a token, so the answer was not used.',
    untouched: [],
  },
  {
    title: 'a token of another type',
    spoil: ({ answers }) =>
      answers.set('/token', (_, response) => json(response, 200, { access_token: 'a', token_type: 'mac' })),
    says: "gave a token of the type mac, which Helve can't use.",
    untouched: [],
  },
  {
    title: 'a server that registers nobody',
    spoil: ({ metadata }) => delete metadata['registration_endpoint'],
    says: 'registers no clients by itself',
    untouched: ['/register', '/authorize', '/token'],
  },
];

/** The browser comes back with these parameters, and the right state. */
function answerAuthorize({ answers }: AuthServer, parameters: Record<string, string>): void {
  answers.set('/authorize', ({ form }, response) => {
    const target = new URL(form.get('redirect_uri') ?? '');
    target.search = new URLSearchParams({ ...parameters, state: form.get('state') ?? '' }).toString();
    response.writeHead(302, { location: target.href }).end();
  });
}

test.each(refusals)('refuses $title, and says why', async ({ spoil, says, untouched }) => {
  const server = await authServer();
  spoil(server);
  const { mcp, files } = await desk(server.url);
  const { code, stderr } = await mcp(['login', 'tracker']);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(says);
  expect(code).toBe(1);
  expect(server.requests.filter(({ path }) => untouched.includes(path))).toEqual([]);
  expect(await files()).toEqual([]);
});

test("a sign-in that can't be saved is revoked", async () => {
  const server = await authServer();
  const here = await desk(server.url);
  await writeFile(join(here.home, '.helve', 'mcp-tokens'), 'a file where the folder should be');
  const { code, stderr } = await here.mcp(['login', 'tracker']);
  expect(stderr).toContain('The sign-in to tracker could not be saved');
  expect(stderr).toContain('its tokens were revoked');
  expect(code).toBe(1);
  expect(server.at('/revoke').length).toBe(2);
});

test('a file that is damaged is reported, and replaced by the next sign-in', async () => {
  const server = await authServer();
  const here = await desk(server.url);
  await here.mcp(['login', 'tracker']);
  const [file] = await here.files();
  const path = join(here.home, '.helve', 'mcp-tokens', file?.name ?? '');
  await writeFile(path, '{"version":1,"tok');
  const check = await here.mcp(['list', '--check']);
  expect(check.stdout).toContain(
    "can't be relied on: its content is not a sign-in. It is replaced by the next sign-in.",
  );
  expect((await here.mcp(['login', 'tracker'])).code).toBe(0);
  await chmod(path, 0o666);
  expect((await here.mcp(['list', '--check'])).stdout).toContain('other users may write it');
});

test('the tokens of one server never go to another address under the same name', async () => {
  const [server, other] = [await authServer(), await authServer()];
  const here = await desk(server.url);
  await here.mcp(['login', 'tracker']);
  const moved = { mcpServers: { tracker: { type: 'http', url: other.url } } };
  await writeFile(join(here.home, '.helve', 'settings.json'), JSON.stringify(moved));
  expect((await here.mcp(['doctor'])).stdout).toContain('needs a sign-in');
  expect(other.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});
