// What stands between the demonstration and the server: each question says where it comes from, and each change ends here.
import { DEMO_REFUSAL } from '@/lib/demo'
import { raiseWall } from './client'
import type { components } from './schema'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** What a draft would look like or come to is asked by POST, and changes nothing either; the server lets the same ones through. */
const PREVIEW = /^\/api\/(?:estimates|jobs\/[^/]+\/change-orders|org\/[^/]+\/templates\/[^/]+)\/preview$/

const isReading = ({ method, url }: Request) =>
  READS.has(method) || (method === 'POST' && PREVIEW.test(new URL(url).pathname))

const REFUSAL: components['schemas']['Problem'] = {
  type: 'about:blank',
  title: 'Forbidden',
  status: 403,
  code: 'demo_read_only',
  detail: DEMO_REFUSAL,
  requestId: '',
}

/** Asks the server; what would change something is refused at once, in its words, and never leaves this page. */
async function askInDemo(request: Request): Promise<Response> {
  if (!isReading(request))
    return Response.json(REFUSAL, { status: REFUSAL.status, headers: { 'Content-Type': 'application/problem+json' } })
  request.headers.set('X-Toolbox-Demo', '1')
  return globalThis.fetch(request)
}

raiseWall(askInDemo)
