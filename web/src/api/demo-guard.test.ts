import { beforeEach, expect, it } from 'vitest'
import { DEMO_REFUSAL, resetDemoMode } from '@/lib/demo'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { api, ApiError, unwrap } from './client'
import './demo-guard'

const crew = { id: 'c1', name: 'North crew' }
let server: FakeServer

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/crews', { body: [crew] })
  server.on('POST', '/api/crews', { status: 201, body: crew })
  history.replaceState(null, '', '/demo')
  resetDemoMode()
})

it('read request: carries the demo header', async () => {
  expect(await unwrap(api.GET('/api/crews'))).toEqual([crew])
  expect(server.requests[0]?.headers.get('X-Toolbox-Demo')).toBe('1')
})

it('change: refused as the server would, without a request', async () => {
  const refused = unwrap(api.POST('/api/crews', { body: { name: 'South crew' } }))
  await expect(refused).rejects.toThrow(ApiError)
  await expect(refused).rejects.toMatchObject({ status: 403, code: 'demo_read_only', detail: DEMO_REFUSAL })
  expect(server.requests).toHaveLength(0)
})

it('deletion and upload: refused', async () => {
  const params = { path: { id: 'f1' } }
  await expect(unwrap(api.DELETE('/api/files/{id}', { params }))).rejects.toMatchObject({ code: 'demo_read_only' })
  const form = new FormData()
  form.append('files', new File(['x'], 'roof.jpg'))
  await expect(
    unwrap(
      api.POST('/api/org/{orgId}/logo', {
        params: { path: { orgId: 'o1' } },
        body: { logo: '' },
        bodySerializer: () => form,
      }),
    ),
  ).rejects.toMatchObject({ code: 'demo_read_only' })
  expect(server.requests).toHaveLength(0)
})

it('preview posted by a form: allowed as a read', async () => {
  server.on('POST', /\/preview$/, { body: {} })
  await unwrap(api.POST('/api/estimates/preview', { body: { leadId: 'l1', quotedTotal: 100 } }))
  await unwrap(
    api.POST('/api/jobs/{id}/change-orders/preview', { params: { path: { id: 'j1' } }, body: { quotedTotal: 100 } }),
  )
  await unwrap(
    api.POST('/api/org/{orgId}/templates/{kind}/preview', {
      params: { path: { orgId: 'o1', kind: 'sms' } },
      body: { language: 'en', body: 'Hi' },
    }),
  )
  expect(server.requests.map(({ method, headers }) => [method, headers.get('X-Toolbox-Demo')])).toEqual([
    ['POST', '1'],
    ['POST', '1'],
    ['POST', '1'],
  ])
})

it.each(['/api/estimates/preview/send', '/api/jobs/j1/preview', '/api/leads/l1/estimate?then=/preview', '/preview'])(
  'post to a similar address is refused: %s',
  async (address) => {
    const refused = await api.POST(address as '/api/tasks/retry')
    expect(refused.response.status).toBe(403)
    expect(server.requests).toHaveLength(0)
  },
)

it('outside the demonstration: no header, no refusal', async () => {
  history.replaceState(null, '', '/app')
  resetDemoMode()
  await unwrap(api.POST('/api/crews', { body: { name: 'South crew' } }))
  expect(server.requests[0]?.headers.has('X-Toolbox-Demo')).toBe(false)
})
