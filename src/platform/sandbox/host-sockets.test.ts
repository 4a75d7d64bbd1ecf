import { expect, test } from 'vitest';
import { hostSockets } from './host-sockets.js';

test('lists the files of sockets, with spaces and once each, and omits sockets without a file', () => {
  const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 20000 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20001 /run/docker.sock
0000000000000000: 00000002 00000000 00010000 0001 01   647 /home/a b/agent sock
0000000000000000: 00000003 00000000 00000000 0001 03   648
0000000000000000: 00000002 00000000 00010000 0001 01 20002 @abstract
`;
  expect(
    hostSockets(
      () => table,
      () => ['/a'],
    ),
  ).toEqual(['/run/docker.sock', '/home/a b/agent sock']);
});

test('resolves a relative socket path against the working directories of processes', () => {
  const table = '0000000000000000: 00000002 00000000 00010000 0001 01 20000 run/agent sock\n';
  const directories = ['/home/a', '/', '/home/a'];
  expect(
    hostSockets(
      () => table,
      () => directories,
    ),
  ).toEqual(['/home/a/run/agent sock', '/run/agent sock']);
});
