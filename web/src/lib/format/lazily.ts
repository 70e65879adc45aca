// What is dear to make and what most screens can do without, as Intl's objects are: made when it is first used.

/** Makes it once, at the first call. */
export function lazily<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
