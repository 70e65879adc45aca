// A deed that a stolen phone must not do is refused until its person has proved who they are: they are asked, and the very
// same request is sent again.
import { proof } from './proof'
import type { components } from './schema'

const NEEDED: components['schemas']['ErrorCode'] = 'reauthentication_needed'

/** A file is not kept in memory a second time. */
function mayBeRefused({ headers }: Request): boolean {
  return !(headers.get('Content-Type') ?? '').startsWith('multipart/')
}

async function isRefused(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return typeof body === 'object' && body !== null && 'code' in body && body.code === NEEDED
}

/** As `fetch`. Who lets the question be gets the refusal. */
export async function fetchProven(request: Request): Promise<Response> {
  if (!mayBeRefused(request)) return globalThis.fetch(request)
  const again = request.clone()
  const response = await globalThis.fetch(request)
  if (!(await isRefused(response)) || !(await proof.ask())) return response
  return globalThis.fetch(again)
}
