// Signature verification against the current files.
import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
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
    <Dialog open onClose={onClose} title={t('Signature on {number}', { number: estimate.number })}>
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
        <Notice tone="success" title={t('Unchanged since it was signed')}>
          <p>{t('The document on file is, byte for byte, the one the customer saw.')}</p>
        </Notice>
      ) : (
        <Notice tone="error" title={t('Not the document that was signed')}>
          <p>
            {t(
              'The file differs from what the customer approved. Ask the person who runs your Toolbox to restore it before you rely on it.',
            )}
          </p>
        </Notice>
      )}
      <DescriptionList>
        <DescriptionItem label={t('Signed by')}>{name ?? t('No one')}</DescriptionItem>
        {at && <DescriptionItem label={t('When')}>{formatDateTime(at, timeZone)}</DescriptionItem>}
        <DescriptionItem label={t('Approved')}>
          <Digest value={approvedSha256} />
        </DescriptionItem>
        <DescriptionItem label={t('On file now')}>
          <Digest value={storedSha256} />
        </DescriptionItem>
        <DescriptionItem label={t('Signed copy')}>
          <Digest value={signedSha256} />
        </DescriptionItem>
      </DescriptionList>
      <p className="text-caption text-muted">
        {t('SHA-256 of the files, in hexadecimal digits. “Approved” and “On file now” must be the same.')}
      </p>
    </div>
  )
}

function Digest({ value }: { value: string | null | undefined }) {
  return value ? <code className="text-note break-all">{value}</code> : t('Not there')
}
