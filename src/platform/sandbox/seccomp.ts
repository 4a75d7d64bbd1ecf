/**
 * A seccomp filter for a sandboxed command, as a classic BPF program: it refuses system calls that bypass namespaces
 * and mounts, or that no build or test needs. Undefined for an architecture that is not in the table. System calls of
 * other ABIs (32-bit, x32) have other numbers, so all of them are refused.
 */
export function seccompFilter(architecture: string): Buffer | undefined {
  return filterFor(architecture, ({ clone, unshare, socket }) => [
    // In a new user namespace a process would have all capabilities over everything that it creates there.
    ...[clone, unshare].flatMap((number) =>
      whenEqual(number, [load(argument(0)), ...whenAnyBit(CLONE_NEWUSER, [give(EPERM)]), ALLOW]),
    ),
    // Network namespaces do not isolate every socket family: vsock reaches the host of a virtual machine.
    ...whenEqual(socket, [
      load(argument(0)),
      ...SOCKET_FAMILIES.flatMap((family) => whenEqual(family, [ALLOW])),
      give(EAFNOSUPPORT),
    ]),
  ]);
}

/**
 * The stricter filter for a read-only command: no sockets of any family, so that it can't reach services of the host,
 * even ones started later; no namespaces, no inspection of other processes, no devices, no System V IPC, no clock
 * changes. With `seesProcesses` it shares the host's PID namespace, so it may not send signals either.
 */
export function strictFilter(
  architecture: string,
  { seesProcesses = false }: { seesProcesses?: boolean } = {},
): Buffer | undefined {
  return filterFor(architecture, ({ clone, unshare, socket, socketpair, prlimit, fcntl, confined, signals }) => [
    ...[...confined, unshare, ...(seesProcesses ? signals : [])].flatMap((number) => whenEqual(number, [give(EPERM)])),
    ...whenEqual(clone, [load(argument(0)), ...whenAnyBit(CLONE_NAMESPACES, [give(EPERM)]), ALLOW]),
    ...whenEqual(socket, [give(EAFNOSUPPORT)]),
    // A pair of datagram sockets can be connected to a service of the host; a pair of stream sockets can't.
    ...whenEqual(socketpair, [load(argument(1)), ...whenAnyBit(NOT_A_STREAM, [give(EAFNOSUPPORT)]), ALLOW]),
    // These affect other processes (resource limits, signals through a descriptor) and are checked by user, not by
    // namespace.
    ...whenEqual(prlimit, [load(argument(0)), ...whenEqual(0, [ALLOW]), give(EPERM)]),
    ...whenEqual(fcntl, [
      load(argument(1)),
      ...[F_SETOWN, F_SETSIG, F_SETOWN_EX].flatMap((command) => whenEqual(command, [give(EPERM)])),
      ALLOW,
    ]),
  ]);
}

function filterFor(architecture: string, more: (table: Table) => Instruction[]): Buffer | undefined {
  const table = tables[architecture];
  if (!table) return undefined;
  const { audit, highest, refused, ioctl } = table;
  return assemble([
    load(ARCHITECTURE),
    ...unlessEqual(audit, [give(ENOSYS)]),
    load(NUMBER),
    ...whenAtLeast(highest, [give(ENOSYS)]),
    ...refused.flatMap((number) => whenEqual(number, [give(EPERM)])),
    // ENOSYS, as on an older kernel: callers fall back to calls whose arguments can be checked (clone) or to threads
    // (instead of io_uring).
    ...[CLONE3, ...IO_URING].flatMap((number) => whenEqual(number, [give(ENOSYS)])),
    // TIOCSTI and the like: injecting input into the terminal that started us.
    ...whenEqual(ioctl, [
      load(argument(1)),
      ...[TIOCSTI, TIOCLINUX].flatMap((command) => whenEqual(command, [give(EPERM)])),
      ALLOW,
    ]),
    ...more(table),
    ALLOW,
  ]);
}

interface Table {
  audit: number;
  /** System call numbers from here on belong to another ABI. */
  highest: number;
  refused: readonly number[];
  ioctl: number;
  unshare: number;
  clone: number;
  socket: number;
  /** Also refused for a read-only command. */
  confined: readonly number[];
  /** All system calls that signal another process or change its priority or CPU affinity. */
  signals: readonly number[];
  socketpair: number;
  prlimit: number;
  fcntl: number;
}

const newMountCalls = [428, 429, 430, 431, 432, 433, 442]; // open_tree to fspick, mount_setattr: the same on all

const tables: Readonly<Record<string, Table>> = {
  x64: {
    audit: 0xc000003e,
    highest: 0x40000000, // x32
    refused: [
      ...[248, 249, 250], // add_key, request_key, keyctl: keyrings have no namespace
      ...[321, 298, 323], // bpf, perf_event_open, userfaultfd
      ...[155, 165, 166, 308, ...newMountCalls], // pivot_root, mount, umount2, setns
      ...[175, 176, 313], // init_module, delete_module, finit_module
      ...[246, 320, 169], // kexec_load, kexec_file_load, reboot
      ...[163, 167, 168, 172, 173, 179, 304], // acct, swapon, swapoff, iopl, ioperm, quotactl, open_by_handle_at
    ],
    ioctl: 16,
    unshare: 272,
    clone: 56,
    socket: 41,
    confined: [
      ...[101, 310, 311, 312, 438, 440], // ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd, process_madvise
      ...[161, 133, 259, 303], // chroot, mknod, mknodat, name_to_handle_at
      ...[29, 30, 31, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241], // System V ipc, mq_open, mq_unlink
      ...[300, 301, 103], // fanotify_init, fanotify_mark, syslog
      ...[164, 227, 159, 305, 170, 171], // settimeofday, clock_settime, adjtimex, clock_adjtime, set…name
    ],
    signals: [...[62, 200, 234, 129, 297, 424], ...[141, 142, 144, 203, 251, 314]],
    socketpair: 53,
    prlimit: 302,
    fcntl: 72,
  },
  arm64: {
    audit: 0xc00000b7,
    highest: 0x40000000,
    refused: [
      ...[217, 218, 219], // add_key, request_key, keyctl
      ...[280, 241, 282], // bpf, perf_event_open, userfaultfd
      ...[41, 40, 39, 268, ...newMountCalls], // pivot_root, mount, umount2, setns
      ...[105, 106, 273], // init_module, delete_module, finit_module
      ...[104, 294, 142], // kexec_load, kexec_file_load, reboot
      ...[89, 224, 225, 60, 265], // acct, swapon, swapoff, quotactl, open_by_handle_at
    ],
    ioctl: 29,
    unshare: 97,
    clone: 220,
    socket: 198,
    confined: [
      ...[117, 270, 271, 272, 438, 440],
      ...[51, 33, 264],
      ...[194, 195, 196, 190, 191, 192, 193, 186, 187, 188, 189, 180, 181],
      ...[262, 263, 116],
      ...[170, 112, 171, 266, 161, 162],
    ],
    signals: [...[129, 130, 131, 138, 240, 424], ...[140, 118, 119, 122, 30, 274]],
    socketpair: 199,
    prlimit: 261,
    fcntl: 25,
  },
};

const CLONE3 = 435;
const IO_URING = [425, 426, 427];
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const CLONE_NEWUSER = 0x10000000;
const NOT_A_STREAM = 0xe; // SOCK_STREAM is 1
const [F_SETOWN, F_SETSIG, F_SETOWN_EX] = [8, 10, 15];
const CLONE_NAMESPACES = 0x7e020000; // mount, cgroup, uts, ipc, user, pid and network
const SOCKET_FAMILIES = [1, 2, 10, 16]; // unix, IPv4, IPv6, netlink (by which a program reads its own addresses)
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Offsets in struct seccomp_data. Both architectures are little-endian, so the low half comes first. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  value: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, ifTrue: 0, ifFalse: 0, value: offset });
const give = (errno: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, value: 0x00050000 + errno });
const ALLOW: Instruction = { code: 0x06, ifTrue: 0, ifFalse: 0, value: 0x7fff0000 };

const whenEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  { code: 0x15, ifTrue: 0, ifFalse: then.length, value },
  ...then,
];
const unlessEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  { code: 0x15, ifTrue: then.length, ifFalse: 0, value },
  ...then,
];
const whenAtLeast = (value: number, then: readonly Instruction[]): Instruction[] => [
  { code: 0x35, ifTrue: 0, ifFalse: then.length, value },
  ...then,
];
const whenAnyBit = (value: number, then: readonly Instruction[]): Instruction[] => [
  { code: 0x45, ifTrue: 0, ifFalse: then.length, value },
  ...then,
];

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
