import { dehydrate, hydrate, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { CurrentUserContext } from '@/features/session/use-session'
import { buildUser } from '@/testing/builders'
import { useMessageDraft } from './message-draft'

const me = buildUser()
const KEY = ['org', me.orgId, 'inbox-draft', 'c1']

const createClient = () => new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } })

function Field() {
  const [draft, change] = useMessageDraft('c1', { channel: 'sms', body: '', subject: '' })
  return <textarea aria-label="Text" value={draft.body} onChange={(event) => change({ body: event.target.value })} />
}

function openField() {
  const client = createClient()
  render(
    <QueryClientProvider client={client}>
      <CurrentUserContext value={me}>
        <Field />
      </CurrentUserContext>
    </QueryClientProvider>,
  )
  return { client, user: userEvent.setup(), field: screen.getByRole('textbox') }
}

/** As the device store does, after the screen was opened. */
function restoreDraft(client: QueryClient, body: string): void {
  const device = createClient()
  device.setQueryData(KEY, { channel: 'sms', body, subject: '' }, { updatedAt: Date.now() - 60_000 })
  act(() => hydrate(client, dehydrate(device)))
}

it('restored after the screen was opened: is shown, and can be continued', async () => {
  const { client, user, field } = openField()
  expect(field).toHaveValue('')
  restoreDraft(client, 'I was about to')
  await waitFor(() => expect(field).toHaveValue('I was about to'))
  await user.type(field, ' call')
  expect(field).toHaveValue('I was about to call')
  expect(client.getQueryData(KEY)).toEqual({ channel: 'sms', body: 'I was about to call', subject: '' })
})

it('restored after something was typed: what was typed stays', async () => {
  const { client, user, field } = openField()
  await user.type(field, 'Yes')
  restoreDraft(client, 'I was about to')
  await user.type(field, ', from eight')
  expect(field).toHaveValue('Yes, from eight')
  expect(client.getQueryData(KEY)).toMatchObject({ body: 'Yes, from eight' })
})

it('emptied by sending: stays empty, whatever is restored later', async () => {
  const { client, user, field } = openField()
  await user.type(field, 'Yes')
  await user.clear(field)
  restoreDraft(client, 'I was about to')
  await user.type(field, 'No')
  expect(field).toHaveValue('No')
})

it('typed text is marked to be saved on the device at once', async () => {
  const { client, user, field } = openField()
  await user.type(field, 'Yes')
  expect(client.getQueryCache().find({ queryKey: KEY })?.meta).toEqual({ offline: true, isTyped: true })
})
