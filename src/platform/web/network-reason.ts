// Why a connection failed, in the same words for models, sign-ins and pages.

/** The code of an error or of what caused it, such as `ECONNRESET`. */
export function errorCode(error: unknown): string | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
  }
  return undefined;
}

/** Without the code, which messages give beside it. May contain anything that a server has sent. */
export function networkReason(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name is not found';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return 'the other side closed the connection';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no route to it';
  if (code?.includes('TIMEOUT') || code === 'ETIMEDOUT') return 'no answer in time';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name';
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (isCertificate(code)) {
    return 'its certificate is not trusted here, set NODE_EXTRA_CA_CERTS if it should be';
  }
  return innermost(error).message;
}

export const isCertificate = (code: string | undefined): boolean =>
  code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code);

function innermost(error: unknown): Error {
  let inner = error instanceof Error ? error : new Error(String(error));
  while (inner.cause instanceof Error) inner = inner.cause;
  return inner;
}
