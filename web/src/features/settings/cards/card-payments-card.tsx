// Card payments: the business's own account at Stripe, connected by its keys.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, type Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StateLine } from '@/ui/state-line'
import { settingsMessages } from '../messages'
import { BooksBesideStripe } from './books-beside-stripe'
import { cardQuery, cardTexts, useRemoveKeys, useSaveKeys } from './queries'

type Cards = Schema['CardPayments']

export function CardPaymentsCard() {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const cards = useQuery(cardQuery(orgId))
  return (
    <Card title="Card payments" icon="dollar">
      <QueryBoundary query={cards} errorText={cardTexts.loadFailed} timeZone={orgTimezone}>
        {(found) => <Connection cards={found} isOwner={role === 'owner'} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Card>
  )
}

function Connection({ cards, isOwner, timeZone }: { cards: Cards; isOwner: boolean; timeZone: string }) {
  const { isSetUp, hint, isTest, hasWebhookSecret, lastEventAt, reconciliation, webhookUrl } = cards
  return (
    <div className="grid gap-5">
      {isSetUp
        ? <StateLine tone="success" icon="check-circle">connected to Stripe with {hint}</StateLine>
        : <p className="text-note text-muted">Customers pay invoices and deposits on a page of Stripe’s, into your own Stripe account. No card number ever comes here.</p>}
      {isTest && <Notice tone="warning" title="This is a test key">What is paid with it is not real money. It is marked as a test and settles nothing.</Notice>}
      {isSetUp && (
        <section aria-label="News from Stripe" className="grid gap-2">
          <h3 className="font-semibold">News from Stripe</h3>
          <p className="text-note text-muted">In Stripe, under Developers, Webhooks, add this address with the events checkout.session.*, refund.* and charge.dispute.*. Without it a payment is noticed within minutes instead of at once.</p>
          <CopyField label="Address for Stripe" value={webhookUrl} copied={cardTexts.copied} failed={settingsMessages.copyFailed} />
          <StateLine tone={hasWebhookSecret ? 'success' : 'neutral'} icon={hasWebhookSecret ? 'check-circle' : 'clock'}>{hasWebhookSecret ? 'its signing secret is known' : 'its signing secret is still missing'}</StateLine>
          {lastEventAt
            ? <StateLine tone="success" icon="check-circle">seen working, last received {formatDateTime(lastEventAt, timeZone)}</StateLine>
            : <StateLine tone="neutral" icon="clock">nothing has come there yet</StateLine>}
        </section>
      )}
      {reconciliation && <BooksBesideStripe look={reconciliation} timeZone={timeZone} />}
      {isOwner ? <Keys isSetUp={isSetUp} /> : <p className="text-note text-muted">Only the owner can change this.</p>}
    </div>
  )
}

const NOTHING = { secretKey: '', webhookSecret: '' }

function Keys({ isSetUp }: { isSetUp: boolean }) {
  const [typed, setTyped] = useState(NOTHING)
  const save = useSaveKeys()
  const problems = save.error instanceof ApiError ? save.error.errors : {}
  const send = (event: FormEvent) => {
    event.preventDefault()
    const { secretKey, webhookSecret } = typed
    save.mutate({ ...(secretKey ? { secretKey } : {}), ...(webhookSecret ? { webhookSecret } : {}) }, { onSuccess: () => setTyped(NOTHING) })
  }
  const change = (name: keyof typeof NOTHING, value: string) => {
    setTyped((before) => ({ ...before, [name]: value.trim() }))
    save.reset()
  }
  return (
    <form aria-label="Keys of Stripe" className="grid gap-4" onSubmit={send}>
      <KeyField label={isSetUp ? 'Another secret key' : 'Secret key'} hint="In Stripe under Developers, API keys: sk_live_…" value={typed.secretKey} error={problems['secretKey']} onChange={(value) => change('secretKey', value)} />
      <KeyField label="Signing secret" hint="Of the address above: whsec_…" value={typed.webhookSecret} error={problems['webhookSecret']} onChange={(value) => change('webhookSecret', value)} />
      {save.isError && Object.keys(problems).length === 0 && <Notice tone="error" title={cardTexts.saveFailed}>{describeError(save.error).description}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={typed.secretKey === '' && typed.webhookSecret === ''} pending={save.isPending}>{isSetUp ? 'Change keys' : 'Connect Stripe'}</Button>
        {isSetUp && <Disconnect />}
      </div>
    </form>
  )
}

function KeyField({ label, hint, value, error, onChange }: { label: string; hint: string; value: string; error?: string | undefined; onChange: (value: string) => void }) {
  return (
    <Field label={label} unmarked hint={hint} error={error}>
      {/* A key is no password of this site: no manager is to keep or offer it. */}
      {(wiring) => <input className="input" type="password" autoComplete="off" autoCapitalize="none" spellCheck={false} data-1p-ignore data-lpignore="true" {...wiring} value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  )
}

function Disconnect() {
  const [isAsking, setIsAsking] = useState(false)
  const remove = useRemoveKeys()
  return (
    <>
      <Button variant="ghost" onClick={() => setIsAsking(true)}>Disconnect</Button>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title="Stop taking cards?"
        actions={
          <>
            <Button variant="ghost" onClick={() => setIsAsking(false)}>Keep</Button>
            <Button variant="danger" pending={remove.isPending} onClick={() => remove.mutate(undefined, { onSuccess: () => setIsAsking(false) })}>Disconnect</Button>
          </>
        }
      >
        <p>Customers can no longer pay by card, and refunds to cards are made in Stripe itself. What was paid stays in the books.</p>
      </Dialog>
    </>
  )
}
