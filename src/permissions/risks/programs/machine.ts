import { type CommandLine, hasOption, optionValues } from '../command-line.js';
import { fewNames, shortened } from '../short-text.js';
import { always, type CommandRisk, naming, type RiskyProgram } from './form.js';

/** Modes that let everyone write: `777`, `a+w`. */
export const WORLD_WRITABLE = /(^| )0?[0-7]?[0-7]{2}[2367]( |$)|(^| )[ug]{0,4}[ao][augo]{0,8}\+[rxst]{0,8}w/;

const isRecursive = (line: CommandLine): boolean => hasOption(line, /^--recursive$/, 'R');

const serviceActs: ReadonlyArray<[words: RegExp, act: string]> = [
  [/^(stop|kill)$/, 'stops'],
  [/^(restart|reload)$/, 'restarts'],
  [/^delete$/, 'stops and removes'],
  [/^start$/, 'starts'],
];

/** `systemctl stop nginx` and `service nginx stop`. */
function serviceWords({ operands }: CommandLine): string {
  const act = serviceActs.find(([words]) => operands.some((word) => words.test(word)));
  const names = operands.filter((word) => !act?.[0].test(word));
  return `${act?.[1] ?? 'changes'} a service of this machine: ${shortened(names.join(' ')) || '…'}`;
}

/** Signals that a program can't handle, so that it saves nothing. */
const isForced = ({ options }: CommandLine): boolean => options.some((option) => /^-(s?9|(s|SIG)?KILL)$/i.test(option));

/** The value of `of=`. */
const ddTarget = ({ operands }: CommandLine): string =>
  shortened(operands.find((word) => word.startsWith('of='))?.slice(3) ?? '');

/** The folders behind the new rights or owner. */
function treeOf(operands: readonly string[]): string {
  const folders = operands.slice(1);
  return `${shortened(folders.join(' '))} and everything in ${folders.length > 1 ? 'them' : 'it'}`;
}

const ofTree =
  (verb: string) =>
  ({ operands }: CommandLine): CommandRisk => ({
    kind: 'privileges',
    level: 'notable',
    text: `${verb} ${treeOf(operands)}`,
  });

export const machine: readonly RiskyProgram[] = [
  {
    names: 'sudo doas pkexec runas',
    forms: [{ risk: always('privileges', 'high', 'runs with the rights of the administrator') }],
  },
  { names: 'su runuser', forms: [{ risk: always('privileges', 'high', 'runs with the rights of another user') }] },
  {
    names: 'chmod',
    forms: [
      {
        on: WORLD_WRITABLE,
        when: isRecursive,
        risk: ({ operands }) => ({
          kind: 'privileges',
          level: 'notable',
          text: `makes ${treeOf(operands)} writable by everyone`,
        }),
      },
      {
        on: WORLD_WRITABLE,
        risk: naming(1, 'privileges', 'notable', 'lets every user of this machine write'),
      },
      {
        on: /(^| )[2467][0-7]{3}( |$)|\+\w*s/,
        risk: naming(1, 'privileges', 'high', 'lets a program run with the rights of its owner'),
      },
      {
        when: isRecursive,
        risk: ofTree('changes the rights of'),
      },
    ],
  },
  {
    names: 'chown chgrp',
    forms: [
      {
        when: isRecursive,
        risk: ofTree('changes the owner of'),
      },
      { risk: naming(1, 'privileges', 'notable', 'changes the owner') },
    ],
  },
  {
    names:
      'gpasswd setcap setfacl chattr visudo useradd userdel usermod groupadd groupdel adduser deluser passwd chpasswd chsh',
    forms: [{ risk: naming(0, 'privileges', 'high', 'changes users or rights on this machine') }],
  },
  {
    names: 'iptables nft ufw firewall-cmd ip6tables iptables-restore pfctl',
    forms: [{ risk: always('privileges', 'high', 'changes the firewall of this machine') }],
  },
  {
    names: 'systemctl service launchctl rc-service supervisorctl pm2',
    forms: [
      {
        on: /\b(enable|disable|mask|link|edit|load|unload|bootstrap|bootout|daemon-reload|startup|save)\b/,
        risk: naming(0, 'startup', 'high', 'changes what starts with this machine'),
      },
      {
        on: /\b(poweroff|reboot|halt|suspend|hibernate)\b/,
        risk: always('privileges', 'high', 'shuts this machine down'),
      },
      {
        on: /\b(stop|kill|delete|restart|reload|start)\b/,
        risk: (line) => ({ kind: 'privileges', level: 'high', text: serviceWords(line) }),
      },
    ],
  },
  {
    names: 'crontab',
    forms: [
      {
        when: (line) => hasOption(line, /^$/, 'r'),
        risk: always('startup', 'high', 'deletes all commands that run on a schedule (crontab)'),
      },
      {
        when: (line) => !hasOption(line, /^$/, 'l'),
        risk: always('startup', 'high', 'replaces the commands that run on a schedule (crontab)'),
      },
    ],
  },
  { names: 'at batch schtasks', forms: [{ risk: always('startup', 'high', 'runs a command later') }] },
  {
    names: 'shutdown reboot halt poweroff init telinit kexec',
    forms: [{ risk: always('privileges', 'high', 'shuts this machine down') }],
  },
  {
    names: 'kill pkill killall xkill skill taskkill',
    forms: [
      {
        when: ({ name, words }) => name === 'kill' && words.slice(1).includes('-1'),
        risk: always('privileges', 'high', 'stops every process that you may stop'),
      },
      {
        when: (line) => !hasOption(line, /^$/, 'lL'),
        risk: (line) => {
          const names = shortened(line.operands.join(' '));
          const which =
            /^(p|x|s)?kill$/.test(line.name) && /^[\d\s…%-]+$/.test(names) ? 'the process' : 'the processes named';
          const how = isForced(line) ? ', without letting them save' : '';
          const text = names === '' ? 'stops processes' : `stops ${which} ${names}`;
          return {
            kind: 'privileges',
            level: 'notable',
            text: `${text}${how.replace('them', which === 'the process' ? 'it' : 'them')}`,
          };
        },
      },
    ],
  },
  {
    names: 'dd',
    forms: [
      {
        on: /(^| )of=\/dev\/(?!null|std|tty|fd\/)/,
        risk: (line) => ({
          kind: 'privileges',
          level: 'high',
          reach: 'disks',
          text: `overwrites the disk ${ddTarget(line)}`,
        }),
      },
    ],
  },
  {
    names: 'mkfs mke2fs mkswap wipefs blkdiscard',
    forms: [
      {
        risk: ({ operands }) => ({
          kind: 'privileges',
          level: 'high',
          reach: 'disks',
          text: `erases everything on ${fewNames(operands.filter((word) => word.startsWith('/'))) || 'a disk'}`,
        }),
      },
    ],
  },
  {
    names:
      'fdisk sfdisk gdisk sgdisk cgdisk parted cryptsetup zpool lvremove vgremove pvremove mdadm dmsetup diskutil hdparm badblocks fsck e2fsck tune2fs resize2fs xfs_growfs grub-install efibootmgr flashrom fwupdmgr nvme',
    forms: [
      {
        risk: (line) => ({
          ...naming(0, 'privileges', 'high', 'changes disks, and can erase them')(line),
          reach: 'disks',
        }),
      },
    ],
  },
  {
    names: 'mount umount losetup swapoff',
    forms: [{ risk: naming(0, 'privileges', 'high', 'changes which disks are mounted') }],
  },
  {
    names: 'shred srm wipe',
    forms: [{ risk: naming(0, 'deletes', 'high', 'overwrites files, so that nothing can restore them') }],
  },
  {
    names: 'modprobe insmod rmmod',
    forms: [{ risk: naming(0, 'privileges', 'high', 'changes what the kernel runs') }],
  },
  {
    names: 'ip ifconfig route nmcli networksetup hostnamectl timedatectl brctl',
    forms: [
      {
        on: /(^| )(set|add|del|delete|flush|down|up|change|replace|modify|set-hostname|set-time|set-timezone|set-ntp|hw)\b/,
        risk: naming(0, 'privileges', 'high', 'changes the network or the settings of this machine'),
      },
    ],
  },
  { names: 'systemd-run', forms: [{ risk: naming(0, 'startup', 'high', 'runs a command as a service') }] },
  {
    names: 'defaults',
    forms: [{ on: /^(write|delete)\b/, risk: naming(1, 'startup', 'notable', 'changes settings of this machine') }],
  },
  {
    names: 'sysctl',
    forms: [
      {
        when: (line) => hasOption(line, /^--write$/, 'wp') || line.operands.some((word) => word.includes('=')),
        risk: naming(0, 'privileges', 'high', 'changes settings of the kernel'),
      },
    ],
  },
];

/** The proxy, if one is given, sees the connection as well. */
function connectedHost(line: CommandLine): string {
  const named = optionValues(line, /^--?(connect|host|proxy|url|unix)$/);
  return named.length > 0 ? named.join(', ') : (line.operands[1] ?? 'another machine');
}

export const keys: readonly RiskyProgram[] = [
  {
    names: 'security',
    forms: [
      {
        on: /(password|certificate|keychain|identity)/,
        risk: always('secrets', 'high', 'reads or changes the keychain'),
      },
    ],
  },
  {
    names: 'secret-tool pass gopass op bw vault keyring age-keygen ssh-add ssh-agent doppler chamber',
    forms: [{ risk: naming(0, 'secrets', 'high', 'reads or changes stored secrets') }],
  },
  {
    names: 'gpg gpg2',
    forms: [
      {
        when: (line) =>
          hasOption(line, /^--(export-secret|delete-secret|import|gen-key|full-gen|edit-key|decrypt)/, 'd'),
        risk: always('secrets', 'high', 'uses or changes your GPG keys'),
      },
    ],
  },
  {
    names: 'ssh-keygen',
    forms: [
      {
        when: (line) => !hasOption(line, /^$/, 'lFB'),
        risk: always('secrets', 'notable', 'creates or changes SSH keys'),
      },
    ],
  },
  {
    names: 'ssh-copy-id',
    forms: [{ risk: naming(0, 'remote_change', 'high', 'lets a key log in on another machine') }],
  },
  {
    names: 'openssl',
    forms: [
      {
        on: /^(s_client|s_time|ocsp)\b/,
        risk: (line) => ({
          kind: 'network',
          level: 'high',
          text: `opens a connection to ${connectedHost(line)}, which can send data`,
        }),
      },
      { on: /^s_server\b/, risk: always('network', 'high', 'lets other machines reach this one') },
      {
        on: /^(genrsa|genpkey|rsa|pkcs12|pkey|ec)\b/,
        risk: always('secrets', 'notable', 'creates or reads private keys'),
      },
    ],
  },
];
