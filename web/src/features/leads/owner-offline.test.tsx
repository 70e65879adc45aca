import 'fake-indexeddb/auto'
import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { buildId, buildLeadDetail, buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { LeadOwnerSelect } from './components/lead-owner-select'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`
const sam = { id: buildId(), name: 'Sam Office', isActive: true }

afterEach(async () => {
  await vi.waitUntil(() => !outbox.isSending())
  outbox.reset()
  await outboxStore.forget(OWNER)
})

it('owner chosen offline: shown, waits on this device, and can be undone', async () => {
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/team', { body: [sam] })
  await outbox.open(OWNER)
  const app = renderSignedIn(<LeadOwnerSelect lead={buildLeadDetail({})} />)
  const select = await screen.findByRole('combobox', { name: 'Owner' })
  await waitFor(() => expect(select).toBeEnabled())
  server.goOffline()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  await app.user.selectOptions(select, 'Sam Office')
  const undo = await screen.findByRole('button', { name: 'Undo: Sam Office' })
  expect(select).toHaveDisplayValue('Sam Office')
  await app.user.click(undo)
  await waitFor(() => expect(select).toHaveDisplayValue('Unassigned'))
})
