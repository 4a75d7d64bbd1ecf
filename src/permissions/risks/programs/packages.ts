import { isSwitchedOn } from '../command-line.js';
import { inlinePrograms } from './deletions.js';
import { always, DEPLOYING, mayDeploy, naming, none, publishesPackage, type RiskyProgram } from './form.js';

const readsPackages = always(
  'downloaded_code',
  'notable',
  'downloads packages, whose install scripts can run any code',
);
const runsPackage = naming(0, 'downloaded_code', 'notable', 'downloads and runs a package if it is not installed');
const changesRegistry = naming(0, 'remote_change', 'high', 'changes packages or accounts on the registry');

export const packages: readonly RiskyProgram[] = [
  {
    names: 'npm pnpm yarn bun',
    forms: [
      {
        on: /^(workspace \S+ )?(npm )?publish\b/,
        when: (line) => !isSwitchedOn(line, 'dry-run'),
        risk: publishesPackage,
      },
      {
        on: /^(npm )?(unpublish|deprecate|undeprecate|dist-tags? (add|rm)|access|owner|team|tag|star|unstar)\b/,
        risk: changesRegistry,
      },
      {
        on: /^(npm )?(token|login|adduser|logout)\b/,
        risk: always('secrets', 'high', 'changes or shows the login for the registry'),
      },
      {
        on: /^(exec|x|dlx|create)\b|^init \S/,
        risk: naming(1, 'downloaded_code', 'notable', 'downloads and runs a package if it is not installed'),
      },
      {
        on: /^(install|i|ci|add|in|isntall|update|up|upgrade|install-test|it|audit fix|rebuild|link|import|dedupe)\b/,
        risk: readsPackages,
      },
      { on: DEPLOYING, when: (line) => !isSwitchedOn(line, 'dry-run'), risk: mayDeploy },
      {
        on: /^(config set|set|config delete)\b/,
        risk: naming(1, 'startup', 'notable', 'changes the settings of the package manager'),
      },
      { when: ({ name, operands }) => operands.length === 0 && /^(yarn|pnpm)$/.test(name), risk: readsPackages },
    ],
  },
  { names: 'make gmake just task invoke fab nx turbo', forms: [{ on: DEPLOYING, risk: mayDeploy }] },
  { names: 'bash sh zsh', forms: [{ on: DEPLOYING, risk: mayDeploy }] },
  {
    names: 'python python2 python3 pypy3 node nodejs ruby perl php lua',
    forms: [
      {
        on: /^0\.0\.0\.0\b/,
        when: ({ name, words }) => name === 'php' && words.includes('-S'),
        risk: always('network', 'notable', 'lets other machines reach files of this one'),
      },
      {
        when: ({ words }) => /(^| )-m http\.server\b/.test(words.join(' ')),
        risk: always('network', 'notable', 'lets other machines reach files of this one'),
      },
      ...inlinePrograms,
      {
        on: DEPLOYING,
        when: ({ words }) => !words.some((word) => /^(-[a-z]*[cer]|-m|--eval|-p|--print)$/.test(word)),
        risk: mayDeploy,
      },
    ],
  },
  {
    names: 'deno',
    forms: [
      { on: /^publish\b/, risk: publishesPackage },
      {
        on: /^(run|install|x|eval|test)? ?(https?|npm|jsr):/,
        risk: naming(1, 'downloaded_code', 'high', 'runs code that it downloads'),
      },
      { on: /^(install|add|cache|upgrade|update)\b/, risk: readsPackages },
      { on: /^eval\b/, risk: always('unknown', 'notable', 'runs a program text') },
      { on: DEPLOYING, risk: mayDeploy },
    ],
  },
  {
    names: 'setup.py',
    forms: [
      { on: /(^| )(upload|register)\b/, risk: publishesPackage },
      { on: /(^| )(install|develop)\b/, risk: readsPackages },
    ],
  },
  {
    names: 'sbt',
    forms: [{ on: /(^| )\+?(\w+\/)?(publish(?!Local|M2)\w*|sonatype\w*|release)\b/, risk: publishesPackage }],
  },
  { names: 'lein', forms: [{ on: /(^| )deploy\b/, risk: publishesPackage }] },
  {
    names: 'dart flutter pub',
    forms: [
      { on: /^(pub )?(publish|lish)\b/, risk: publishesPackage },
      { on: /^(pub )?(get|add|upgrade)\b/, risk: readsPackages },
    ],
  },
  { names: 'hex rebar3', forms: [{ on: /^(hex )?(publish|cut|retire)\b/, risk: publishesPackage }] },
  {
    names: 'fastlane eas expo cabal stack jsr wasm-pack conan vcpkg',
    forms: [
      { on: /(^| )(publish|upload|release|submit|deliver|supply|pilot|deploy|update)\b/, risk: publishesPackage },
      { on: /^(install|add|get)\b/, risk: readsPackages },
    ],
  },
  {
    names: 'xcrun altool notarytool',
    forms: [
      {
        when: ({ words }) => words.some((word) => /^(--upload-\w+|submit|--notarize-app)$/.test(word)),
        risk: publishesPackage,
      },
    ],
  },
  { names: 'gh-pages', forms: [{ risk: always('publishes', 'high', 'publishes a website') }] },
  { names: 'deploy release publish ship', forms: [{ risk: mayDeploy }] },
  { names: 'npx pnpx bunx', forms: [{ risk: runsPackage }] },
  {
    names: 'uvx pipx',
    forms: [{ on: /^(list|environment)\b/, risk: none }, { risk: runsPackage }],
  },
  {
    names: 'pip pip3 conda mamba easy_install gem composer luarocks cpan cpanm nuget opam mix',
    forms: [
      { on: /^(push|yank|owner|hex\.(publish|retire|owner)|upload|trunk)\b/, risk: publishesPackage },
      {
        on: /^(env remove|env delete|remove|uninstall|clean)\b/,
        risk: naming(0, 'deletes', 'notable', 'removes installed packages'),
      },
      { on: /^ecto\.(drop|reset)\b/, risk: naming(0, 'remote_change', 'high', 'can delete data of the database') },
      { on: /^(phx\.)?(gen\.)?release\b/, risk: none },
      { on: /^(install|update|upgrade|require|add|download|wheel|create|deps\.get)\b/, risk: readsPackages },
    ],
  },
  {
    names: 'poetry uv pdm hatch flit twine pipenv bundle bundler',
    forms: [
      { on: /^(publish|upload)\b/, risk: publishesPackage },
      {
        on: /^(install|add|sync|update|lock|upgrade|pip install|tool (run|install)|self update)\b/,
        risk: readsPackages,
      },
    ],
  },
  {
    names: 'cargo',
    forms: [
      { on: /^publish\b/, when: (line) => !isSwitchedOn(line, 'dry-run'), risk: publishesPackage },
      { on: /^(yank|owner)\b/, risk: changesRegistry },
      { on: /^(login|logout)\b/, risk: always('secrets', 'high', 'changes the login for the registry') },
      { on: /^(install|add|update|fetch)\b/, risk: readsPackages },
    ],
  },
  {
    names: 'go',
    forms: [
      { on: /^(get|install|mod (download|tidy))\b/, risk: always('downloaded_code', 'notable', 'downloads modules') },
      { on: /^run \S+@/, risk: runsPackage },
    ],
  },
  {
    names: 'mvn mvnw',
    forms: [{ on: /(^| )(deploy(:deploy\S*)?|release:\w+|nexus-staging:\S+)\b/, risk: publishesPackage }],
  },
  { names: 'gradle gradlew', forms: [{ on: /(^| )(publish|upload)/i, risk: publishesPackage }] },
  {
    names: 'dotnet',
    forms: [
      { on: /^nuget push\b/, risk: publishesPackage },
      { on: /^(restore|add package|tool install)\b/, risk: readsPackages },
    ],
  },
  {
    names: 'pod',
    forms: [
      { on: /^trunk push\b/, risk: publishesPackage },
      { on: /^(install|update)\b/, risk: readsPackages },
    ],
  },
  {
    names: 'vsce ovsx lerna changeset semantic-release release-it np goreleaser',
    forms: [
      {
        when: ({ operands }) => /^(publish|release)?$/.test(operands[0] ?? ''),
        risk: publishesPackage,
      },
    ],
  },
  {
    names: 'apt apt-get aptitude dnf yum zypper pacman apk brew port snap flatpak nix-env choco winget emerge dpkg rpm',
    forms: [
      {
        on: /^(remove|purge|autoremove|uninstall|erase|delete|del)\b/,
        risk: naming(1, 'privileges', 'high', 'removes software from this machine'),
      },
      {
        on: /^(install|upgrade|dist-upgrade|full-upgrade|update|add|reinstall|tap)\b/,
        risk: naming(1, 'downloaded_code', 'notable', 'installs software on this machine'),
      },
      {
        when: ({ options }) => options.some((option) => /^-(S|i|U)/.test(option)),
        risk: naming(0, 'downloaded_code', 'notable', 'installs software on this machine'),
      },
      {
        when: ({ options }) => options.some((option) => /^-(R|e|r|P)|^--(erase|remove|purge)$/.test(option)),
        risk: naming(0, 'privileges', 'high', 'removes software from this machine'),
      },
    ],
  },
];
