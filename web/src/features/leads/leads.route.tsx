// The leads list.
export function Component() {
  return <h1>Leads</h1>
}
