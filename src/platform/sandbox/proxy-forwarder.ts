import { existsSync } from 'node:fs';
import { closeOthers } from '../shell/close-others.js';
import type { PlainCommand, SandboxPolicy } from './sandbox.js';

/** Free, because the sandbox has its own network namespace. */
const PORT_INSIDE = 47_128;

/** The environment variables that make programs use the proxy. */
export function proxyVariables(network: SandboxPolicy['network']): Array<[name: string, value: string]> {
  if (typeof network !== 'object') return [];
  const port = typeof network.address === 'number' ? network.address : PORT_INSIDE;
  const address = `http://127.0.0.1:${port}`;
  const both = (name: string, value: string): Array<[string, string]> => [
    [name, value],
    [name.toLowerCase(), value],
  ];
  return [
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => both(name, address)),
    ...both('NO_PROXY', network.direct.join(',')),
  ];
}

/**
 * Wraps the command with a small forwarder that listens on the port and connects to the proxy's socket file: a
 * network namespace has no other way out, and hardly any program supports a proxy behind a socket file. The command
 * starts once the port is open; it does not inherit the forwarder's descriptors and does not wait for it.
 */
export function throughProxy(
  { program, args, freeDescriptor }: PlainCommand,
  network: SandboxPolicy['network'],
  { perl = '/usr/bin/perl' } = {},
): string[] {
  const door = typeof network === 'object' ? network.address : undefined;
  if (typeof door !== 'string') return [program, ...args];
  const closed = Array.from({ length: Math.max(0, freeDescriptor - 3) }, (_, index) => `${index + 3}<&-`).join(' ');
  const starter = `${closeOthers(freeDescriptor - 1)}; exec 9< <(NODE_OPTIONS= PERL5OPT= exec "$1" -e "$2" "$3" "$4" </dev/null 2>/dev/null ${closed}); IFS= read -r -u 9 _ || exit 1; exec 9<&-; shift 4; exec "$@"`;
  // Node is always available but takes ten times as long to start, which would delay every command.
  const forwarder = existsSync(perl) ? [perl, PERL_FORWARDER] : [process.execPath, NODE_FORWARDER];
  return [
    ...['bash', '--noprofile', '--norc', '-c', starter, 'bash'],
    ...[...forwarder, String(PORT_INSIDE), door, program, ...args],
  ];
}

// Both: SIGTERM for the command's processes must not end the forwarder, since their cleanup may need the network; and
// after one side has closed its end, the other may still send.

const PERL_FORWARDER = `
use Socket;
$SIG{$_} = 'IGNORE' for qw(TERM INT HUP PIPE CHLD);
my ($port, $door) = @ARGV;
socket(my $server, PF_INET, SOCK_STREAM, 0) or die;
setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1);
bind($server, sockaddr_in($port, INADDR_LOOPBACK)) or die;
listen($server, 128) or die;
syswrite(STDOUT, "open\n");
close(STDOUT);
while (1) {
  accept(my $client, $server) or next;
  if (fork() != 0) { close($client); next; }
  socket(my $proxy, PF_UNIX, SOCK_STREAM, 0) or exit;
  connect($proxy, sockaddr_un($door)) or exit;
  my ($from, $to) = fork() == 0 ? ($client, $proxy) : ($proxy, $client);
  while (sysread($from, my $bytes, 65536)) {
    for (my $sent = 0; $sent < length($bytes); ) {
      my $count = syswrite($to, $bytes, length($bytes) - $sent, $sent);
      exit if !$count;
      $sent += $count;
    }
  }
  shutdown($to, 1);
  exit;
}
`;

const NODE_FORWARDER = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
const net = require('node:net');
const [port, door] = process.argv.slice(1);
net
  .createServer({ allowHalfOpen: true }, (client) => {
    const proxy = net.connect({ path: door, allowHalfOpen: true });
    const end = () => {
      client.destroy();
      proxy.destroy();
    };
    client.on('error', end).pipe(proxy);
    proxy.on('error', end).pipe(client);
  })
  .listen(Number(port), '127.0.0.1', () => process.stdout.write('open\\n'));
`;
