// Security score, three facts, and improvements.
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ShareBar } from '@/ui/chart/share-bar'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { adminMessages } from '../messages'
import { adminQueries } from '../queries'
import { PanelUnavailable } from './panel-unavailable'

const texts = adminMessages.status
/** From these on the score is good, and not yet bad. */
const GOOD_SCORE = 90
const FAIR_SCORE = 70

export function SecurityStatusCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const status = useQuery(adminQueries.status(orgId))
  return (
    <Card title={texts.title} icon="shield">
      <QueryBoundary
        query={status}
        skeleton={<SkeletonLines lines={6} />}
        timeZone={orgTimezone}
        renderError={() => (
          <PanelUnavailable
            title={texts.unavailable}
            isRetrying={status.isFetching}
            onRetry={() => void status.refetch()}
          />
        )}
      >
        {(found) => <StatusDetails status={found} />}
      </QueryBoundary>
    </Card>
  )
}

function StatusDetails({
  status: { securityScore, twoFactorEnabled, accountLocked, sessionSecure, recommendations },
}: {
  status: Schema['SecurityStatus']
}) {
  return (
    <div className="grid gap-4">
      <SecurityScore score={securityScore} />
      <ul className="grid gap-2">
        <li>
          <StatusFact
            isGood={twoFactorEnabled}
            label={twoFactorEnabled ? t('2FA enabled: yes') : t('2FA enabled: no')}
          />
        </li>
        <li>
          <StatusFact
            isGood={!accountLocked}
            label={accountLocked ? t('Account locked: yes') : t('Account locked: no')}
          />
        </li>
        <li>
          <StatusFact
            isGood={sessionSecure}
            label={sessionSecure ? t('Session secure: yes') : t('Session secure: no')}
          />
        </li>
      </ul>
      {recommendations.length > 0 && (
        <section aria-labelledby="recommendations" className="grid gap-2">
          <h3 id="recommendations" className="font-semibold">
            {t('Recommendations')}
          </h3>
          <ul className="grid gap-2">
            {recommendations.map((advice) => (
              <li key={advice} className="flex items-start gap-2 text-note">
                <Icon name="arrow-right" className="mt-0.5 size-4 text-primary" />
                <span className="min-w-0 wrap-anywhere">{advice}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function SecurityScore({ score }: { score: number }) {
  const scoreClass = score >= GOOD_SCORE ? 'text-success' : score >= FAIR_SCORE ? 'text-warning' : 'text-error'
  const label = score >= GOOD_SCORE ? t('Good') : score >= FAIR_SCORE ? t('Could be better') : t('Needs work')
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-figure font-semibold tabular-nums">
          <span className={scoreClass}>{score}</span>
          <span className="text-section text-muted"> / 100</span>
        </span>
        <span className="font-semibold">{label}</span>
      </p>
      <ShareBar parts={[{ colour: 'main', value: score }]} whole={100} />
    </div>
  )
}

function StatusFact({ isGood, label }: { isGood: boolean; label: string }) {
  return (
    <StatusLine plain tone={isGood ? 'success' : 'warning'} icon={isGood ? 'check-circle' : 'alert'}>
      {label}
    </StatusLine>
  )
}
