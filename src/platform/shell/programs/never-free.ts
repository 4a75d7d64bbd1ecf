// Programs without a table that never run without a question, not even if the kernel confines them: they run code or
// other programs, reach beyond the machine, or administer it. Grouped by reason.

const groups: ReadonlyArray<{ why: string; names: string }> = [
  {
    why: 'it runs code that it is given',
    names: `python pypy perl ruby irb node nodejs php lua luajit tclsh wish expect java javac jshell kotlin kotlinc scala groovy clojure
      R Rscript julia octave matlab guile racket sbcl clisp ocaml ghc ghci runghc erl elixir iex dart swift dotnet mono pwsh powershell
      osascript ts-node tsx bun deno awk gawk mawk sed m4 bc dc gnuplot jq yq jjs rhino qjs wasmtime wasmer gs 
      jrunscript jexec jdb lli opt optscript original-awk prove pydoc pdb idle perldoc perlbug perlthanks instmodsh pygmentize tomlq xq-python
      postgres initdb sqlite3 groff nroff troff pic gpic eqn geqn neqn`,
  },
  {
    why: 'it is a shell',
    names:
      'bash sh dash ash zsh ksh mksh fish csh tcsh nu xonsh elvish busybox toybox rbash fish_key_reader luit vimtutor',
  },
  {
    why: 'it builds or tests, by what files of the project say',
    names: `make gmake bmake cmake ctest cpack ninja meson scons bazel buck2 pants just task rake invoke fab tox nox pytest unittest mvn gradle ant sbt
      lein mix rebar3 stack cabal cargo rustc rustup rustfmt go gofmt gcc g++ cc c++ clang clang++ ld as ar ranlib cpp gfortran nasm swiftc
      xcodebuild msbuild autoconf automake autoreconf aclocal libtool configure pkg-config dune opam zig nim crystal
      tsc eslint prettier jest vitest mocha ava karma cypress playwright webpack vite rollup esbuild parcel turbo nx lerna gulp grunt
      babel swc biome stylelint storybook next nuxt ng vue-cli-service mypy pylint flake8 black ruff isort pyright bandit pre-commit
      sphinx-build mkdocs jekyll hugo pandoc latex pdflatex xelatex lualatex tex bibtex latexmk asciidoctor rubocop rspec phpunit
      phpstan psalm checkstyle protoc bison flex yacc lex swig cython gdb-add-index 
      gcov lto-dump c89 c99 nvcc nvlink ptxas llc bugpoint javadoc jlink jpackage jmod jar jarsigner gettextize rpcgen xsubpp h2xs h2ph enc2xs localedef`,
  },
  {
    why: 'it installs or runs packages',
    names: `npm npx yarn pnpm corepack pip pipx pipenv poetry uv uvx conda mamba virtualenv gem bundle bundler composer nuget luarocks cpan cpanm
      apt apt-get apt-cache aptitude dpkg dpkg-reconfigure dnf yum rpm zypper pacman apk emerge brew port snap flatpak nix nix-env nix-shell
      guix update-alternatives npm-check ncu asdf nvm fnm volta pyenv rbenv sdk easy_install add-apt-repository appstreamcli pkcon debconf ucf ucfq ucfr deb-systemd-helper`,
  },
  {
    why: 'it starts other programs',
    names: `env xargs parallel nohup setsid nice ionice timeout stdbuf time watch entr script screen tmux byobu dtach abduco expect unbuffer chronic
      flock run-parts start-stop-daemon xvfb-run dbus-run-session dbus-launch faketime proot fakeroot chroot unshare nsenter setpriv
      runuser capsh prlimit numactl taskset chrt cpulimit firejail bwrap systemd-run find fd fdfind rlwrap sem ts socat make-ssl-cert
      xdg-open open run-mailcap see edit compose sensible-browser sensible-editor sensible-pager x-www-browser www-browser at batch
      crontab anacron fcron incrontab git git-lfs hg svn bzr cvs fossil tig lazygit gitk rg ack ag 
      scalar mvnDebug rmiregistry llvm-jitlink llvm-jitlink-executor llvm-rtdyld llvm-exegesis llvm-reduce msgexec msgfilter setarch linux32 linux64 i386 x86_64 uclampset choom runcon ldd memusage sotruss not count ctags etags cscope
      lesspipe lessfile gettext.sh gzexe bzexe scriptlive scriptreplay kernel-install select-editor tzselect catman mandb zstdgrep envsubst`,
  },
  {
    why: 'it is an editor or a pager, which can start programs',
    names: `vi vim nvim view vimdiff rvim rview ex ed red emacs emacsclient nano pico joe jed micro helix hx kak mcedit mc ne code subl atom gedit kate
      less more most pg bat batcat man info pinfo whatis apropos zless zmore ranger nnn vifm lf fzf sk dialog whiptail zenity bzless bzmore lzless lzmore xzless xzmore zstdless pinentry`,
  },
  {
    why: 'it reaches the network',
    names: `curl wget wget2 aria2c axel http https httpie xh lynx links w3m elinks ssh scp sftp rsync mosh autossh sshfs ssh-copy-id ssh-keyscan nc ncat
      netcat telnet ftp tftp lftp ncftp ping ping6 fping arping traceroute tracepath mtr dig nslookup host whois drill resolvectl nmap
      masscan tcpdump tshark wireshark iperf iperf3 openvpn wg wg-quick ngrok cloudflared mail mailx mutt sendmail msmtp swaks
      rclone s3cmd restic borg duplicity yt-dlp youtube-dl gh glab hub psql mysql mysqldump mariadb mongo mongosh redis-cli sqlcmd
      ldapsearch kinit smbclient mount.nfs rpcinfo snmpwalk 
      createdb dropdb createuser dropuser createlang droplang pgbench vacuumdb vacuumlo reindexdb clusterdb pg_dump pg_dumpall pg_restore pg_basebackup
      pg_isready pg_ctl dirmngr getent gio networkctl xauth xev xprop xmessage xwininfo xlsclients xdpyinfo wall write logger`,
  },
  {
    why: 'it reaches containers, virtual machines or a cloud',
    names: `docker docker-compose podman buildah skopeo nerdctl ctr crictl runc crun lxc lxd incus kubectl helm k9s kustomize minikube kind k3s oc
      terraform tofu terragrunt packer vagrant ansible ansible-playbook puppet chef salt aws gcloud gsutil bq az doctl flyctl fly heroku kpt anthoscli cbt dev_appserver.py
      vercel netlify wrangler firebase pulumi serverless sam cdk virsh virt-install qemu-img qemu-system-x86_64 VBoxManage multipass wsl`,
  },
  {
    why: 'it looks into or traces other processes',
    names:
      'gdb lldb rr strace ltrace dtrace bpftrace perf valgrind heaptrack gcore pstack py-spy rbspy ftrace trace-cmd sysdig gdbtui vgdb callgrind_control jcmd jconsole jhsdb jinfo jmap jps jstack jstat jstatd jfr gprofng gp-collect-app inotifywait inotifywatch fsnotifywait fsnotifywatch',
  },
  {
    why: 'it reports what confinement hides or changes',
    names: `top htop btop atop glances lsof fuser ss netstat ip ifconfig iw iwconfig nmcli route arp iostat mpstat sar pidstat dmesg lspci lsusb lshw
      dmidecode findmnt blkid pstree pidof ipcs lsns lsmod sysctl peekfd pmap pwdx pldd pslog pidwait prtstat slabtop tload lsfd lsipc lslocks lsirq mountpoint utmpdump rdma lnstat nstat ctstat rtstat routel journalctl last lastlog uptime numastat free`,
  },
  {
    why: 'it manages services, power or hardware',
    names: `systemctl service initctl rc-service systemd dbus deb-systemd-invoke gsettings gapplication pkaction pkcheck pkmon pkttyagent renice ipcmk ipcrm mesg wdctl launchctl supervisorctl pm2 loginctl hostnamectl timedatectl localectl shutdown reboot halt poweroff
      telinit init kill killall pkill skill xkill swapon swapoff modprobe insmod rmmod udevadm hdparm nvme smartctl setterm stty chvt
      dbus-send dbus-monitor gdbus busctl notify-send xdotool xclip xsel wl-copy wl-paste pbcopy pbpaste amixer pactl`,
  },
  {
    why: 'it manages file systems',
    names: `mount umount fusermount losetup mkfs mke2fs mkswap fsck e2fsck tune2fs resize2fs parted fdisk sfdisk gdisk cryptsetup lvm lvs vgs pvs mdadm
      zfs zpool btrfs quota setquota debugfs dd addpart delpart partx resizepart hardlink`,
  },
  {
    why: 'it manages users, rights or keys',
    names: `su sudo doas pkexec login newgrp sg useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd chsh chfn chage visudo
      vipw gpg gpg2 gpgconf gpg-agent gpgsm openssl ssh-keygen ssh-add ssh-agent keytool certutil pass secret-tool security age
      age-keygen vault op bw keyctl setfacl chattr setcap iptables nft ufw firewall-cmd setfattr chcon gpgtar gpgsplit kbxutil`,
  },
  {
    why: 'it changes files',
    names: `touch rm rmdir unlink mv cp ln install mkdir mkfifo mknod mktemp chmod chown chgrp truncate shred split csplit tee patch tar gzip gunzip bzip2
      bunzip2 xz unxz zstd unzstd lz4 zip unzip 7z 7za 7zr rar unrar cpio ar pax compress uncompress dos2unix unix2dos convert magick mogrify
      composite montage identify exiftool ffmpeg sox sponge rename prename mmv rsync srm wipe fallocate sync crudini strip objcopy elfedit tic tempfile savelog bzip2recover zforce znew zipcloak zipnote zipsplit tset reset llvm-strip llvm-objcopy`,
  },
];

const names: ReadonlyMap<string, string> = new Map(
  groups.flatMap(({ why, names: some }) => some.split(/\s+/).map((name) => [name, why] as const)),
);

/**
 * Why a program never runs without a question, by its name without version and platform; undefined if it is not
 * listed.
 */
export function neverFree(name: string): string | undefined {
  const plain = name
    .replace(/^(?:[a-z0-9_]+-){1,3}gnu(?:eabihf|eabi)?-/, '')
    .replace(/\.(?:exe|sh|py|pl|rb|js|basic|tiny|nox|gtk3?|openbsd|traditional)$/, '');
  const beforeVersion = /^(.*?)[-._]?\d/.exec(plain)?.[1] ?? ''; // perl5.36-x86_64-linux-gnu
  const beforeDash = plain.split(/[-.]/, 1)[0] ?? ''; // git-upload-pack, systemd-run, mkfs.ext4
  if (/^pg_/.test(plain)) return names.get('pg_dump');
  return [name, plain, beforeVersion, beforeDash].map((each) => names.get(each)).find((why) => why !== undefined);
}

/** Exact forms of the programs above that only report what is installed. */
const reports: ReadonlyArray<{ name: RegExp; words: RegExp }> = [
  { name: /^pip3?$/, words: /^(list|freeze|check|show [A-Za-z0-9][\w.-]*)$/ },
  {
    name: /^npm$/,
    words: /^(ls|list)( (--depth=\d+|--all|-a|--json|--long|-l|(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*))*$/,
  },
  { name: /^gem$/, words: /^list$/ },
  { name: /^dpkg$/, words: /^(-l|--list|(-L|--listfiles|-s|--status|-S|--search)( [A-Za-z0-9/][\w.+:/-]*)+)$/ },
  { name: /^systemd-(sysusers|tmpfiles|sysctl|binfmt|modules-load)$/, words: /^--cat-config$/ },
  { name: /^apt-cache$/, words: /^(search|show|policy|showpkg|depends|rdepends|madison)( [A-Za-z0-9][\w.+:-]*)+$/ },
];

export const onlyReports = (name: string, words: readonly string[]): boolean =>
  reports.some((report) => report.name.test(name) && report.words.test(words.join(' ')));
