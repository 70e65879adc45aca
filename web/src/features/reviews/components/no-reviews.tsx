import { useQuery } from '@tanstack/react-query'
import { settingsQueries } from '@/features/settings/queries'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { reviewsMessages } from '../messages'

export function NoReviews() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(settingsQueries.organization(orgId))
  const isLed = Boolean(data?.reviewLink)
  return (
    <div className="glass-card">
      <EmptyState
        icon="star"
        title={reviewsMessages.noneTitle}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {!isLed && (
              <LinkButton to={paths.settings('business')} icon="external">
                {t('Set your review link')}
              </LinkButton>
            )}
            <LinkButton to={paths.jobs} icon="briefcase" variant={isLed ? 'primary' : 'secondary'}>
              {t('Ask for a finished job')}
            </LinkButton>
          </div>
        }
      >
        <p>{reviewsMessages.none}</p>
        <p className="mt-2">
          {isLed
            ? t('Press Request Review on a finished job, or bring the reviews that you have.')
            : t(
                'Tell Toolbox where your public reviews are, such as Google. Then press Request Review on a finished job, or bring the reviews that you have.',
              )}
        </p>
      </EmptyState>
    </div>
  )
}
