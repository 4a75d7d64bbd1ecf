/** Error codes of the protocol's revision 2026-07-28. A request that is refused with one of them has not run. */
export const ErrorCode = { headerMismatch: -32_020, missingCapability: -32_021, unsupportedVersion: -32_022 } as const;
