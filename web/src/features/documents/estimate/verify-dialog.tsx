// Signature verification against the current files.
import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { Dialog } from '@/ui/dialog'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { estimateMessages } from './messages'
import { estimateQueries } from './queries'
import type { EstimateView, Verification } from './types'

export function VerifySignatureDialog({ estimate, onClose }: { estimate: EstimateView; onClose: () => void }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const verification = useQuery(estimateQueries.verification(orgId, estimate.id))
  return (
    <Dialog open onClose={onClose} title={`Signature on ${estimate.number}`}>
      <QueryBoundary
        query={verification}
        skeleton={<SkeletonLines lines={4} />}
        errorText={estimateMessages.verifyFailed}
        timeZone={orgTimezone}
      >
        {(found) => <VerificationResult verification={found} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Dialog>
  )
}

function VerificationResult({
  verification: { ok, name, at, approvedSha256, storedSha256, signedSha256 },
  timeZone,
}: {
  verification: Verification
  timeZone: string
}) {
  return (
    <div className="grid gap-4">
      {ok ? (
        <Notice tone="success" title="Unchanged since it was signed">
          <p>The document on file is, byte for byte, the one the customer saw.</p>
        </Notice>
      ) : (
        <Notice tone="error" title="Not the document that was signed">
          <p>
            The file differs from what the customer approved. Ask the person who runs your Toolbox to restore it before
            you rely on it.
          </p>
        </Notice>
      )}
      <DescriptionList>
        <DescriptionItem label="Signed by">{name ?? 'No one'}</DescriptionItem>
        {at && <DescriptionItem label="When">{formatDateTime(at, timeZone)}</DescriptionItem>}
        <DescriptionItem label="Approved">
          <Digest value={approvedSha256} />
        </DescriptionItem>
        <DescriptionItem label="On file now">
          <Digest value={storedSha256} />
        </DescriptionItem>
        <DescriptionItem label="Signed copy">
          <Digest value={signedSha256} />
        </DescriptionItem>
      </DescriptionList>
      <p className="text-caption text-muted">
        SHA-256 of the files, in hexadecimal digits. “Approved” and “On file now” must be the same.
      </p>
    </div>
  )
}

function Digest({ value }: { value: string | null | undefined }) {
  return value ? <code className="text-note break-all">{value}</code> : 'Not there'
}
