import { type CommandLine, hasOption, optionValues } from '../command-line.js';
import { shortened } from '../short-text.js';
import { always, naming, type RiskyProgram } from './form.js';

/** Modes that let everyone write: `777`, `a+w`. */
export const WORLD_WRITABLE = /(^| )0?[0-7]?[0-7]{2}[2367]( |$)|(^| )[ug]{0,4}[ao][augo]{0,8}\+[rxst]{0,8}w/;

const isRecursive = (line: CommandLine): boolean => hasOption(line, /^--recursive$/, 'R');

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
          text: `makes every file below ${shortened(operands.slice(1).join(' '))} writable by everyone`,
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
        risk: naming(1, 'privileges', 'notable', 'changes the rights of everything below'),
      },
    ],
  },
  {
    names: 'chown chgrp',
    forms: [
      {
        when: isRecursive,
        risk: naming(1, 'privileges', 'notable', 'changes the owner of everything below'),
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
        on: /\b(start|stop|restart|reload|kill|delete|poweroff|reboot|halt|suspend)\b/,
        risk: naming(0, 'privileges', 'high', 'starts or stops services'),
      },
    ],
  },
  {
    names: 'crontab',
    forms: [
      {
        when: (line) => !hasOption(line, /^$/, 'l'),
        risk: always('startup', 'high', 'changes the commands that run on a schedule'),
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
        risk: always('privileges', 'high', 'ends all processes'),
      },
      { when: (line) => !hasOption(line, /^$/, 'lL'), risk: naming(0, 'privileges', 'notable', 'ends processes') },
    ],
  },
  { names: 'dd', forms: [{ on: /(^| )of=\/dev\//, risk: naming(0, 'privileges', 'high', 'overwrites a disk') }] },
  {
    names:
      'mkfs mke2fs mkswap fdisk sfdisk gdisk sgdisk cgdisk parted wipefs cryptsetup zpool lvremove vgremove pvremove mdadm dmsetup diskutil hdparm blkdiscard badblocks fsck e2fsck tune2fs resize2fs xfs_growfs grub-install efibootmgr flashrom fwupdmgr nvme',
    forms: [{ risk: naming(0, 'privileges', 'high', 'changes disks, and can erase them') }],
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
