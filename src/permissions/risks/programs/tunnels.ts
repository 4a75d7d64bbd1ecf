import { type CommandLine, hasOption } from '../command-line.js';
import { always, naming, type RiskyProgram } from './form.js';

const opens = always('network', 'high', 'lets other machines reach this one');

const joined = ({ words }: CommandLine): string => words.join(' ');

export const tunnels: readonly RiskyProgram[] = [
  {
    names: 'nc ncat netcat nc.openbsd nc.traditional',
    forms: [
      {
        when: (line) => hasOption(line, /^--(exec|sh-exec|lua-exec)/, 'ec'),
        risk: always('network', 'high', 'gives another machine a program to control, such as a shell'),
      },
      { when: (line) => hasOption(line, /^--listen$/, 'l'), risk: opens },
    ],
  },
  {
    names: 'socat',
    forms: [
      {
        when: (line) =>
          /\b(exec|system|shell):/i.test(joined(line)) && /\b(tcp|udp|ssl|openssl|socks)/i.test(joined(line)),
        risk: always('network', 'high', 'gives another machine a program to control, such as a shell'),
      },
      { when: (line) => /-listen:/i.test(joined(line)), risk: opens },
      {
        when: (line) => /\b(tcp|udp|ssl|openssl|socks)/i.test(joined(line)),
        risk: naming(0, 'network', 'high', 'sends data'),
      },
    ],
  },
  {
    names: 'ngrok cloudflared localtunnel lt bore frpc chisel tailscale zerotier-cli wg-quick wg openvpn tor sshuttle',
    forms: [{ on: /^(version|status|help|list|show)\b/, risk: () => undefined }, { risk: opens }],
  },
  {
    names: 'ssh autossh',
    forms: [
      {
        when: ({ options }) => options.some((option) => /^-[a-zA-Z]*[RLD]/.test(option)),
        risk: always('network', 'high', 'opens a tunnel between this machine and another'),
      },
    ],
  },
  {
    names: 'lftp ftp ncftp ncftpput tftp smbclient',
    forms: [
      {
        when: (line) => /\b(put|mput|mirror\s+(-\S+\s+)*(-\w*R|--reverse)|rm|mrm|delete|mdelete)\b/.test(joined(line)),
        risk: naming(0, 'network', 'high', 'sends files to another machine, or deletes them there'),
      },
      { risk: naming(0, 'network', 'notable', 'can transfer files') },
    ],
  },
  {
    names: 'mail mailx mutt sendmail swaks msmtp ssmtp s-nail',
    forms: [{ risk: naming(0, 'network', 'high', 'sends mail') }],
  },
];
