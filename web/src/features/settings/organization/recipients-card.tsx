import { type KeyboardEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { Field } from '@/ui/field'
import { type NewRecipient, useAddRecipient, useRemoveRecipient, useTestRecipient } from '../mutations'
import type { Recipients } from '../types'
import { AlertChannels } from './alert-channels'

type RecipientEntry = { id: string; shown: string; request: NewRecipient }
type RecipientChannel = 'email' | 'phone'

export function RecipientsCard({ recipients }: { recipients: Recipients }) {
  const emails = recipients.emails.map(({ id, address }): RecipientEntry => ({
    id,
    shown: address,
    request: { email: address },
  }))
  const phones = recipients.phones.map(({ id, address, shown }): RecipientEntry => ({
    id,
    shown,
    request: { phone: address },
  }))
  const textsOff = useTextsOffReason()
  return (
    <Card title={t('Recipients')} icon="leads">
      <div className="grid gap-6">
        <AlertChannels />
        <RecipientList channel="email" title={t('Email recipients')} rows={emails} />
        <RecipientList channel="phone" title={t('SMS recipients')} rows={phones} />
        <p className="text-caption text-muted">
          {t('Add only people of your business who want these messages.')}{' '}
          {textsOff
            ? t('When no one looks at an emergency, you are emailed.')
            : t('The first number is texted first when no one looks at an emergency.')}
        </p>
        {textsOff && <TextsOffLine why={textsOff} fact={t('No one is texted')} />}
      </div>
    </Card>
  )
}

function RecipientList({
  channel,
  title,
  rows,
}: {
  channel: RecipientChannel
  title: string
  rows: readonly RecipientEntry[]
}) {
  return (
    <section aria-label={title} className="grid gap-3">
      <h3 className="font-semibold">{title}</h3>
      {rows.length === 0 ? (
        <p className="text-note text-muted">
          {channel === 'email'
            ? t('No one yet. No one is emailed when a lead comes in.')
            : t('No one yet. No one is texted when a lead comes in.')}
        </p>
      ) : (
        <ul className="grid gap-2">
          {rows.map((row) => (
            <RecipientRow key={row.id} channel={channel} row={row} />
          ))}
        </ul>
      )}
      <AddRecipient channel={channel} />
    </section>
  )
}

function RecipientRow({ channel, row: { id, shown, request } }: { channel: RecipientChannel; row: RecipientEntry }) {
  const test = useTestRecipient(channel === 'email' ? 'email' : 'sms')
  const remove = useRemoveRecipient()
  return (
    <li className="flex min-h-12 items-center gap-1 rounded-field border border-primary/30 pl-3">
      <span className="min-w-0 flex-1 py-2">
        <BreakableAddress>{shown}</BreakableAddress>
      </span>
      <Button
        variant="ghost"
        icon="send"
        aria-label={t('Send a test to {shown}', { shown })}
        pending={test.isPending}
        onClick={() => test.mutate({ id, shown })}
      >
        {t('Test')}
      </Button>
      <IconButton
        label={t('Remove {shown}', { shown })}
        icon="trash"
        disabled={remove.isPending}
        onClick={() => remove.mutate({ id, shown, request })}
      />
    </li>
  )
}

const INPUTS = {
  email: {
    label: t('Add an email address'),
    type: 'email',
    inputMode: 'email',
    autoComplete: 'off',
    autoCapitalize: 'none',
  },
  phone: { label: t('Add a mobile number'), type: 'tel', inputMode: 'tel', autoComplete: 'off' },
} as const

function AddRecipient({ channel }: { channel: RecipientChannel }) {
  const [typed, setTyped] = useState('')
  const add = useAddRecipient()
  const { label, ...input } = INPUTS[channel]
  const send = () => {
    // Nothing typed is nothing to add.
    if (typed.trim() === '') return
    add.mutate(channel === 'email' ? { email: typed.trim() } : { phone: typed.trim() }, {
      onSuccess: () => setTyped(''),
    })
  }
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    send()
  }
  return (
    <Field label={label} unmarked error={add.isError ? getErrorText(add.error, channel) : undefined}>
      {(aria) => (
        <span className="flex gap-2">
          <input
            className="input min-w-0 flex-1"
            enterKeyHint="done"
            {...input}
            {...aria}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              add.reset()
            }}
            onKeyDown={sendOnEnter}
          />
          <Button variant="secondary" icon="plus" aria-label={label} pending={add.isPending} onClick={send}>
            {t('Add')}
          </Button>
        </span>
      )}
    </Field>
  )
}

function getErrorText(error: Error, channel: RecipientChannel): string {
  return (error instanceof ApiError ? error.errors[channel] : undefined) ?? describeError(error).description
}
