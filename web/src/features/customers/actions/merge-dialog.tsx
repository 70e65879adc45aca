// Two records side by side, and what they would be as one.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import { contactTexts } from '@/features/contact-points/messages'
import { PointStanding } from '@/features/contact-points/point'
import { formatDate } from '@/lib/format/date'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { Breakable } from '@/ui/breakable'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { belongings, offersWords, textsWords } from '../lib/merge-words'
import { customersMessages } from '../messages'
import { useMerge } from '../mutations'
import { customerQueries } from '../queries'
import type { MergePreview, MergeSide } from '../types'

type MergeDialogProps = { id: string; otherId: string; onClose: () => void }

export function MergeDialog({ id, otherId, onClose }: MergeDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const preview = useQuery(customerQueries.merge(orgId, id, otherId))
  const merge = useMerge(id)
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
        {(found) => <Comparison preview={found} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Dialog>
  )
}

function Comparison({ preview: { kept, gone, result }, timeZone }: { preview: MergePreview; timeZone: string }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <Side title="Stays, for it is older" side={kept} timeZone={timeZone} />
        <Side title="Goes into it" side={gone} timeZone={timeZone} />
      </div>
      <section className="rounded-field border border-primary/55 bg-primary/8 p-3">
        <h3 className="mb-2 font-semibold">As one</h3>
        <dl className="grid gap-1.5">
          <Line label="Name">{result.name}</Line>
          <Line label="Replies go to">
            {result.phoneShown && <span className="block whitespace-nowrap tabular-nums">{result.phoneShown}</span>}
            {result.phoneShown && (
              <PointStanding
                isAside={result.setAside.includes('phone')}
                proof={result.phoneProof}
                alsoFor={result.phoneAlsoFor}
              />
            )}
            {result.email && (
              <span className="block">
                <Breakable>{result.email}</Breakable>
              </span>
            )}
            {result.email && (
              <PointStanding
                isAside={result.setAside.includes('email')}
                proof={result.emailProof}
                alsoFor={result.emailAlsoFor}
              />
            )}
            {!result.phoneShown && !result.email && 'No phone or email'}
          </Line>
          {result.shutOff.length > 0 && (
            <Line label="No longer">
              {result.shutOff.map(({ shown, papers }) => (
                <span key={shown} className="block">
                  <Breakable>{shown}</Breakable>
                  <span className="block text-muted">
                    {contactTexts.shutOff}
                    {papers.length > 0 && ` ${contactTexts.papersStop(papers)}`}
                  </span>
                </span>
              ))}
            </Line>
          )}
          <Line label="Texts">{textsWords(result)}</Line>
          <Line label="Offers">{offersWords(result)}</Line>
        </dl>
        <p className="mt-2 text-note text-muted">
          Every lead, job, message, paper and payment of both is kept. Where the two differ about texts, offers or being
          blocked, the stricter holds. You can part them again for 30 days.
        </p>
      </section>
    </div>
  )
}

function Side({ title, side, timeZone }: { title: string; side: MergeSide; timeZone: string }) {
  return (
    <section className="rounded-field border border-primary/22 p-3">
      <p className="text-caption text-muted">{title}</p>
      <h3 className="mb-2 text-crew wrap-anywhere">{side.name}</h3>
      <dl className="grid gap-1.5">
        <Line label="Phone">
          {side.phones.length === 0
            ? 'None'
            : side.phones.map((phone) => (
                <span key={phone} className="block whitespace-nowrap tabular-nums">
                  {phone}
                </span>
              ))}
        </Line>
        <Line label="Email">
          {side.emails.length === 0
            ? 'None'
            : side.emails.map((email) => (
                <span key={email} className="block">
                  <Breakable>{email}</Breakable>
                </span>
              ))}
        </Line>
        <Line label="Has">{belongings(side)}</Line>
        <Line label="Texts">{textsWords(side)}</Line>
        <Line label="Offers">{offersWords(side)}</Line>
        <Line label="Known since">{formatDate(side.createdAt, timeZone)}</Line>
      </dl>
    </section>
  )
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="min-w-0 text-note wrap-anywhere">{children}</dd>
    </div>
  )
}
