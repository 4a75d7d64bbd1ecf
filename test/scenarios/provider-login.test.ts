import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, type HelveOptions, type HelveRun, runHelve } from '../cli/run-helve.js';
import { json, type ProviderServer, providerServer, redirect } from './provider-server.js';

const browser = `${process.execPath} ${resolve('test/fixtures/mcp/browser.mjs')}`;

const models: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(models.splice(0).map((server) => server.close()));
});

interface Desk {
  home: string;
  env: Readonly<Record<string, string>>;
  server: ProviderServer;
  model: FakeModelServer;
  helve(words: readonly string[], options?: HelveOptions): Promise<HelveRun>;
  /** The stored sign-in, and the mode of its file. */
  stored(provider?: string): Promise<{ mode: string; text: string }>;
}

/** A user whose browser agrees to everything, and servers that stand in for the providers. */
async function desk(answers: FakeAnswers = [{ text: 'Hello from the plan.' }]): Promise<Desk> {
  const model = await startFakeModelServer(answers);
  models.push(model);
  const server = await providerServer(model.url);
  const home = await emptyFolder();
  const env = { HOME: home, BROWSER: browser, HELVE_SIGN_IN_SERVER: server.origin };
  const fileOf = (provider: string): string => join(home, '.helve/sign-ins', `${provider}.json`);
  return {
    ...{ home, env, server, model },
    helve: (words, options) => runHelve(words, { cwd: home, ...options, env: { ...env, ...options?.env } }),
    async stored(provider = 'openai') {
      const mode = ((await stat(fileOf(provider))).mode & 0o777).toString(8);
      return { mode, text: await readFile(fileOf(provider), 'utf8') };
    },
  };
}

const grants = ({ server }: Desk): Array<string | null> =>
  server.at('/api/accounts/oauth/token').map(({ form }) => form.get('grant_type'));

const refreshes = (user: Desk): number => grants(user).filter((grant) => grant === 'refresh_token').length;

/** All files below a folder, with their content. */
async function filesBelow(folder: string): Promise<Array<{ path: string; text: string }>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { path, text: await readFile(path, 'latin1') };
      }),
  );
}

test('signs in to ChatGPT, answers a prompt with the plan, and signs out; the tokens appear nowhere else', async () => {
  const calls = ['env', 'cat ~/.helve/sign-ins/openai.json'].map((command) => ({ name: 'Bash', input: { command } }));
  const user = await desk([{ calls }, { text: 'Done.' }]);
  const { helve, server, model, home, stored } = user;

  const login = await helve(['login', 'openai']);
  expect(login).toMatchObject({ code: 0, stderr: '' });
  expect(login.stdout).toContain('Signed in to ChatGPT as ada@example.com, with 1 model.\n');
  expect(login.stdout).toContain('To use it: helve --model openai/plan-large -p "…".');
  expect(await stored()).toMatchObject({ mode: '600' });

  const listed = await helve(['models']);
  expect(listed.stdout).toMatch(/openai +OpenAI +signed in as ada@example.com +plan-large/);
  expect(listed.stdout).toMatch(/openai\/plan-large +Plan Large/);
  expect(listed.stdout).not.toContain('plan-hidden');
  const doctor = await helve(['doctor']);
  expect(doctor.stdout).toContain('✓ Sign-in to ChatGPT: signed in as ada@example.com, 1 model, not asked');
  expect(doctor.stdout).toMatch(/✓ Model: openai\/plan-large,.* by your sign-in,/);
  const status = await helve(['auth', 'status']);
  expect(status.stdout).toBe('OpenAI is set up by your sign-in.\n');

  const args = ['-p', 'go', '--permission-mode', 'bypassPermissions', '--debug', '--output-format', 'stream-json'];
  const run = await helve([...args, '--verbose']);
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toContain('Done.');
  expect(run.stdout).toContain('HELVE_SIGN_IN_SERVER='); // what env printed
  expect(run.stdout).toContain("belongs to Helve's own data, which no tool may touch");
  expect(model.refused).toEqual([]);
  const [, token] = server.at('/v1/models')[0]?.headers.authorization?.split(' ') ?? [];
  expect(server.at('/v1/responses').map(({ headers }) => headers.authorization)).toEqual(
    [token, token].map((one) => `Bearer ${one}`),
  );
  const [first] = model.requests;
  expect(first?.text).toContain('"input":[{"type":"additional_tools","role":"developer","tools":[{');
  const exported = await helve(['sessions', 'export', 'last', '--format', 'json']);
  const audit = await helve(['audit', 'show', 'last']);

  const logout = await helve(['logout', 'openai']);
  expect(logout.stdout).toBe('Signed out of ChatGPT. Its tokens were removed here and revoked.\n');
  expect(server.at('/revoke')).toHaveLength(1);
  expect((await helve(['logout', 'openai'])).stdout).toBe('You were not signed in to ChatGPT.\n');
  const after = await helve(['-p', 'go', '--model', 'openai']);
  expect(after.code).toBe(2);
  expect(after.stderr).toContain('run helve login openai for a ChatGPT plan');

  const shown = [login, listed, doctor, status, run, exported, audit, logout, after];
  const texts = [
    ...shown.map(({ stdout, stderr }) => ({ path: 'output', text: stdout + stderr })),
    ...model.requests.map(({ text }) => ({ path: 'request', text })),
    ...(await filesBelow(home)),
  ];
  expect(texts.some(({ path }) => path.includes('/logs/'))).toBe(true);
  for (const secret of server.issued) {
    expect(texts.filter(({ text }) => text.includes(secret)).map(({ path }) => path)).toEqual([]);
  }
});

test('a token that is refused in the middle of a conversation is renewed once, and the request is sent again', async () => {
  const user = await desk((_, number) => {
    if (number > 0) return { text: 'Done.' };
    user.server.expireAll();
    return { calls: [{ name: 'Bash', input: { command: 'echo hi' } }] };
  });
  await user.helve(['login', 'openai']);
  const run = await user.helve(['-p', 'go']);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: '' });
  expect(refreshes(user)).toBe(1);
  expect(user.server.at('/v1/responses')).toHaveLength(3);
});

test.each(['refused by the server', 'known to have expired'])(
  'two processes renew a token that is %s once',
  async (why) => {
    const user = await desk(() => ({ text: 'Hello.' }));
    await user.helve(['login', 'openai']);
    user.server.expireAll();
    if (why === 'known to have expired') {
      const path = join(user.home, '.helve/sign-ins/openai.json');
      const signIn = JSON.parse((await user.stored()).text);
      await writeFile(path, JSON.stringify({ ...signIn, tokens: { ...signIn.tokens, renewAt: 1, expiresAt: 1 } }));
    }
    const runs = await Promise.all([user.helve(['-p', 'one']), user.helve(['-p', 'two'])]);
    expect(runs.map(({ stdout, stderr }) => stdout + stderr)).toEqual(['Hello.\n', 'Hello.\n']);
    expect(refreshes(user)).toBe(1);
  },
);

test('a token is not renewed where the new one could not be saved, and is once it can be', async () => {
  const user = await desk(() => ({ text: 'Hello.' }));
  await user.helve(['login', 'openai']);
  user.server.expireAll();
  const before = await user.stored();
  const inTheWay = join(user.home, '.helve/sign-ins/openai.json.room');
  await mkdir(inTheWay);
  const { code, stderr } = await user.helve(['-p', 'go']);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /New tokens could not be saved in \S+sign-ins \(.+\), so none were requested\. Free space there, or make the folder writable, then try again\./,
  );
  expect(refreshes(user)).toBe(0);
  expect(await user.stored()).toEqual(before);
  await rmdir(inTheWay);
  expect((await user.helve(['-p', 'go'])).stdout).toBe('Hello.\n');
  expect(await readdir(join(user.home, '.helve/sign-ins'))).toEqual(['host.json', 'openai.json']);
});

test('an answer without a new refresh token leaves the earlier one in use', async () => {
  const user = await desk(() => ({ text: 'Hello.' }));
  await user.helve(['login', 'openai']);
  const { tokens } = JSON.parse((await user.stored()).text);
  user.server.expireAll();
  const path = '/api/accounts/oauth/token';
  user.server.answers.set(path, (_, response) => {
    json(response, 200, { access_token: 'access-other', refresh_token: null, token_type: 'Bearer' });
  });
  await user.helve(['-p', 'go']);
  expect(JSON.parse((await user.stored()).text).tokens).toEqual({ access: 'access-other', refresh: tokens.refresh });
});

test('a sign-in whose renewal was cut off says so when the server refuses the old token', async () => {
  const user = await desk(() => ({ text: 'Hello.' }));
  const { helve, server } = user;
  await helve(['login', 'openai']);
  const path = '/api/accounts/oauth/token';
  server.expireAll();
  // The token is replaced, and the answer never arrives.
  await helve(['-p', 'go'], { onStart: (kill) => void server.answers.set(path, () => kill('SIGKILL')) });
  expect(JSON.parse((await user.stored()).text)).toMatchObject({ renewing: true });
  server.answers.delete(path);
  server.revokeAll();
  expect((await helve(['-p', 'go'])).stderr).toMatch(
    /has ended\. Helve was ended, or lost its connection, while it renewed it, so that the new token was lost\. .*helve login openai/,
  );
  const { code, stdout } = await helve(['auth', 'status']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^No provider is set up\. The sign-in to ChatGPT can't be used: .*Run helve login openai\./);
  expect((await helve(['login', 'openai'])).code).toBe(0);
  expect(JSON.parse((await user.stored()).text)).not.toHaveProperty('renewing');
});

test('a revoked sign-in ends with the command for a new one, which uses the same registration', async () => {
  const user = await desk(() => ({ text: 'Hello again.' }));
  const { helve, server } = user;
  await helve(['login', 'openai']);
  server.revokeAll();
  for (const exit of [1, 2]) {
    const { code, stderr } = await helve(['-p', 'go']);
    expect(code).toBe(exit); // during the run, and when it starts
    expect(stderr).toMatch(
      /Your sign-in to ChatGPT has ended\. OpenAI refused to renew it: HTTP 400, invalid_grant: No session for \[key\]\. Run helve login openai\./,
    );
  }
  expect((await helve(['doctor'])).stdout).toMatch(/✗ Sign-in to ChatGPT: .*Run helve login openai\./);
  expect((await helve(['models'])).stdout).toContain('sign-in has ended: run helve login openai');
  expect((await helve(['login', 'openai'])).code).toBe(0);
  expect((await helve(['-p', 'go'])).stdout).toBe('Hello again.\n');
  const [first, second] = server.at('/api/accounts/authorize').map(({ form }) => form);
  expect(first?.get('client_id')).toBe('dynamic_agent_client');
  expect(second?.get('client_id')).toMatch(/^oaiapp_/);
  expect(second?.get('ext_agent_host_id')).toBe(first?.get('ext_agent_host_id'));
});

test.each<[string, number, { code: string; message: string }, string]>([
  [
    'the usage limit',
    429,
    { code: 'subscription_sharing_usage_limit_exceeded', message: 'Limit reached.' },
    'The usage limit of your ChatGPT plan is reached (429: Limit reached). See https://chatgpt.com/settings/usage for when it is renewed; until then, set OPENAI_API_KEY or choose another model.',
  ],
  [
    'a plan that has ended',
    403,
    { code: 'subscription_sharing_user_not_eligible', message: 'Not eligible.' },
    'Your ChatGPT account has no plan that other programs may use, or the plan has ended (403: Not eligible). Renew the plan, sign in as another account with helve login openai --new, or set OPENAI_API_KEY.',
  ],
])('%s is explained, and the request is not sent again', async (_, status, error, sentence) => {
  const { helve, server } = await desk();
  await helve(['login', 'openai']);
  server.answers.set('/v1/responses', (_request, response) => json(response, status, { error }));
  const { code, stderr } = await helve(['-p', 'go']);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(server.at('/v1/responses')).toHaveLength(1);
});

test('a web page of a proxy in place of an answer is called one', async () => {
  const { helve, server } = await desk();
  await helve(['login', 'openai']);
  const page = { 'content-type': 'text/html' };
  server.answers.set('/v1/responses', (_, response) => response.writeHead(403, page).end('<h1>Blocked</h1>'));
  expect((await helve(['-p', 'go'])).stderr).toContain(
    'A web page came in place of an answer of OpenAI, so a proxy or a login page of the network is in between (403: Blocked). Check the network or the proxy.',
  );
  server.expireAll();
  server.answers.delete('/v1/responses');
  server.answers.set('/api/accounts/oauth/token', (_, response) => response.writeHead(200, page).end('<h1>Hi</h1>'));
  expect((await helve(['-p', 'go'])).stderr).toMatch(
    /The token endpoint of OpenAI at 127\.0\.0\.1:\d+ answered with a web page instead of JSON, so a proxy or a login page of the network is in between \(HTTP 200\)\. Check the network or the proxy, then try again\./,
  );
});

/** What goes wrong, and what the user reads. Nothing is saved. */
const refusals: ReadonlyArray<[title: string, spoil: (server: ProviderServer) => void, says: string | RegExp]> = [
  [
    'a person who said no',
    (server) => answerAuthorize(server, { error: 'access_denied', error_description: 'The user said no' }),
    'ChatGPT did not sign you in (access_denied: The user said no). Nothing was saved. To try again: helve login openai.',
  ],
  [
    'an answer without a client',
    (server) => answerAuthorize(server, { code: 'x' }),
    'The answer of ChatGPT names no client, so Helve was not registered. Nothing was saved. Run helve login openai again.',
  ],
  [
    'a code that was used before',
    (server) => answerAuthorize(server, { code: 'used', client_id: 'oaiapp_x' }),
    'OpenAI did not accept the answer of the browser (HTTP 400, invalid_grant: The code is not valid.). Nothing was saved. A code is good once and for a short time: run helve login openai again.',
  ],
  [
    'a proxy that answers with a page',
    ({ answers }) =>
      answers.set('/api/accounts/oauth/token', (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the hotel</html>'),
      ),
    /answered with a web page instead of JSON, so a proxy or a login page of the network is in between \(HTTP 200\)\. Check the network or the proxy, then try again\./,
  ],
  [
    'a token endpoint that fails',
    ({ answers }) => answers.set('/api/accounts/oauth/token', (_, response) => response.writeHead(502).end()),
    /The token endpoint of OpenAI at 127\.0\.0\.1:\d+ can't be reached \(HTTP 502\)\. Nothing was saved\. Check the network, then run helve login openai again\./,
  ],
  [
    'a forged ID token',
    (server) => Object.assign(server, { forges: true }),
    "The ID token of OpenAI can't be trusted: its signature is not that of the issuer. Nothing was saved. Check this machine's clock, then run helve login openai again.",
  ],
  [
    'an ID token of another sign-in',
    ({ claims }) => Object.assign(claims, { nonce: 'other' }),
    "can't be trusted: it belongs to another sign-in.",
  ],
  [
    'keys at another host',
    ({ answers, origin }) =>
      answers.set('/.well-known/openid-configuration', (_, response) =>
        json(response, 200, { issuer: origin, jwks_uri: 'https://attacker.example.com/jwks' }),
      ),
    "The list of keys of OpenAI is at attacker.example.com, which is not the provider's host. Nothing was sent there.",
  ],
];

function answerAuthorize({ answers }: ProviderServer, fields: Record<string, string>): void {
  answers.set('/api/accounts/authorize', ({ form }, response) =>
    redirect(response, form.get('redirect_uri') ?? '', { ...fields, state: form.get('state') ?? '' }),
  );
}

test.each(refusals)('a sign-in to ChatGPT fails with a sentence: %s', async (_, spoil, says) => {
  const { helve, server, home } = await desk();
  spoil(server);
  const { code, stderr } = await helve(['login', 'openai']);
  expect(code).toBe(1);
  if (typeof says === 'string') expect(stderr).toContain(says);
  else expect(stderr).toMatch(says);
  for (const secret of [...server.issued, 'used']) expect(stderr).not.toContain(`${secret} `);
  expect((await readdir(join(home, '.helve/sign-ins'))).filter((name) => name.startsWith('openai.json'))).toEqual([]);
});

test('a person who does not allow the use of the plan is told, and asked for consent the next time', async () => {
  const { helve, server } = await desk();
  server.person.allowsPlan = false;
  const refused = await helve(['login', 'openai']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toBe(
    'helve: You signed in to ChatGPT, but did not allow Helve to use your plan. Run helve login openai again and allow it, or set OPENAI_API_KEY.\n',
  );
  server.person.allowsPlan = true;
  expect((await helve(['login', 'openai'])).code).toBe(0);
  expect(server.at('/api/accounts/authorize').map(({ form }) => form.get('prompt'))).toEqual([null, 'consent']);
});

test('another account than the registered one is refused, and --new registers it', async () => {
  const { helve, server, stored } = await desk();
  await helve(['login', 'openai']);
  const before = (await stored()).text;
  server.person = { subject: 'user-2', email: 'bob@example.com', allowsPlan: true };
  const { code, stderr } = await helve(['login', 'openai']);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'You signed in as bob@example.com, but this machine is registered for ada@example.com. Nothing was changed. To use the other account: helve login openai --new.',
  );
  expect((await stored()).text).toBe(before);
  expect((await helve(['login', 'openai', '--new'])).stdout).toContain('Signed in to ChatGPT as bob@example.com');
  const revoked = JSON.parse(before).tokens.refresh;
  expect(server.at('/revoke').map(({ form }) => form.get('token'))).toEqual([revoked]);
});

test('an answer with a wrong state is refused, and the sign-in goes on', async () => {
  const { helve, server } = await desk();
  let status: number | undefined;
  const authorize = `/api/accounts/authorize`;
  server.answers.set(authorize, async ({ form }, response) => {
    const forged = new URLSearchParams({ code: 'x', client_id: 'oaiapp_evil', state: 'guessed' });
    status = (await fetch(`${form.get('redirect_uri')}?${forged}`)).status;
    server.answers.delete(authorize);
    response.writeHead(302, { location: `${server.origin}${authorize}?${form}` }).end();
  });
  expect((await helve(['login', 'openai'])).code).toBe(0);
  expect(status).toBe(400);
});

test('without a browser, the address is pasted; a wrong one is refused with a sentence', async () => {
  const { env, home } = await desk();
  const child = spawn(process.execPath, [resolve('bin/helve.cjs'), 'login', 'openai', '--no-browser'], {
    cwd: home,
    env: { PATH: process.env['PATH'], IS_SANDBOX: '1', ...env },
  });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const [address = ''] = await out.until(/http:\S+authorize\?\S+/);
  await out.until(/paste the address/);
  const page = await fetch(address, { redirect: 'manual' });
  const end = page.headers.get('location') ?? '';
  child.stdin.write('abc\n');
  await err.until(/not an address\. Paste the whole address of the page\. Helve still waits for the right one\./);
  child.stdin.write(`${end.replace(/state=[^&]+/, 'state=other')}\n`);
  await err.until(/belongs to another sign-in: its state is not the one that Helve sent\. Helve still waits/);
  child.stdin.write(`${end}\n`);
  expect((await once(child, 'close'))[0]).toBe(0);
  expect(out.text()).toContain('Signed in to ChatGPT as ada@example.com');
});

test('if its port is in use, another one is taken, with what to do if that is refused', async () => {
  const holder = createServer().listen(1455, '127.0.0.1');
  await Promise.race([once(holder, 'listening'), once(holder, 'error')]); // another program may have it already
  const { helve } = await desk();
  const { code, stderr } = await helve(['login', 'openai']);
  holder.close();
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^helve: Another program uses port 1455, so the browser will return to port \d+\. If OpenAI does not accept that, end the other program, which may be Codex or another sign-in, and try again\.\n$/,
  );
});

test('a key in the environment comes before the sign-in, and commands say so', async () => {
  const { helve } = await desk();
  const env = { OPENAI_API_KEY: 'sk-env' };
  expect((await helve(['login', 'openai'], { env })).stdout).toContain(
    'OPENAI_API_KEY is set and comes first, so the sign-in is used only without it.',
  );
  expect((await helve(['models'], { env })).stdout).toContain('key from OPENAI_API_KEY, before the sign-in');
  expect((await helve(['doctor'], { env })).stdout).toContain(
    'key from OPENAI_API_KEY, which comes before the sign-in',
  );
});

test('a stored key comes after the sign-in', async () => {
  const { helve, home } = await desk();
  await helve(['login', 'openai']);
  const keys = { keys: { OPENAI_API_KEY: 'sk-stored' } };
  await writeFile(join(home, '.helve/keys.json'), JSON.stringify(keys), { mode: 0o600 });
  expect((await helve(['models'])).stdout).toMatch(/openai +OpenAI +signed in as ada@example\.com/);
  expect(await helve(['-p', 'go'])).toMatchObject({ stdout: 'Hello from the plan.\n' });
});

test('helve models --update lists the models of the plan again', async () => {
  const { helve, server } = await desk();
  await helve(['login', 'openai']);
  const changed = { models: [{ slug: 'plan-new', display_name: 'New', visibility: 'list' }] };
  server.answers.set('/v1/models', (_, response) => json(response, 200, changed));
  expect((await helve(['models', '--update'])).stdout).toMatch(/openai\/plan-new +New/);
  server.revokeAll();
  server.expireAll();
  server.answers.set('/v1/models', (_, response) => json(response, 401, { error: { message: 'No.' } }));
  const { code, stderr } = await helve(['models', '--update']);
  expect(code).toBe(1);
  expect(stderr).toContain('OpenAI did not list the models of the plan (HTTP 401, No.).');
});

test('signs in to OpenRouter with a proof key, stores the key it gives, and removes it', async () => {
  const { helve, home, server } = await desk();
  const login = await helve(['login', 'openrouter']);
  expect(login.stdout).toContain('Signed in to OpenRouter: it gave a key, which is stored for you alone.');
  const { keys } = JSON.parse(await readFile(join(home, '.helve/keys.json'), 'utf8'));
  expect(keys).toEqual({ OPENROUTER_API_KEY: server.issued[0] });
  expect((await helve(['doctor'])).stdout).toMatch(/Model: openrouter\/.*key from keys\.json/);
  expect((await helve(['logout', 'openrouter'])).stdout).toContain(
    'Signed out of OpenRouter. The key was removed here',
  );
  expect(JSON.parse(await readFile(join(home, '.helve/keys.json'), 'utf8'))).toEqual({ keys: {} });
  server.answers.set('/auth', ({ form }, response) =>
    redirect(response, form.get('callback_url') ?? '', { code: 'x' }),
  );
  expect((await helve(['login', 'openrouter'])).stderr).toContain(
    'OpenRouter did not accept the answer of the browser (HTTP 403, Invalid code). Nothing was saved. A code is good once and for a short time: run helve login openrouter again.',
  );
});

test('signs in to Copilot only with an app that the user names, and answers with it', async () => {
  const { helve, server, home } = await desk(() => ({ text: 'Hello from Copilot.' }));
  const without = await helve(['login', 'copilot']);
  expect(without.code).toBe(1);
  expect(without.stderr).toContain('To use Copilot, set HELVE_COPILOT_CLIENT_ID to the client ID of an OAuth app');
  for (const name of ['copilot', 'copilot/copilot-large']) {
    expect((await helve(['-p', 'go', '--model', name])).stderr).toContain(
      'You are not signed in to GitHub Copilot: run helve login copilot.',
    );
  }
  const login = await helve(['login', 'copilot'], { env: { HELVE_COPILOT_CLIENT_ID: 'my-app' } });
  expect(login.stdout).toMatch(/enter this code:\n\nABCD-1234\n/);
  expect(login.stdout).toContain('Signed in to GitHub Copilot, with 1 model.');
  server.expireAll();
  const run = await helve(['-p', 'go', '--model', 'copilot']);
  expect(run).toMatchObject({ code: 0, stdout: 'Hello from Copilot.\n', stderr: '' });
  expect(server.at('/copilot_internal/v2/token')).toHaveLength(2);
  expect(server.at('/chat/completions')[0]?.headers['editor-version']).toBe('Helve/1');
  expect((await helve(['logout', 'copilot'])).stdout).toContain('Its tokens were removed here. You can take back');
  expect(await readdir(join(home, '.helve/sign-ins'))).not.toContain('copilot.json');
});

test.each([
  [['login', 'anthropic'], "Anthropic's terms do not permit other programs to use a Claude plan"],
  [['login', 'opnai'], 'There is no sign-in to "opnai". Did you mean openai?'],
  [['login', 'groq'], 'There is no sign-in to "groq". There are openai, openrouter, copilot.'],
  [['login'], 'Use helve login openai, openrouter or copilot.'],
  [['logout'], 'Use helve logout openai, openrouter or copilot.'],
])('helve %j says what there is', async (words, sentence) => {
  const { code, stderr } = await runHelve(words);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});

test('a sign-in server is accepted only on this machine', async () => {
  const env = { HELVE_SIGN_IN_SERVER: 'https://attacker.example.com' };
  const { code, stderr } = await runHelve(['login', 'openai'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('HELVE_SIGN_IN_SERVER is for tests, and takes only an address of this machine');
});

test('a stored sign-in that another user may write is not used', async () => {
  const { helve, home } = await desk();
  await mkdir(join(home, '.helve/sign-ins'), { recursive: true });
  await writeFile(join(home, '.helve/sign-ins/openai.json'), '{}', { mode: 0o666 });
  const { stderr } = await helve(['-p', 'go', '--model', 'openai/plan-large']);
  expect(stderr).toMatch(
    /openai\.json can't be relied on: .*\. It is replaced by the next sign-in\. Run helve login openai\./,
  );
});

test('a stored sign-in that others may read is kept from them once it is read', async () => {
  const { helve, home, stored } = await desk();
  await helve(['login', 'openai']);
  await chmod(join(home, '.helve/sign-ins/openai.json'), 0o644);
  expect((await helve(['-p', 'go'])).stdout).toBe('Hello from the plan.\n');
  expect((await stored()).mode).toBe('600');
});

test('a sign-out removes a sign-in that can not be relied on, and says that it was not revoked', async () => {
  const { helve, home, server } = await desk();
  await helve(['login', 'openai']);
  const path = join(home, '.helve/sign-ins/openai.json');
  await chmod(path, 0o666);
  expect((await helve(['logout', 'openai'])).stdout).toBe(
    'The stored sign-in to ChatGPT could not be relied on, and was removed without being read. If it had tokens, they were not revoked: you can disconnect Helve in the settings of ChatGPT.\n',
  );
  expect(server.at('/revoke')).toEqual([]);
  await mkdir(path);
  for (const words of ['login', 'logout']) {
    expect((await helve([words, 'openai'])).stderr).toContain('openai.json is a folder. Move it away, then');
  }
});

function collect(stream: NodeJS.ReadableStream) {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    text: () => text,
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(text);
        if (found) return found;
        await once(stream, 'data');
      }
    },
  };
}
