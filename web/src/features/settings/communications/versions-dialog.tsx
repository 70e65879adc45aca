import { useQuery } from '@tanstack/react-query'
import type { Language } from '@/domain/customer'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import type { Template, WordingVersion } from '../types'

type VersionsDialogProps = {
  template: Template
  language: Language
  onClose: () => void
  onUse: (version: WordingVersion) => void
}

export function VersionsDialog({ template, language, onClose, onUse }: VersionsDialogProps) {
  const { orgId } = useCurrentUser()
  const versions = useQuery(settingsQueries.versions(orgId, template.kind, language))
  const current = template.wordings[language]?.version
  return (
    <Dialog open wide onClose={onClose} title={t('Earlier wordings: {title}', { title: template.title })}>
      <QueryBoundary
        query={versions}
        skeleton={<SkeletonLines lines={4} />}
        errorText={settingsMessages.versionsFailed}
        isEmpty={(list) => list.length === 0}
        empty={
          <p className="text-muted">
            {t('This is our own wording, and it was never changed. Each wording you save is kept here.')}
          </p>
        }
      >
        {(list) => (
          <ul className="grid gap-3">
            {list.map((version) => (
              <VersionRow
                key={version.version}
                version={version}
                isCurrent={version.version === current}
                language={language}
                onUse={onUse}
              />
            ))}
          </ul>
        )}
      </QueryBoundary>
    </Dialog>
  )
}

type VersionRowProps = {
  version: WordingVersion
  isCurrent: boolean
  language: Language
  onUse: (version: WordingVersion) => void
}

function VersionRow({ version, isCurrent, language, onUse }: VersionRowProps) {
  const { orgTimezone } = useCurrentUser()
  const { subject, body, isDefault, createdAt, by } = version
  return (
    <li className="grid gap-2 rounded-field border border-primary/30 p-3">
      <p className="flex flex-wrap items-center gap-2 text-note text-muted">
        <span>
          {by
            ? t('{date}, by {name}', { date: formatDateTime(createdAt, orgTimezone), name: by })
            : formatDateTime(createdAt, orgTimezone)}
        </span>
        {isDefault && (
          <Badge tone="neutral" icon="sparkle">
            {t('Our wording')}
          </Badge>
        )}
        {isCurrent && (
          <Badge tone="success" icon="check">
            {t('In use')}
          </Badge>
        )}
      </p>
      <div lang={language} className="text-note">
        {subject && <p className="font-semibold wrap-anywhere">{subject}</p>}
        <p className="whitespace-pre-line wrap-anywhere">{body}</p>
      </div>
      {!isCurrent && (
        <Button variant="secondary" className="w-fit" onClick={() => onUse(version)}>
          {t('Take this one up again')}
        </Button>
      )}
    </li>
  )
}
