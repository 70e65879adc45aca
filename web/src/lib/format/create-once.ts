// Lazy creation of costly objects such as Intl formats.

export function createOnce<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
