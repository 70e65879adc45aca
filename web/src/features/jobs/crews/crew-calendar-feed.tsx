import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleQueries } from '@/features/people/queries'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { CopyField } from '@/ui/copy-field'
import { jobsMessages } from '../messages'
import { useRenewCalendarFeed } from './crew-mutations'

const texts = jobsMessages.crews

export function CrewCalendarFeed({ crewId }: { crewId: string }) {
  const { orgId } = useCurrentUser()
  // As it is known now: a new link takes the place of the one the dialog was opened with.
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  const feedUrl = crews.find(({ id }) => id === crewId)?.feedUrl
  const [isAsking, setIsAsking] = useState(false)
  const renew = useRenewCalendarFeed(crewId)
  const isOnline = useOnline()
  return (
    <section aria-label={t('Calendar')} className="mt-5 grid gap-2 border-t border-primary/22 pt-4">
      <h3 className="font-semibold">{t('Calendar')}</h3>
      <p className="text-note text-muted">
        {t(
          'Subscribe to this address in a calendar app: the crew’s jobs appear there and move with the schedule. No prices stand in it; phone numbers and instructions only for the next seven days.',
        )}
      </p>
      {feedUrl && (
        <CopyField label={t('the calendar')} value={feedUrl} copied={texts.copied} failed={texts.notCopied} />
      )}
      {isAsking ? (
        <div className="flex flex-wrap items-center gap-2">
          <p className="basis-full text-note text-warning">
            {t('Every calendar that has the old link stops being updated.')}
          </p>
          <Button
            variant="danger"
            disabled={!isOnline}
            pending={renew.isPending}
            pendingText={t('Making...')}
            onClick={() => renew.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
          >
            {t('Make a new link')}
          </Button>
          <Button variant="ghost" onClick={() => setIsAsking(false)}>
            {t('Keep this one')}
          </Button>
        </div>
      ) : (
        <Button
          variant="ghost"
          icon="refresh"
          disabled={!isOnline}
          className="justify-self-start"
          onClick={() => setIsAsking(true)}
        >
          {feedUrl ? t('New link') : t('Make a link')}
        </Button>
      )}
    </section>
  )
}
