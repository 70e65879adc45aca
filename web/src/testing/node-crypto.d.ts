// Minimal Node types for tests.
declare module 'node:crypto' {
  export const webcrypto: Crypto
}
