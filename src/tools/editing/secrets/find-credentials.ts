import { looksInvented } from './looks-invented.js';
import type { Occurrence } from './occurrence.js';

const NEAR_CHARS = 300; // how far from an access key id its secret is searched for

interface CredentialFormat {
  kind: string;
  /**
   * Must match in linear time: it starts with fixed characters, and each unbounded repetition is last or ends at a
   * character that it can't match. The secret is the group of that name, or the whole match.
   */
  pattern: RegExp;
  /** A check that a pattern can't express. */
  isReal?: (secret: string) => boolean;
}

const hasDigit = (secret: string): boolean => /\d/.test(secret);

const formats: readonly CredentialFormat[] = [
  { kind: 'AWS access key id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    kind: 'AWS secret access key',
    pattern:
      /secret_?(?:access_?)?key["'`]?[ \t]{0,16}(?::=|=>|[=:,])[ \t]{0,16}["'`]?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    isReal: (secret) => isMixed(secret),
  },
  { kind: 'GitHub token', pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,255}/g },
  { kind: 'GitHub token', pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{40,255}/g },
  {
    kind: 'GitLab token',
    pattern: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[A-Za-z0-9_-]{20,255}/g,
  },
  {
    kind: 'Slack token',
    pattern: /(?<![A-Za-z0-9])(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{16,255}/g,
    isReal: hasDigit,
  },
  {
    kind: 'Slack webhook',
    pattern:
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z][A-Z0-9]{6,20}\/[A-Za-z0-9]{6,30}\/[A-Za-z0-9]{16,64}/g,
  },
  { kind: 'Stripe key', pattern: /(?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{16,255}/g },
  { kind: 'Stripe webhook secret', pattern: /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{32,255}/g },
  { kind: 'Google API key', pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { kind: 'Google client secret', pattern: /(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/g },
  { kind: 'Google access token', pattern: /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{30,4096}/g },
  { kind: 'Anthropic API key', pattern: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20,255}/g, isReal: hasDigit },
  { kind: 'token of helve serve', pattern: /(?<![A-Za-z0-9])helve_[0-9a-f]{64}/g },
  { kind: 'OpenRouter API key', pattern: /(?<![A-Za-z0-9])sk-or-v1-[A-Za-z0-9]{32,255}/g },
  {
    kind: 'OpenAI API key',
    pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,255}/g,
    isReal: hasDigit,
  },
  { kind: 'OpenAI-style API key', pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20,255}/g, isReal: hasDigit },
  { kind: 'Groq API key', pattern: /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,255}/g },
  { kind: 'xAI API key', pattern: /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{60,255}/g },
  { kind: 'Perplexity API key', pattern: /(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{40,255}/g },
  { kind: 'Replicate token', pattern: /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}(?![A-Za-z0-9_])/g },
  { kind: 'Hugging Face token', pattern: /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{34,64}(?![A-Za-z0-9_])/g },
  { kind: 'npm token', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])/g },
  {
    kind: 'npm token',
    pattern: /:_authToken=(?<secret>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g,
  },
  { kind: 'PyPI token', pattern: /(?<![A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{40,4096}/g },
  { kind: 'RubyGems key', pattern: /(?<![A-Za-z0-9])rubygems_[0-9a-f]{48}(?![0-9a-z])/g },
  { kind: 'Docker Hub token', pattern: /(?<![A-Za-z0-9])dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,64}/g },
  {
    kind: 'SendGrid API key',
    pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}(?![A-Za-z0-9_-])/g,
  },
  { kind: 'Mailgun key', pattern: /(?<![A-Za-z0-9])key-[0-9a-f]{32}(?![0-9A-Za-z])/g },
  { kind: 'Mailchimp key', pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])/g },
  { kind: 'Twilio key', pattern: /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![0-9A-Za-z])/g },
  {
    kind: 'Twilio token',
    pattern:
      /twilio[A-Za-z0-9_.-]{0,24}(?:token|secret)["'`]?[ \t]{0,16}(?::=|=>|[=:,])[ \t]{0,16}["'`]?(?<secret>[0-9a-f]{32})(?![0-9A-Za-z])/gi,
  },
  { kind: 'DigitalOcean token', pattern: /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}/g },
  { kind: 'Shopify token', pattern: /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}(?![0-9A-Za-z])/g },
  {
    kind: 'Square token',
    pattern: /(?<![A-Za-z0-9])sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g,
  },
  { kind: 'Telegram bot token', pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g },
  { kind: 'Databricks token', pattern: /(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?![0-9A-Za-z])/g },
  { kind: 'Linear API key', pattern: /(?<![A-Za-z0-9])lin_api_[A-Za-z0-9]{40}(?![A-Za-z0-9])/g },
  { kind: 'Notion token', pattern: /(?<![A-Za-z0-9])ntn_[A-Za-z0-9]{40,64}/g },
  { kind: 'Atlassian token', pattern: /(?<![A-Za-z0-9])ATATT3[A-Za-z0-9_=-]{50,512}/g },
  { kind: 'Vault token', pattern: /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{24,512}/g, isReal: hasDigit },
  {
    kind: 'Grafana token',
    pattern: /(?<![A-Za-z0-9])(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400})/g,
  },
  { kind: 'Supabase token', pattern: /(?<![A-Za-z0-9])sbp_[0-9a-f]{40}(?![0-9A-Za-z])/g },
  { kind: 'New Relic key', pattern: /(?<![A-Za-z0-9])NRAK-[A-Z0-9]{27}(?![A-Za-z0-9])/g },
  { kind: 'age secret key', pattern: /(?<![A-Za-z0-9])AGE-SECRET-KEY-1[0-9A-Z]{58}/g },
  {
    kind: 'JSON web token',
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,16384}\.[A-Za-z0-9_-]{20,2048}/g,
  },
  { kind: 'Azure storage key', pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g },
  { kind: 'Azure shared access key', pattern: /SharedAccessKey=(?<secret>[A-Za-z0-9+/]{43}=)/g },
  {
    kind: 'Azure shared access signature',
    pattern: /[?&;]sig=(?<secret>[A-Za-z0-9%+/]{40,70}(?:%3[Dd]|=))/g,
  },
];

const DATABASE_URL =
  /(?<![A-Za-z0-9])(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|valkeys?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchdb|neo4j|bolt|ldaps?)(?:\+[a-z0-9_+]{1,24})?:\/\/(?<user>[^\s:@/"'`<>]{0,64}):(?<password>[^\s@/"'`<>]{1,128})@/g;

/** Secrets in their issuers' formats, except for examples and placeholders. */
export function findCredentials(text: string): Occurrence[] {
  const found: Occurrence[] = [];
  for (const { kind, pattern, isReal = () => true } of formats) {
    for (const { 0: whole, index, groups } of text.matchAll(pattern)) {
      const secret = groups?.['secret'] ?? whole;
      if (looksInvented(secret) || !isReal(secret)) continue;
      found.push({ at: index + whole.indexOf(secret), kind, text: secret });
    }
  }
  return [...found, ...secretsNearKeyIds(text, found), ...databasePasswords(text)];
}

/** Unlabelled 40-character secrets near an access key id, as in a table or a list. */
function secretsNearKeyIds(text: string, found: readonly Occurrence[]): Occurrence[] {
  const kind = 'AWS secret access key';
  const ids = found.filter((one) => one.kind === 'AWS access key id');
  const named = new Set(found.filter((one) => one.kind === kind).map((one) => one.at));
  return ids.flatMap(({ at, text: id }, position) => {
    const from = Math.max(at - NEAR_CHARS, ids[position - 1]?.at ?? 0);
    const upTo = Math.min(at + id.length + NEAR_CHARS, ids[position + 1]?.at ?? text.length);
    return [...text.slice(from, upTo).matchAll(/(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g)]
      .map(({ 0: secret, index }) => ({ at: from + index, kind, text: secret }))
      .filter((one) => !named.has(one.at) && isMixed(one.text) && !looksInvented(one.text));
  });
}

function databasePasswords(text: string): Occurrence[] {
  return [...text.matchAll(DATABASE_URL)].flatMap(({ 0: whole, index, groups }) => {
    const { user = '', password = '' } = groups ?? {};
    if (password === user || isNoPassword(password)) return [];
    return [{ at: index, kind: 'database URL with a password', text: whole }];
  });
}

/** A variable, a format string, or a usual placeholder for a password. */
const isNoPassword = (text: string): boolean =>
  /[${}()[\]%*…]|\.{3}/.test(text.replace(/%[0-9A-Fa-f]{2}/g, '')) ||
  /^(?:my|db|the|some|user|root|admin|test)?[-_]?(?:password|passwd|passphrase|passwort|pass|pwd|pw|secret|token|key|auth|test|root|admin|guest|user|postgres|mysql|mongo|redis|example|foo|bar|baz|none|null|empty|p|x+|0+)$/i.test(
    text,
  ) ||
  looksInvented(text);

/** Upper case, lower case and digits, unlike a hexadecimal hash or a lower-case path. */
const isMixed = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /[0-9]/.test(text);
