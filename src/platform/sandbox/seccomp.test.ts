import { expect, test } from 'vitest';
import { seccompFilter, strictFilter } from './seccomp.js';

const ALLOW = 'allowed';
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const audits = { x64: 0xc000003e, arm64: 0xc00000b7 };

test.each([
  ['x64', 'read', 0, [], ALLOW],
  ['x64', 'ptrace, which ends at the walls of its own processes', 101, [], ALLOW],
  ['x64', 'keyctl', 250, [], EPERM],
  ['x64', 'bpf', 321, [], EPERM],
  ['x64', 'mount', 165, [], EPERM],
  ['x64', 'mount_setattr', 442, [], EPERM],
  ['x64', 'io_uring_setup', 425, [], ENOSYS],
  ['x64', 'clone3', 435, [], ENOSYS],
  ['x64', 'clone for a thread', 56, [0x3d0f00], ALLOW],
  ['x64', 'clone for a user namespace', 56, [0x10000011], EPERM],
  ['x64', 'unshare of a user namespace', 272, [0x10000000], EPERM],
  ['x64', 'unshare of files', 272, [0x400], ALLOW],
  ['x64', 'ioctl for the size of a window', 16, [0, 0x5413], ALLOW],
  ['x64', 'ioctl that types into a terminal', 16, [0, 0x5412], EPERM],
  ['x64', 'an IPv4 socket', 41, [2], ALLOW],
  ['x64', 'a unix socket', 41, [1], ALLOW],
  ['x64', 'a vsock socket', 41, [40], EAFNOSUPPORT],
  ['x64', 'a packet socket', 41, [17], EAFNOSUPPORT],
  ['x64', 'read by its x32 number', 0x40000000, [], ENOSYS],
  ['arm64', 'read', 63, [], ALLOW],
  ['arm64', 'keyctl', 219, [], EPERM],
  ['arm64', 'mount', 40, [], EPERM],
  ['arm64', 'clone for a user namespace', 220, [0x10000011], EPERM],
  ['arm64', 'a vsock socket', 198, [40], EAFNOSUPPORT],
  ['arm64', 'ioctl that types into a terminal', 29, [0, 0x5412], EPERM],
] as const)('on %s %s is answered as it should', (architecture, _name, number, args, expected) => {
  expect(run(filterOf(architecture), { number, architecture: audits[architecture], args })).toBe(expected);
});

test.each([
  ['x64', 'read', 0, [], ALLOW],
  ['x64', 'ptrace', 101, [], EPERM],
  ['x64', 'a unix socket', 41, [1], EAFNOSUPPORT],
  ['x64', 'an IPv4 socket', 41, [2], EAFNOSUPPORT],
  ['x64', 'a netlink socket', 41, [16], EAFNOSUPPORT],
  ['x64', 'clone for a thread', 56, [0x3d0f00], ALLOW],
  ['x64', 'clone for a network namespace', 56, [0x40000011], EPERM],
  ['x64', 'unshare of files', 272, [0x400], EPERM],
  ['x64', 'a pair of streams', 53, [1, 0x80001], ALLOW],
  ['x64', 'a pair of datagram sockets', 53, [1, 2], EAFNOSUPPORT],
  ['x64', 'its own limits', 302, [0], ALLOW],
  ['x64', 'the limits of another process', 302, [4242], EPERM],
  ['x64', 'F_GETFL', 72, [3, 3], ALLOW],
  ['x64', 'F_SETOWN', 72, [3, 8], EPERM],
  ['x64', 'F_SETSIG', 72, [3, 10], EPERM],
  ['x64', 'mknod', 133, [], EPERM],
  ['x64', 'kill, which ends at its own processes', 62, [], ALLOW],
  ['arm64', 'ptrace', 117, [], EPERM],
  ['arm64', 'a unix socket', 198, [1], EAFNOSUPPORT],
  ['arm64', 'clone for a mount namespace', 220, [0x20011], EPERM],
] as const)(
  'for a read-only command, on %s %s has the expected result',
  (architecture, _name, number, args, expected) => {
    const filter = strictFilter(architecture) ?? Buffer.alloc(0);
    expect(run(filter, { number, architecture: audits[architecture], args })).toBe(expected);
  },
);

test.each(['x64', 'arm64'] as const)(
  'a command that sees the processes of the host on %s can signal none',
  (architecture) => {
    const filter = strictFilter(architecture, { seesProcesses: true }) ?? Buffer.alloc(0);
    for (const number of { x64: [62, 200, 234, 129, 297, 424], arm64: [129, 130, 131, 138, 240, 424] }[architecture]) {
      expect(run(filter, { number, architecture: audits[architecture], args: [] })).toBe(EPERM);
    }
  },
);

test('system calls of another architecture are refused', () => {
  expect(run(filterOf('x64'), { number: 0, architecture: 0x40000003, args: [] })).toBe(ENOSYS);
});

test('there is no filter for an architecture with unknown system call numbers', () => {
  expect(seccompFilter('riscv64')).toBeUndefined();
});

function filterOf(architecture: string): Buffer {
  return seccompFilter(architecture) ?? Buffer.alloc(0);
}

/** What the kernel does with the program, for the instructions that occur in it. */
function run(program: Buffer, call: { number: number; architecture: number; args: readonly number[] }): unknown {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.architecture, 4);
  for (const [index, value] of call.args.entries()) data.writeUInt32LE(value, 16 + index * 8);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const [ifTrue, ifFalse, value] = [
      program.readUInt8(at + 2),
      program.readUInt8(at + 3),
      program.readUInt32LE(at + 4),
    ];
    const jump = (holds: boolean): number => (holds ? ifTrue : ifFalse) * 8;
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x15) at += jump(loaded === value);
    else if (code === 0x35) at += jump(loaded >= value);
    else if (code === 0x45) at += jump((loaded & value) !== 0);
    else if (code === 0x06) return value === 0x7fff0000 ? ALLOW : value - 0x00050000;
    else throw new Error(`instruction ${code} is not one of ours`);
  }
  throw new Error('the program ends without an answer');
}
