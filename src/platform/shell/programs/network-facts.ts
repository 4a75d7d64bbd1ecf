// Programs that report the network configuration. They query the kernel through sockets, which confinement blocks, so
// they run unconfined, and only in forms that can do nothing else.
import { plain } from './options.js';
import { notHarmless, type Program } from './program.js';

const ipWords =
  /^(-(4|6|0|br|brief|c|color|d|details|s|stats|statistics|j|json|p|pretty|o|oneline|h|human|N|Numeric) )*(a|addr|address|l|link|r|route|n|neigh|neighbor|ru|rule|maddr|maddress)( (show|list|ls|lst)( [\w.:/-]+)*)?$/;
const ipRoute = /^(-(4|6|j|p) )*(r|route) get [\w.:/]+( (vrf|dev|oif|iif|from|mark) [\w.:/]+)*$/;
const tcWords = /^(-(s|d|r|p|j|g|n) )*(qdisc|class|filter|chain|action)( (show|list|ls|lst)( [\w.:/-]+)*)?$/;

/** A program that is harmless if all its words together have one of these forms. */
function reporter(name: string, forms: readonly RegExp[], examples: Program['examples']): Program {
  return {
    names: [name],
    judge({ args }) {
      const words = args.flatMap(({ value }) => value ?? []);
      const isReport = words.length === args.length && forms.some((form) => form.test(words.join(' ')));
      const isOneWordEach = words.every((word) => /^\S+$/.test(word));
      if (isReport && isOneWordEach) return { observes: 'machine' };
      return notHarmless('not all of its words are known to only report');
    },
    examples,
  };
}

export const networkFacts: readonly Program[] = [
  reporter('ip', [ipWords, ipRoute], {
    harmless: [
      'ip addr',
      'ip -br a',
      'ip route show table main',
      'ip route get 1.1.1.1 vrf red',
      'ip -s link show dev lo',
    ],
    not: [
      'ip link set lo down',
      'ip netns exec a ls',
      'ip -b file',
      'ip -batch file addr',
      'ip addr flush dev lo',
      'ip route save',
      'ip vrf exec red ls',
      'ip -r route get a',
      'ip addr "show x"',
      'ip $x',
    ],
  }),
  reporter('tc', [tcWords], {
    harmless: ['tc qdisc show dev eth0', 'tc -s class ls dev eth0'],
    not: ['tc qdisc add dev lo root x', 'tc -b file', 'tc qdisc del dev lo root', 'tc exec bpf import a'],
  }),
  plain({
    names: 'ss',
    // Not -r, which resolves names over the network, -K, which kills connections, -E, which never ends, and -F and
    // -D, which name files.
    options: `-hVnaloempisbtudwxSZzHO460 -f= -A= --help --version --numeric --all --listening --options --extended --memory --processes
      --info --summary --bpf --tcp --udp --dccp --raw --unix --sctp --context --contexts --no-header --oneline
      --ipv4 --ipv6 --packet --family= --query= --socket=`,
    operands: 'none', // a filter may name hosts, which it would resolve over the network
    observes: 'machine',
    examples: {
      harmless: ['ss -tlnp', 'ss -s', 'ss -A tcp,udp -n'],
      not: [
        'ss -K dst 1.1.1.1',
        'ss -tK',
        'ss -D file',
        'ss -F file',
        'ss --kill',
        'ss -tr',
        'ss -E',
        'ss -N net',
        'ss $x',
      ],
    },
  }),
];
