// One version of an offer: its amount, its state with the times, the link, and the ways on.
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatMoney } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import type { Recipient } from '../way-fields'
import { offerMessages } from './messages'
import { useOfferPdf } from './mutations'
import { OfferHistory } from './offer-history'
import { canBeRelinked, OFFER_STATUSES, type Permissions } from './statuses'
import { kindOf, type Offer } from './types'

const SendDialog = lazy(async () => ({ default: (await import('./send-dialog')).SendDialog }))
const LinkDialog = lazy(async () => ({ default: (await import('./link-dialog')).LinkDialog }))
const VerifyDialog = lazy(async () => ({ default: (await import('./verify-dialog')).VerifyDialog }))
const WithdrawDialog = lazy(async () => ({ default: (await import('./withdraw-dialog')).WithdrawDialog }))

/** Beside each other on a phone. */
const SMALL = 'min-h-11! px-3! text-note!'

type ActionProps = {
  offer: Offer
  to: Recipient
  may: Permissions
  /** Another version of it is asked for: each offer has a form of its own. */
  onRevise: () => void
}
type OfferItemProps = ActionProps & {
  /** A deposit is due no more once everything is paid. */ isLeadPaid: boolean
  timeZone: string
  /** Between its name and its history. */ children?: ReactNode
}

export function OfferItem({ isLeadPaid, timeZone, children, ...rest }: OfferItemProps) {
  const { offer } = rest
  const { label, tone, icon } = OFFER_STATUSES[offer.status]
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <h3 className="font-semibold">{offer.number}</h3>
          <p className="text-crew tabular-nums">{formatMoney(offer.total)}</p>
        </div>
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </div>
      {children}
      <OfferHistory offer={offer} isLeadPaid={isLeadPaid} timeZone={timeZone} />
      <OfferActions {...rest} />
    </li>
  )
}

function OfferActions({ offer, to, may, onRevise }: ActionProps) {
  const [asked, setAsked] = useState<'send' | 'link' | 'verify' | 'withdraw'>()
  const isOnline = useOnline()
  const { copied, copyFailed } = offerMessages.of[kindOf(offer)]
  const close = () => setAsked(undefined)
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {offer.fileId && <PdfButton offer={offer} />}
      {offer.signedFileId && <PdfButton offer={offer} copy="signed" />}
      {offer.link && (
        <CopyButton
          value={offer.link}
          label={`Copy link to ${offer.number}`}
          copied={copied}
          failed={copyFailed}
          className={SMALL}
        >
          Copy link
        </CopyButton>
      )}
      {may.send && (
        <Button variant="secondary" icon="send" className={SMALL} disabled={!isOnline} onClick={() => setAsked('send')}>
          Send again
        </Button>
      )}
      {may.revise && (
        <Button variant="secondary" icon="pencil" className={SMALL} disabled={!isOnline} onClick={onRevise}>
          Revise
        </Button>
      )}
      {offer.approval && (
        <Button
          variant="secondary"
          icon="shield"
          className={SMALL}
          disabled={!isOnline}
          onClick={() => setAsked('verify')}
        >
          Verify signature
        </Button>
      )}
      {canBeRelinked(offer) && (
        <Button variant="ghost" icon="refresh" className={SMALL} disabled={!isOnline} onClick={() => setAsked('link')}>
          New link
        </Button>
      )}
      {may.withdraw && (
        <Button
          variant="ghost"
          icon="close"
          className={SMALL}
          disabled={!isOnline}
          onClick={() => setAsked('withdraw')}
        >
          Withdraw
        </Button>
      )}
      <Suspense fallback={null}>
        {asked === 'send' && <SendDialog offer={offer} to={to} onClose={close} />}
        {asked === 'link' && <LinkDialog offer={offer} onClose={close} />}
        {asked === 'verify' && <VerifyDialog offer={offer} onClose={close} />}
        {asked === 'withdraw' && <WithdrawDialog offer={offer} onClose={close} />}
      </Suspense>
    </div>
  )
}

function PdfButton({ offer, copy }: { offer: Offer; copy?: 'signed' }) {
  const pdf = useOfferPdf(offer, copy)
  const words = copy ? 'Signed copy' : 'PDF'
  return (
    <Button
      variant="secondary"
      icon="download"
      className={SMALL}
      aria-label={`${words} of ${offer.number}`}
      pending={pdf.isPending}
      onClick={() => pdf.mutate()}
    >
      {words}
    </Button>
  )
}
