// Fetch of the demonstration: reads get the demo header, changes are refused without a request.
import { DEMO_REFUSAL } from '@/lib/demo'
import { installDemoGuard } from './client'
import type { components } from './schema'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Previews that are requested by POST and change nothing; the server allows the same paths. */
const PREVIEW_PATH = /^\/api\/(?:estimates|jobs\/[^/]+\/change-orders|org\/[^/]+\/templates\/[^/]+)\/preview$/

const isReadOnly = ({ method, url }: Request) =>
  SAFE_METHODS.has(method) || (method === 'POST' && PREVIEW_PATH.test(new URL(url).pathname))

const REFUSAL: components['schemas']['Problem'] = {
  type: 'about:blank',
  title: 'Forbidden',
  status: 403,
  code: 'demo_read_only',
  detail: DEMO_REFUSAL,
  requestId: '',
}

async function fetchInDemo(request: Request): Promise<Response> {
  if (!isReadOnly(request))
    return Response.json(REFUSAL, { status: REFUSAL.status, headers: { 'Content-Type': 'application/problem+json' } })
  request.headers.set('X-Toolbox-Demo', '1')
  return globalThis.fetch(request)
}

installDemoGuard(fetchInDemo)
