// One lead.
export function Component() {
  return <h1>Lead</h1>
}
