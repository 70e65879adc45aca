// One version of an estimate: its amount, its state with the times, the link, and the ways on.
import { lazy, Suspense, useState } from 'react'
import { formatMoney } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import { leadsMessages } from '../messages'
import type { EstimateView, LeadDetail } from '../queries'
import { EstimateHistory } from './estimate-history'
import { useEstimatePdf } from './mutations'
import { canBeRelinked, canBeRevised, canBeSent, canBeWithdrawn, ESTIMATE_STATUSES } from './status'

const SendDialog = lazy(async () => ({ default: (await import('./send-dialog')).SendDialog }))
const EstimateDialog = lazy(async () => ({ default: (await import('./estimate-dialog')).EstimateDialog }))
const LinkDialog = lazy(async () => ({ default: (await import('./link-dialog')).LinkDialog }))
const VerifyDialog = lazy(async () => ({ default: (await import('./verify-dialog')).VerifyDialog }))
const WithdrawDialog = lazy(async () => ({ default: (await import('./withdraw-dialog')).WithdrawDialog }))

/** Beside each other on a phone. */
const SMALL = 'min-h-11! px-3! text-note!'

type EstimateItemProps = { lead: LeadDetail; estimate: EstimateView; timeZone: string }

export function EstimateItem({ lead, estimate, timeZone }: EstimateItemProps) {
  const { label, tone, icon } = ESTIMATE_STATUSES[estimate.status]
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <h3 className="font-semibold">{estimate.number}</h3>
          <p className="text-crew tabular-nums">{formatMoney(estimate.total)}</p>
        </div>
        <Badge tone={tone} icon={icon}>{label}</Badge>
      </div>
      <EstimateHistory estimate={estimate} isLeadPaid={lead.stage === 'Paid'} timeZone={timeZone} />
      <EstimateActions lead={lead} estimate={estimate} />
    </li>
  )
}

function EstimateActions({ lead, estimate }: Omit<EstimateItemProps, 'timeZone'>) {
  const [asked, setAsked] = useState<'send' | 'revise' | 'link' | 'verify' | 'withdraw'>()
  const isOnline = useOnline()
  const { copied, copyFailed } = leadsMessages.estimates
  const close = () => setAsked(undefined)
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {estimate.fileId && <PdfButton estimate={estimate} />}
      {estimate.signedFileId && <PdfButton estimate={estimate} copy="signed" />}
      {estimate.link && <CopyButton value={estimate.link} label={`Copy link to ${estimate.number}`} copied={copied} failed={copyFailed} className={SMALL}>Copy link</CopyButton>}
      {canBeSent(estimate) && <Button variant="secondary" icon="send" className={SMALL} disabled={!isOnline} onClick={() => setAsked('send')}>Send again</Button>}
      {canBeRevised(estimate) && <Button variant="secondary" icon="pencil" className={SMALL} disabled={!isOnline} onClick={() => setAsked('revise')}>Revise</Button>}
      {estimate.approval && <Button variant="secondary" icon="shield" className={SMALL} disabled={!isOnline} onClick={() => setAsked('verify')}>Verify signature</Button>}
      {canBeRelinked(estimate) && <Button variant="ghost" icon="refresh" className={SMALL} disabled={!isOnline} onClick={() => setAsked('link')}>New link</Button>}
      {canBeWithdrawn(estimate) && <Button variant="ghost" icon="close" className={SMALL} disabled={!isOnline} onClick={() => setAsked('withdraw')}>Withdraw</Button>}
      <Suspense fallback={null}>
        {asked === 'send' && <SendDialog lead={lead} estimate={estimate} onClose={close} />}
        {asked === 'revise' && <EstimateDialog lead={lead} revised={estimate} onClose={close} />}
        {asked === 'link' && <LinkDialog leadId={lead.id} estimate={estimate} onClose={close} />}
        {asked === 'verify' && <VerifyDialog estimate={estimate} onClose={close} />}
        {asked === 'withdraw' && <WithdrawDialog leadId={lead.id} estimate={estimate} onClose={close} />}
      </Suspense>
    </div>
  )
}

function PdfButton({ estimate, copy }: { estimate: EstimateView; copy?: 'signed' }) {
  const pdf = useEstimatePdf(estimate, copy)
  const words = copy ? 'Signed copy' : 'PDF'
  return (
    <Button variant="secondary" icon="download" className={SMALL} aria-label={`${words} of ${estimate.number}`} pending={pdf.isPending} onClick={() => pdf.mutate()}>{words}</Button>
  )
}
