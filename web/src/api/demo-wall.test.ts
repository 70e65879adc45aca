// The demonstration's wall: questions go through with its mark, changes do not leave the page.
import { beforeEach, expect, it } from 'vitest'
import { DEMO_REFUSAL, settleDemo } from '@/lib/demo'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { api, ApiError, unwrap } from './client'
import './demo-wall'

const crew = { id: 'c1', name: 'North crew' }
let server: FakeServer

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/crews', { body: [crew] })
  server.on('POST', '/api/crews', { status: 201, body: crew })
  history.replaceState(null, '', '/demo')
  settleDemo()
})

it('a question says that it comes from the demonstration', async () => {
  expect(await unwrap(api.GET('/api/crews'))).toEqual([crew])
  expect(server.requests[0]?.headers.get('X-Toolbox-Demo')).toBe('1')
})

it('a change is refused as the server would refuse it, without a request', async () => {
  const refused = unwrap(api.POST('/api/crews', { body: { name: 'South crew' } }))
  await expect(refused).rejects.toThrow(ApiError)
  await expect(refused).rejects.toMatchObject({ status: 403, code: 'demo_read_only', detail: DEMO_REFUSAL })
  expect(server.requests).toHaveLength(0)
})

it('so are a removal and an upload', async () => {
  const params = { path: { id: 'f1' } }
  await expect(unwrap(api.DELETE('/api/files/{id}', { params }))).rejects.toMatchObject({ code: 'demo_read_only' })
  const form = new FormData()
  form.append('files', new File(['x'], 'roof.jpg'))
  await expect(unwrap(api.POST('/api/org/{orgId}/logo', { params: { path: { orgId: 'o1' } }, body: { logo: '' }, bodySerializer: () => form }))).rejects.toMatchObject({ code: 'demo_read_only' })
  expect(server.requests).toHaveLength(0)
})

it('elsewhere nothing is marked and nothing is refused', async () => {
  history.replaceState(null, '', '/app')
  settleDemo()
  await unwrap(api.POST('/api/crews', { body: { name: 'South crew' } }))
  expect(server.requests[0]?.headers.has('X-Toolbox-Demo')).toBe(false)
})
