import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { peopleQueries } from '@/features/people/queries'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { pgettext, t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { jobsMessages } from '../messages'
import type { Crew } from '../types'

const CrewDialog = lazy(async () => ({ default: (await import('./crew-dialog')).CrewDialog }))

/** What is open over the page: a new crew, or one of those there are. */
type OpenDialog = { crew: Crew | undefined }

export function CrewsCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const crews = useQuery(peopleQueries.crews(orgId))
  const isOnline = useOnline()
  const [openDialog, setOpened] = useState<OpenDialog>()
  return (
    <Card title={t('Crews')} icon="leads">
      <QueryBoundary
        query={crews}
        skeleton={<SkeletonLines lines={3} />}
        errorText={jobsMessages.crews.listFailed}
        timeZone={orgTimezone}
      >
        {(list) => (
          <div className="grid gap-3">
            {list.length === 0 ? (
              <p className="text-note text-muted">
                {t('No crews yet. Jobs are given to a crew; one person alone can be one.')}
              </p>
            ) : (
              <ul className="grid gap-2">
                {list.map((crew) => (
                  <CrewRow key={crew.id} crew={crew} isOnline={isOnline} onOpen={() => setOpened({ crew })} />
                ))}
              </ul>
            )}
            <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setOpened({ crew: undefined })}>
              {t('Add crew')}
            </Button>
            {!isOnline && <p className="text-note text-warning">{jobsMessages.offline}</p>}
          </div>
        )}
      </QueryBoundary>
      {openDialog && (
        <Suspense fallback={null}>
          <CrewDialog crew={openDialog.crew} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </Card>
  )
}

function CrewRow({ crew, isOnline, onOpen }: { crew: Crew; isOnline: boolean; onOpen: () => void }) {
  const { name, members, isActive } = crew
  return (
    <li className="flex min-h-12 items-center gap-2 rounded-field border border-primary/30 pl-3">
      <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
        <span className="min-w-0">
          <span className="block font-semibold wrap-anywhere">{name}</span>
          <span className="block text-note text-muted">
            {members.length === 0 ? t('No one yet') : members.map((member) => member.name).join(', ')}
          </span>
        </span>
        {!isActive && (
          <Badge tone="neutral" icon="close">
            {pgettext('crew', 'Inactive')}
          </Badge>
        )}
      </span>
      <IconButton label={t('Edit {name}', { name })} icon="pencil" disabled={!isOnline} onClick={onOpen} />
    </li>
  )
}
