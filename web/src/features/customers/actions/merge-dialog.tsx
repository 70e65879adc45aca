// Side-by-side comparison of two records and their merge.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import { contactMessages } from '@/features/contact-points/messages'
import { ContactPointStatus } from '@/features/contact-points/contact-point'
import { formatDate } from '@/lib/format/date'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { describeRecords, describeOfferConsent, describeTextConsent } from '../lib/merge-text'
import { customersMessages } from '../messages'
import { useMergeCustomers } from '../mutations'
import { customerQueries } from '../queries'
import type { MergePoint, MergePreview, MergeSide } from '../types'

type MergeCustomersDialogProps = { id: string; otherId: string; onClose: () => void }

export function MergeCustomersDialog({ id, otherId, onClose }: MergeCustomersDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const preview = useQuery(customerQueries.merge(orgId, id, otherId))
  const merge = useMergeCustomers(id)
  const navigate = useNavigate()
  const confirm = () =>
    merge.mutate(otherId, {
      onSuccess: (kept) => {
        onClose()
        if (kept.id !== id) void navigate(paths.customer(kept.id), { replace: true })
      },
    })
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Are these one person?"
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Keep both
          </Button>
          <Button
            icon="check"
            disabled={!preview.data}
            pending={merge.isPending}
            pendingText="Merging..."
            onClick={confirm}
          >
            Merge the two
          </Button>
        </>
      }
    >
      <QueryBoundary
        query={preview}
        skeleton={<SkeletonLines lines={6} />}
        errorText={customersMessages.merge.previewFailed}
        timeZone={orgTimezone}
      >
        {(found) => <RecordComparison preview={found} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Dialog>
  )
}

function RecordComparison({ preview: { kept, gone, result }, timeZone }: { preview: MergePreview; timeZone: string }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <RecordColumn title="Stays, for it is older" side={kept} timeZone={timeZone} />
        <RecordColumn title="Goes into it" side={gone} timeZone={timeZone} />
      </div>
      <section className="rounded-field border border-primary/55 bg-primary/8 p-3">
        <h3 className="mb-2 font-semibold">As one</h3>
        <dl className="grid gap-1.5">
          <ComparisonRow label="Name">{result.name}</ComparisonRow>
          <ComparisonRow label="Replies go to">
            <ResultAddresses result={result} isAside={false} />
            {!hasAddress(result, false) && 'No phone or email'}
          </ComparisonRow>
          {hasAddress(result, true) && (
            <ComparisonRow label="Set aside">
              <ResultAddresses result={result} isAside />
            </ComparisonRow>
          )}
          {result.shutOff.length > 0 && (
            <ComparisonRow label="No longer">
              {result.shutOff.map(({ shown, papers }) => (
                <span key={shown} className="block">
                  <BreakableAddress>{shown}</BreakableAddress>
                  <span className="block text-muted">
                    {contactMessages.shutOff}
                    {papers.length > 0 && ` ${contactMessages.papersStop(papers)}`}
                  </span>
                </span>
              ))}
            </ComparisonRow>
          )}
          <ComparisonRow label="Texts">{describeTextConsent(result)}</ComparisonRow>
          <ComparisonRow label="Offers">{describeOfferConsent(result)}</ComparisonRow>
        </dl>
        <p className="mt-2 text-note text-muted">
          Every lead, job, message, paper and payment of both is kept. Where the two differ about texts, offers or being
          blocked, the stricter holds. You can part them again for 30 days.
        </p>
      </section>
    </div>
  )
}

type ResultAddressesProps = { result: MergePreview['result']; isAside: boolean }

const hasAddress = ({ phoneShown, email, setAside }: MergePreview['result'], isAside: boolean) =>
  (Boolean(phoneShown) && setAside.includes('phone') === isAside) ||
  (Boolean(email) && setAside.includes('email') === isAside)

/** The phone and email of the merged record: those that get messages, or those set aside. */
function ResultAddresses({ result, isAside }: ResultAddressesProps) {
  return (
    <>
      {result.phoneShown && result.setAside.includes('phone') === isAside && (
        <>
          <span className="block whitespace-nowrap tabular-nums">{result.phoneShown}</span>{' '}
          <ContactPointStatus isAside={isAside} proof={result.phoneProof} alsoFor={result.phoneAlsoFor} />
        </>
      )}
      {result.email && result.setAside.includes('email') === isAside && (
        <>
          <span className="block">
            <BreakableAddress>{result.email}</BreakableAddress>
          </span>
          <ContactPointStatus isAside={isAside} proof={result.emailProof} alsoFor={result.emailAlsoFor} />
        </>
      )}
    </>
  )
}

function RecordColumn({ title, side, timeZone }: { title: string; side: MergeSide; timeZone: string }) {
  return (
    <section className="rounded-field border border-primary/22 p-3">
      <p className="text-caption text-muted">{title}</p>
      <h3 className="mb-2 text-crew wrap-anywhere">{side.name}</h3>
      <dl className="grid gap-1.5">
        <ComparisonRow label="Phone">
          <SidePoints points={side.points.filter(({ kind }) => kind === 'phone')} />
        </ComparisonRow>
        <ComparisonRow label="Email">
          <SidePoints points={side.points.filter(({ kind }) => kind === 'email')} />
        </ComparisonRow>
        <ComparisonRow label="Has">{describeRecords(side)}</ComparisonRow>
        <ComparisonRow label="Texts">{describeTextConsent(side)}</ComparisonRow>
        <ComparisonRow label="Offers">{describeOfferConsent(side)}</ComparisonRow>
        <ComparisonRow label="Known since">{formatDate(side.createdAt, timeZone)}</ComparisonRow>
      </dl>
    </section>
  )
}

/** Every phone or email of one record, with its proof, and which one becomes the main one. */
function SidePoints({ points }: { points: readonly MergePoint[] }) {
  if (points.length === 0) return 'None'
  return points.map(({ kind, shown, proof, alsoFor, isMain, isSetAside }) => (
    <span key={shown} className="block">
      {kind === 'phone' ? (
        <span className="whitespace-nowrap tabular-nums">{shown}</span>
      ) : (
        <BreakableAddress>{shown}</BreakableAddress>
      )}
      <ContactPointStatus isAside={false} proof={proof} alsoFor={alsoFor} />
      {isMain && <span className="block text-note font-semibold">{contactMessages.becomesMain[kind]}</span>}
      {isSetAside && <span className="block text-note text-muted">{contactMessages.shutOff}</span>}
    </span>
  ))
}

function ComparisonRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="min-w-0 text-note wrap-anywhere">{children}</dd>
    </div>
  )
}
