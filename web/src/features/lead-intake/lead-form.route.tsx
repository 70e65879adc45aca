// Written next.
export function Component() {
  return null
}
