// Whether this page is the demonstration: the staff app once more below /demo, about a made-up business that nobody can change.

/** Where it stands; each screen's own address follows. */
export const DEMO_PATH = '/demo'
/** What is said to whoever tries to change something there; the server says it in the same words. */
export const DEMO_REFUSAL = 'This is a demonstration: nothing is sent and nothing is changed here.'

/** The way to a business of one's own, in the product's words. */
export const REQUEST_A_DEMO = 'Request A Demo'

/** Whether an address of this site leads into the demonstration. */
export const isDemoPath = (pathname: string): boolean => pathname === DEMO_PATH || pathname.startsWith(`${DEMO_PATH}/`)

let isOn = isDemoPath(globalThis.location.pathname)

/** Settled by the address that the page was loaded at. The ways in and out are plain links, so no page is ever both. */
export const inDemo = (): boolean => isOn

/** For what the browser fetches by itself, a picture or a file: no header goes with it, so the address says it. */
export const browserAddress = (address: string): string =>
  isOn ? `${address}${address.includes('?') ? '&' : '?'}demo=1` : address

/** Settles it anew, as for a page that is loaded at the present address, for the next test. */
export function settleDemo(): void {
  isOn = isDemoPath(globalThis.location.pathname)
}
