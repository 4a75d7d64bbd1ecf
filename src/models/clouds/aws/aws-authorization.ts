import type { Authorization, RefusedAnswer } from '../../http/authorization.js';
import type { AwsCredentialSource } from './aws-credentials.js';
import { sha256Hex, signatureHeaders } from './sign-request.js';

const MIN_SKEW_MS = 60_000; // a smaller difference is no reason for a refusal: AWS accepts five minutes

export interface AwsScope {
  region: string;
  service: string;
  credentials: AwsCredentialSource;
  now?: () => number;
}

/**
 * Signs requests for AWS. If the server refuses a signature because this machine's clock is wrong, the server's clock is
 * used from then on; if it refuses expired credentials, they are looked up again.
 */
export function awsAuthorization({ region, service, credentials, now = Date.now }: AwsScope): Authorization {
  let clockOffsetMs = 0;
  return {
    async headersFor({ url, headers, body }, signal) {
      const found = await credentials.get();
      signal.throwIfAborted();
      const bodyHash = typeof body === 'string' ? sha256Hex(body) : sha256Hex(...body);
      const signed = { 'x-amz-content-sha256': bodyHash, ...pick(headers, 'content-type') };
      const date = new Date(now() + clockOffsetMs);
      const signature = signatureHeaders(
        { method: 'POST', url, headers: signed, bodyHash },
        { region, service, credentials: found, date },
      );
      return { 'x-amz-content-sha256': bodyHash, ...signature };
    },
    mayRetry(refusal) {
      if (isExpired(refusal)) return credentials.forget();
      const serverTime = Date.parse(refusal.header('date') ?? '');
      if (!isAboutTime(refusal) || Number.isNaN(serverTime)) return false;
      const offset = serverTime - now();
      if (Math.abs(offset - clockOffsetMs) < MIN_SKEW_MS) return false;
      clockOffsetMs = offset;
      return true;
    },
  };
}

const pick = (headers: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  headers[name] === undefined ? {} : { [name]: headers[name] };

/** The kind of error that AWS names in a header, or in the body. */
const kindOf = ({ header, body }: RefusedAnswer): string => `${header('x-amzn-errortype') ?? ''} ${body}`;

const isExpired = (refusal: RefusedAnswer): boolean =>
  /ExpiredToken|security token included in the request is expired/i.test(kindOf(refusal));

const isAboutTime = (refusal: RefusedAnswer): boolean =>
  /RequestTimeTooSkewed|RequestExpired|Signature (expired|not yet current)|InvalidSignature|SignatureDoesNotMatch/i.test(
    kindOf(refusal),
  );
