// Demonstration mode: the staff app below /demo with read-only sample data.

export const DEMO_PATH = '/demo'
/** Same text as the server's. */
export const DEMO_REFUSAL = 'This is a demonstration: nothing is sent and nothing is changed here.'

export const REQUEST_A_DEMO = 'Request A Demo'

export const isDemoPath = (pathname: string): boolean => pathname === DEMO_PATH || pathname.startsWith(`${DEMO_PATH}/`)

let isOn = isDemoPath(globalThis.location.pathname)

/** Fixed at page load; links between app and demonstration are full page loads. */
export const isDemoMode = (): boolean => isOn

/** URL for images and downloads, which carry no header. */
export const toBrowserUrl = (address: string): string =>
  isOn ? `${address}${address.includes('?') ? '&' : '?'}demo=1` : address

/** For tests: evaluates the current address again. */
export function resetDemoMode(): void {
  isOn = isDemoPath(globalThis.location.pathname)
}
