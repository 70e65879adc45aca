// What the tests take of Node, without all of its types.
declare module 'node:crypto' {
  export const webcrypto: Crypto
}
