// Fetch that asks for reauthentication where the server requires it, then repeats the request.
import { reauthPrompt } from './reauth-prompt'
import type { components } from './schema'

const REAUTH_CODE: components['schemas']['ErrorCode'] = 'reauthentication_needed'

/** File uploads are not buffered for a retry. */
function mayNeedReauth({ headers }: Request): boolean {
  return !(headers.get('Content-Type') ?? '').startsWith('multipart/')
}

async function needsReauth(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return typeof body === 'object' && body !== null && 'code' in body && body.code === REAUTH_CODE
}

/** As `fetch`; a cancelled prompt returns the refusal. */
export async function fetchWithReauth(request: Request): Promise<Response> {
  if (!mayNeedReauth(request)) return globalThis.fetch(request)
  const retryRequest = request.clone()
  const response = await globalThis.fetch(request)
  if (!(await needsReauth(response)) || !(await reauthPrompt.ask())) return response
  return globalThis.fetch(retryRequest)
}
